import { type Files, FileTooLarge } from '../base/files.ts';

/** The bytes of a file of our own, whose key may have been named by a stranger: it may be any file, of any size. */
export async function storedBytes(
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
