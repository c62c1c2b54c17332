import { open } from 'node:fs/promises';

export interface FileReader {
  readonly size: number;
  /** May return fewer bytes at the end of the file. Rejects after the signal has aborted. */
  read(at: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

export async function openFileReader(path: string, signal: AbortSignal): Promise<FileReader> {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    size,
    async read(at, length) {
      signal.throwIfAborted();
      const wanted = Math.max(0, Math.min(length, size - at));
      const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, at);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}
