import type { Contents } from '../base/backup/contents.ts';
import { missingFiles } from '../base/backup/file-columns.ts';
import { listFiles } from '../base/backup/held-files.ts';
import type { Db } from '../base/db.ts';
import { OperatorError } from '../base/operator-error.ts';
import { openFileStore } from '../file-store.ts';
import type { Plan } from '../plan.ts';
import { FILE_COLUMNS } from './file-columns.ts';

/** A backup holds its files, or its files are in a bucket: so must it be where it is put back. */
export function refuseOtherPlace({ files_in: place }: Contents, { settings }: Plan): void {
  if (place !== undefined && settings.filesUrl === undefined) {
    throw new OperatorError(
      `The files of this backup are not in it, but in ${place}: set FILES_URL to that bucket, or to a copy of it.`,
    );
  }
  if (place === undefined && settings.filesUrl !== undefined) {
    throw new OperatorError(
      'This backup holds its files: restore it without FILES_URL, and then copy DATA_DIR/files into the bucket.',
    );
  }
}

/** What rows name and the bucket does not have; a copy of it may be older than the backup. */
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
