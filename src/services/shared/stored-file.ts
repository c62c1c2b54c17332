import { type Files, FileTooLarge } from '../../base/files.ts';

/** Reads a stored file. Clients name keys, so the file can have any type and size. */
export async function readStoredFile(
  files: Files,
  key: string,
  limits: { maxBytes: number; signal: AbortSignal },
): Promise<Buffer | 'missing' | 'too-large'> {
  try {
    return (await files.get(key, limits)) ?? 'missing';
  } catch (error) {
    if (error instanceof FileTooLarge) return 'too-large';
    throw error;
  }
}
