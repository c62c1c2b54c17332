import { missingFiles } from '../base/backup/file-columns.ts';
import { listBucketFiles } from '../base/backup/file-snapshot.ts';
import type { Manifest } from '../base/backup/manifest.ts';
import type { Db } from '../base/db.ts';
import { OperatorError } from '../base/operator-error.ts';
import type { Config } from '../config.ts';
import { openFileStore } from '../file-store.ts';
import { BACKUP_CONTENTS } from './backup-contents.ts';

/** Throws unless the target stores files where the backup does: on disk or in a bucket. */
export function checkFileLocation({ files_in: bucket }: Manifest, { settings }: Config): void {
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
export async function missingInBucket(db: Db, { tables }: Manifest, planned: Config): Promise<readonly string[]> {
  const { filesUrl } = planned.settings;
  if (filesUrl === undefined) return [];
  const store = await openFileStore(planned);
  try {
    const held = await listBucketFiles(filesUrl, store.bucket!.keys);
    await held.capture();
    return await db.transaction((tx) => missingFiles(tx, tables, BACKUP_CONTENTS.fileColumns, held));
  } finally {
    await store.close();
  }
}
