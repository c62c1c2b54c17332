import { isUndecided } from '../base/db-errors.ts';
import type { Files } from '../base/files.ts';
import type { Log } from '../base/log.ts';

/**
 * Writes down what stored bytes belong to. Where `write` throws, they are nobody's and go; only where nobody knows whether
 * it was written do they stay: bytes too many are better than a row without.
 */
export async function writeDown<T>(
  keys: readonly string[],
  { files, log }: { files: Files; log: Log },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUndecided(error))
      log.warn({ files: keys.length }, 'it is unknown whether files were written down; they stay');
    else await Promise.allSettled(keys.map((key) => files.remove(key)));
    throw error;
  }
}
