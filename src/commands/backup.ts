import { archiveWriter } from '../base/backup/archive-writer.ts';
import { listFiles } from '../base/backup/held-files.ts';
import { fileOutput, streamOutput } from '../base/backup/output.ts';
import { type Taken, takeBackup } from '../base/backup/take.ts';
import { readMigrations } from '../base/migration-files.ts';
import { OperatorError } from '../base/operator-error.ts';
import { openFileStore } from '../file-store.ts';
import { PACKAGE_ROOT, plan } from '../plan.ts';
import { inExistingDatabase } from './existing-database.ts';
import { FILE_COLUMNS } from './file-columns.ts';
import { inWords, mebibytes, statusLine } from './telling.ts';

/** `assay backup FILE`: one moment of everything in one file, also while the product works; `-` is standard output. */
export async function backupCommand(file: string, signal: AbortSignal): Promise<void> {
  if (file === '-' && process.stdout.isTTY) {
    throw new OperatorError('A backup is nothing for a terminal: name a file, or lead standard output somewhere.');
  }
  const planned = await plan({ LOG_LEVEL: 'warn', ...process.env }, 'backup');
  const { settings, shared } = planned;
  const migrations = await readMigrations(new URL('migrations/', PACKAGE_ROOT));
  const where = { planned, applicationName: 'assay-backup', nothing: 'There is nothing to back up' };
  const store = await openFileStore(planned);
  const bucket = store.bucket && (() => listFiles(settings.filesUrl!, store.bucket!.keys));
  await inExistingDatabase(where, async (db) => {
    const output = file === '-' ? streamOutput(process.stdout) : await fileOutput(file);
    const status = statusLine(process.stderr);
    let bytes = 0;
    const archive = archiveWriter(async (piece) => {
      if (signal.aborted) throw new OperatorError('Stopped: there is no backup.');
      bytes += piece.length;
      await output.write(piece);
    });
    try {
      const taken = await takeBackup(archive, {
        ...{ db, migrations, version: shared.version, dataDir: shared.dataDir, fileColumns: FILE_COLUMNS },
        ...(bucket && { bucket }),
        onPart: (name) => status.show(`${mebibytes(bytes)}, ${name}`),
      });
      await archive.finish();
      await output.keep();
      status.clear();
      for (const line of summary(taken, { file, bytes, filesIn: settings.filesUrl })) console.error(line);
    } catch (error) {
      status.clear();
      await output.discard();
      throw error;
    }
  })
    .catch(inWords)
    .finally(store.close);
}

function summary(
  { takenAt, rows, files, missing }: Taken,
  { file, bytes, filesIn }: { file: string; bytes: number; filesIn: string | undefined },
): string[] {
  const tasks = rows.get('tasks') ?? 0;
  const name = file === '-' ? 'The backup' : file;
  const warning = `${missing.length} files that rows name were not in the store before either: ${missing.slice(0, 5).join(', ')}`;
  return [
    `${name} holds everything as it was at ${takenAt.toISOString()}: ${tasks} tasks, ${files} files, ${mebibytes(bytes)}.`,
    'It holds keys and tokens, too: keep it as secret as those.',
    ...(filesIn === undefined
      ? []
      : [`It does not hold the files: they stay in ${filesIn}, which has a backup of its own.`]),
    ...(missing.length > 0 ? [warning + (missing.length > 5 ? ', …' : '.')] : []),
  ];
}
