import type { Files } from '../base/files.ts';

/**
 * The bytes of a file of our own. A key may have been named by a stranger, and its file be too large to be held: its size
 * is asked first.
 */
export async function storedBytes(
  files: Files,
  key: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Buffer | 'missing' | 'too-large'> {
  const file = await files.stream(key);
  if (!file) return 'missing';
  if (file.sizeBytes > maxBytes) {
    file.stream.destroy();
    return 'too-large';
  }
  const pieces: Buffer[] = [];
  for await (const piece of file.stream) {
    pieces.push(piece as Buffer);
    signal.throwIfAborted();
  }
  return Buffer.concat(pieces);
}
