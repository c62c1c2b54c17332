import { createChecksums, END_NAME, sha256, type Totals } from './checksums.ts';
import { END_BLOCKS, padding, tarHeader } from './tar.ts';

export interface ArchiveWriter {
  /** Throws if the content does not have `size` bytes. */
  add(name: string, content: Buffer | { size: number; bytes: AsyncIterable<Buffer> }): Promise<void>;
  /** Writes the end, without which the archive counts as truncated. */
  finish(): Promise<Totals>;
}

/** `write` receives the archive in chunks, one at a time. */
export function createArchiveWriter(write: (piece: Buffer) => Promise<void>): ArchiveWriter {
  const sums = createChecksums();

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
      await write(END_BLOCKS);
      return sums.total();
    },
  };
}
