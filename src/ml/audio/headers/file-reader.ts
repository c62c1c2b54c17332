import { open } from 'node:fs/promises';

export type FileReader = Awaited<ReturnType<typeof openFileReader>>;

export async function openFileReader(path: string, signal: AbortSignal) {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    size,
    /** May return fewer bytes at the end of the file. Rejects after the signal has aborted. */
    async read(at: number, length: number): Promise<Buffer> {
      signal.throwIfAborted();
      const wanted = Math.max(0, Math.min(length, size - at));
      const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, at);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}
