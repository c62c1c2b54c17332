import { createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Files } from '../../../../base/files.ts';
import { newId } from '../../../../base/ids.ts';
import { openPdf, type Pdf } from './pdf.ts';

export interface PdfStorage {
  readonly files: Files;
  /** For temporary files. */
  readonly scratchDir: string;
}

/**
 * Opens a stored PDF through a temporary file; undefined if it does not exist. `onStorageError` converts errors of both
 * storages.
 */
export async function openStoredPdf(
  key: string,
  { files, scratchDir }: PdfStorage,
  options: { maxPages: number; signal: AbortSignal; onStorageError?: (error: unknown) => never },
): Promise<Pdf | undefined> {
  const { maxPages, signal, onStorageError = rethrow } = options;
  const stored = await files.stream(key).catch(onStorageError);
  if (!stored) return undefined;
  const path = join(scratchDir, `${newId()}.pdf`);
  try {
    await pipeline(stored.stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal }).catch((error) => {
      signal.throwIfAborted();
      onStorageError(error);
    });
    return await openPdf(path, { maxPages, signal });
  } finally {
    // The process that reads the PDF has opened it.
    await unlink(path).catch(() => {});
  }
}

function rethrow(error: unknown): never {
  throw error;
}
