import { isOutcomeUnknown } from '../../base/db-errors.ts';
import type { Files } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';

/**
 * Runs `write`, which stores references to these files, and deletes the files if it fails. If its outcome is unknown
 * the files stay: an unreferenced file is better than a dangling reference.
 */
export async function keepFilesIfCommitted<T>(
  keys: readonly string[],
  { files, log }: { files: Files; log: Log },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isOutcomeUnknown(error))
      log.warn({ files: keys.length }, 'files are kept because the outcome of the transaction is unknown');
    else await Promise.allSettled(keys.map((key) => files.remove(key)));
    throw error;
  }
}
