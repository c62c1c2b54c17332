import { createSums, END_NAME, sha256, type Totals } from './sums.ts';
import { END, padding, tarHeader } from './tar.ts';

/** An archive that is being written: a tar of our own strictness, with the digest of every entry. */
export interface ArchiveWriter {
  /** Writes one entry; `size` is what `content` comes to, and what comes to another size is an error. */
  add(name: string, content: Buffer | { size: number; bytes: AsyncIterable<Buffer> }): Promise<void>;
  /** The digests of the last entries and the end, without which the archive counts as broken off. */
  finish(): Promise<Totals>;
}

/** `write` gets the archive piece by piece, in order, each after the one before was taken. */
export function archiveWriter(write: (piece: Buffer) => Promise<void>): ArchiveWriter {
  const sums = createSums();

  async function raw(name: string, content: Buffer): Promise<void> {
    await write(Buffer.concat([tarHeader(name, content.length), content, padding(content.length)]));
  }

  async function list(): Promise<void> {
    const { name, content } = sums.list();
    await raw(name, content);
  }

  return {
    async add(name, content) {
      const digest = sha256();
      if (Buffer.isBuffer(content)) {
        digest.update(content);
        await raw(name, content);
        sums.add(name, content.length, digest);
      } else {
        const { size, bytes } = content;
        let left = size;
        await write(tarHeader(name, size));
        for await (const piece of bytes) {
          left -= piece.length;
          digest.update(piece);
          await write(piece);
        }
        if (left !== 0) throw new Error(`${name} has changed while it was read.`);
        await write(padding(size));
        sums.add(name, size, digest);
      }
      if (sums.isFull()) await list();
    },

    async finish() {
      if (!sums.isEmpty()) await list();
      await raw(END_NAME, sums.end());
      await write(END);
      return sums.total();
    },
  };
}
