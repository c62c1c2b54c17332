import { loadMigrations } from '../app-context.ts';
import { createArchiveWriter } from '../base/backup/archive-writer.ts';
import { type BackupResult, createBackup } from '../base/backup/create-backup.ts';
import { listBucketFiles } from '../base/backup/file-snapshot.ts';
import { fileOutput, streamOutput } from '../base/backup/output.ts';
import { OperatorError } from '../base/operator-error.ts';
import { loadConfig } from '../config.ts';
import { openFileStore } from '../file-store.ts';
import { BACKUP_CONTENTS } from './backup-contents.ts';
import { onBackupDatabase } from './backup-database.ts';
import { withExistingDatabase } from './existing-database.ts';
import { checkOutputFolder } from './local-files.ts';
import { mebibytes, statusLine, throwOperatorError } from './terminal.ts';

/** Writes a consistent snapshot, also while Assay runs; `-` is standard output. */
export async function backupCommand(
  file: string,
  { service }: { service?: string },
  signal: AbortSignal,
): Promise<void> {
  if (file === '-' && process.stdout.isTTY) {
    throw new OperatorError('A backup is binary data: name a file, or redirect standard output.');
  }
  if (file !== '-') await checkOutputFolder(file);
  const planned = onBackupDatabase(await loadConfig({ LOG_LEVEL: 'warn', ...process.env }, 'backup'), service);
  const { settings, shared } = planned;
  const migrations = await loadMigrations();
  const where = { planned, applicationName: 'assay-backup', nothing: 'There is nothing to back up' };
  const store = await openFileStore(planned);
  const bucket = store.bucket && (() => listBucketFiles(settings.filesUrl!, store.bucket!.keys));
  await withExistingDatabase(where, async (db) => {
    const output = file === '-' ? streamOutput(process.stdout) : await fileOutput(file);
    const status = statusLine(process.stderr);
    let bytes = 0;
    const archive = createArchiveWriter(async (piece) => {
      if (signal.aborted) throw new OperatorError('Stopped: no backup was written.');
      bytes += piece.length;
      await output.write(piece);
    });
    try {
      const taken = await createBackup(archive, {
        ...{ db, migrations, version: shared.version, dataDir: shared.dataDir, contents: BACKUP_CONTENTS },
        ...(bucket && { bucket }),
        onPart: (name) => status.show(`${mebibytes(bytes)}, ${name}`),
      });
      await archive.finish();
      await output.commit();
      status.clear();
      for (const line of summary(taken, { file, bytes, filesIn: settings.filesUrl })) console.error(line);
    } catch (error) {
      status.clear();
      await output.discard();
      throw error;
    }
  })
    .catch(throwOperatorError)
    .finally(store.close);
}

function summary(
  { takenAt, rows, files, missing }: BackupResult,
  { file, bytes, filesIn }: { file: string; bytes: number; filesIn: string | undefined },
): string[] {
  const tasks = rows.get('tasks') ?? 0;
  const name = file === '-' ? 'The backup' : file;
  const warning = `Warning: ${missing.length} files that the database references were already missing from the storage: ${missing.slice(0, 5).join(', ')}`;
  return [
    `${name} contains the state at ${takenAt.toISOString()}: ${tasks} tasks, ${files} files, ${mebibytes(bytes)}.`,
    'It also contains keys and tokens: store it as securely as those.',
    ...(filesIn === undefined ? [] : [`It does not contain the files in ${filesIn}: back up that bucket separately.`]),
    ...(missing.length > 0 ? [warning + (missing.length > 5 ? ', …' : '.')] : []),
  ];
}
