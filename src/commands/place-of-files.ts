import type { Contents } from '../base/backup/contents.ts';
import { missingFiles } from '../base/backup/file-columns.ts';
import { listFiles } from '../base/backup/held-files.ts';
import type { Db } from '../base/db.ts';
import { OperatorError } from '../base/operator-error.ts';
import { openFileStore } from '../file-store.ts';
import type { Plan } from '../plan.ts';
import { FILE_COLUMNS } from './file-columns.ts';

/** Throws unless the target stores files where the backup does: on disk or in a bucket. */
export function refuseOtherPlace({ files_in: bucket }: Contents, { settings }: Plan): void {
  if (bucket !== undefined && settings.filesUrl === undefined) {
    throw new OperatorError(
      `This backup does not contain its files; they are in ${bucket}. Set FILES_URL to that bucket or to a copy of it.`,
    );
  }
  if (bucket === undefined && settings.filesUrl !== undefined) {
    throw new OperatorError(
      'This backup contains its files: restore it without FILES_URL, then copy DATA_DIR/files to the bucket.',
    );
  }
}

/** A copy of the bucket can be older than the backup. */
export async function missingInBucket(db: Db, { tables }: Contents, planned: Plan): Promise<readonly string[]> {
  const { filesUrl } = planned.settings;
  if (filesUrl === undefined) return [];
  const store = await openFileStore(planned);
  try {
    const held = await listFiles(filesUrl, store.bucket!.keys);
    await held.hold();
    return await db.transaction((tx) => missingFiles(tx, tables, FILE_COLUMNS, held));
  } finally {
    await store.close();
  }
}
