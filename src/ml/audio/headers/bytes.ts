import { open } from 'node:fs/promises';

/** A file of which any part can be read. */
export interface Bytes {
  readonly size: number;
  /** So many bytes from a place on; fewer where the file ends before. Rejects once the signal has aborted. */
  read(at: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

export async function openBytes(path: string, signal: AbortSignal): Promise<Bytes> {
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
