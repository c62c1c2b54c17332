import { createChecksums, END_NAME, sha256 } from './checksums.ts';
import { END_BLOCKS, padding, tarHeader } from './tar.ts';

export type ArchiveWriter = ReturnType<typeof createArchiveWriter>;

/** `write` receives the archive in chunks, one at a time. */
export function createArchiveWriter(write: (piece: Buffer) => Promise<void>) {
  const sums = createChecksums();

  async function raw(name: string, content: Buffer): Promise<void> {
    await write(Buffer.concat([tarHeader(name, content.length), content, padding(content.length)]));
  }

  async function list(): Promise<void> {
    const { name, content } = sums.list();
    await raw(name, content);
  }

  return {
    /** Throws if the content does not have `size` bytes. */
    async add(name: string, content: Buffer | { size: number; bytes: AsyncIterable<Buffer> }): Promise<void> {
      const { size, bytes } = Buffer.isBuffer(content) ? { size: content.length, bytes: [content] } : content;
      const digest = sha256();
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
      if (sums.isFull()) await list();
    },

    /** Writes the end, without which the archive counts as truncated. */
    async finish(): Promise<void> {
      if (!sums.isEmpty()) await list();
      await raw(END_NAME, sums.end());
      await write(END_BLOCKS);
    },
  };
}
