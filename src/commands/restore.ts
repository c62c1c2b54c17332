import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { loadMigrations, startEmbedded } from '../app-context.ts';
import { readArchive } from '../base/backup/archive-reader.ts';
import { BACKUP_TIMEOUT_MS } from '../base/backup/file-snapshot.ts';
import { type RestoreResult, restoreBackup } from '../base/backup/restore-backup.ts';
import { CorruptArchive } from '../base/backup/tar.ts';
import { verifyBackup } from '../base/backup/verify.ts';
import type { Db, Queryable } from '../base/db.ts';
import { newId } from '../base/ids.ts';
import { OperatorError } from '../base/operator-error.ts';
import { type Config, loadConfig } from '../config.ts';
import { skipEventNumbers } from '../tasks/events.ts';
import { returnAllClaims } from '../tasks/return-claims.ts';
import { BACKUP_CONTENTS } from './backup-contents.ts';
import { onBackupDatabase } from './backup-database.ts';
import { checkFileLocation, missingInBucket } from './backup-file-location.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { withDatabase } from './existing-database.ts';
import { mebibytes, statusLine, throwOperatorError } from './terminal.ts';

export interface RestoreOptions {
  /** One of the services in the database. */
  readonly service?: string;
  /** Over existing data; default: only into an empty target. */
  readonly replace?: boolean;
}

/** `-` is standard input. */
export async function restoreCommand(
  file: string,
  { replace = false, service }: RestoreOptions,
  signal: AbortSignal,
): Promise<void> {
  const planned = onBackupDatabase(await loadConfig({ LOG_LEVEL: 'warn', ...process.env }, 'restore'), service);
  const { shared } = planned;
  await withFile(file, { dataDir: shared.dataDir, signal }, async (path) => {
    const migrations = await loadMigrations();
    const status = statusLine(process.stderr);
    const show = (text: string) => {
      if (signal.aborted) throw stoppedError();
      status.show(text);
    };
    const name = file === '-' ? 'on standard input' : file;
    if (await isGzip(path)) throw compressedError(file);
    const onBytes = (bytes: number) => show(`checking: ${mebibytes(bytes)}`);
    const manifest = await verifyBackup(read(path), { name, migrations, onBytes }).finally(status.clear);
    checkFileLocation(manifest, planned);
    const result = await inDatabase(planned, async (db) => {
      const onPart = (part: string) => show(`restoring: ${part}`);
      const complete = async (tx: Queryable) => {
        await returnAllClaims(tx);
        await skipEventNumbers(tx);
      };
      const target = { db, migrations, dataDir: shared.dataDir, contents: BACKUP_CONTENTS, replace, onPart, complete };
      const restored = await restoreBackup(readArchive(read(path)), manifest, target)
        .catch((error: unknown) => {
          throw error instanceof CorruptArchive
            ? new OperatorError(`The backup ${name} changed while it was read.`)
            : error;
        })
        .finally(status.clear);
      await db.runOutsideTransaction('analyze', { statementTimeoutMs: BACKUP_TIMEOUT_MS });
      return { ...restored, missing: await missingInBucket(db, manifest, planned) };
    });
    for (const line of summary(result, manifest)) console.log(line);
  }).catch(throwOperatorError);
}

/** By the magic number (RFC 1952). */
async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0).finally(() => file.close());
  return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b;
}

const compressedError = (file: string) =>
  new OperatorError(
    file === '-'
      ? 'The backup on standard input is compressed: decompress it with `gunzip -c`.'
      : `${file} is compressed: run \`gunzip -c ${file} | node scripts/assay.mjs restore -\`.`,
  );

const stoppedError = () => new OperatorError('Stopped: nothing was changed.');
const read = (path: string) => createReadStream(path, { highWaterMark: 1024 * 1024 });

function summary(
  { rows, files, migrated, missing }: RestoreResult & { missing: readonly string[] },
  manifest: { taken_at: string; version: string; files_in?: string },
): string[] {
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0);
  return [
    `Restored the backup of ${manifest.taken_at}, made by Assay ${manifest.version}: ` +
      `${rows.get('tasks') ?? 0} tasks, ${total} rows in ${rows.size} tables, ${files} files, and the keys.`,
    ...(manifest.files_in === undefined ? [] : [`Files missing from the bucket: ${missing.length}${some(missing)}.`]),
    ...migrated.map((name) => `Applied the migration ${name}.`),
    'Start Assay as before; queued tasks continue.',
  ];
}

const some = (keys: readonly string[]) =>
  keys.length === 0 ? '' : `: ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', …' : ''}`;

/** Standard input is copied to a file, because the backup is read twice. */
async function withFile(
  file: string,
  { dataDir, signal }: { dataDir: string; signal: AbortSignal },
  run: (path: string) => Promise<void>,
): Promise<void> {
  if (file !== '-') {
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw new OperatorError(`The file ${file} does not exist.`);
    return run(file);
  }
  const folder = join(dataDir, `restore-${newId()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const path = join(folder, 'backup');
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal }).catch((error: unknown) => {
      throw signal.aborted ? stoppedError() : error;
    });
    await run(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function inDatabase<T>(planned: Config, run: (db: Db) => Promise<T>): Promise<T> {
  const { database, shared } = planned;
  const open = (url: string) => withDatabase(url, { planned, applicationName: 'assay-restore' }, run);
  const unlock = await lockDataDir(shared.dataDir);
  try {
    if (database.url) return await open(database.url);
    const embedded = await startEmbedded(planned);
    return await open(embedded.url).finally(() => embedded.stop());
  } finally {
    await unlock();
  }
}
