import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readArchive } from '../base/backup/archive-reader.ts';
import { type PutBack, putBack } from '../base/backup/put-back.ts';
import { Damaged } from '../base/backup/tar.ts';
import { verifyBackup } from '../base/backup/verify.ts';
import { type Db, openDb } from '../base/db.ts';
import { newId } from '../base/ids.ts';
import { readMigrations } from '../base/migration-files.ts';
import { OperatorError } from '../base/operator-error.ts';
import { startEmbedded } from '../compose.ts';
import { PACKAGE_ROOT, type Plan, plan } from '../plan.ts';
import { postgresTaskStore } from '../tasks/postgres.ts';
import { occupy } from './occupy.ts';
import { missingInBucket, refuseOtherPlace } from './place-of-files.ts';
import { inWords, mebibytes, statusLine } from './telling.ts';

/** `assay restore FILE`: puts a backup into an empty place, or with `replace` over what is there; `-` is standard input. */
export async function restoreCommand(
  file: string,
  { replace, signal }: { replace: boolean; signal: AbortSignal },
): Promise<void> {
  const planned = await plan({ LOG_LEVEL: 'warn', ...process.env }, 'restore');
  const { shared } = planned;
  await withFile(file, { dataDir: shared.dataDir, signal }, async (path) => {
    const migrations = await readMigrations(new URL('migrations/', PACKAGE_ROOT));
    const status = statusLine(process.stderr);
    const show = (text: string) => {
      if (signal.aborted) throw stopped();
      status.show(text);
    };
    const name = file === '-' ? 'on standard input' : file;
    const onBytes = (bytes: number) => show(`checking: ${mebibytes(bytes)}`);
    const what = await verifyBackup(read(path), { name, migrations, onBytes }).finally(status.clear);
    refuseOtherPlace(what, planned);
    const done = await inDatabase(planned, async (db) => {
      const onPart = (part: string) => show(`restoring: ${part}`);
      const target = { db, migrations, dataDir: shared.dataDir, replace, onPart };
      const back = await putBack(readArchive(read(path)), what, target)
        .catch((error: unknown) => {
          // It was whole a moment ago.
          throw error instanceof Damaged ? new OperatorError(`The backup ${name} changes while it is read.`) : error;
        })
        .finally(status.clear);
      await handBack(db);
      await db.query('analyze');
      return { ...back, missing: await missingInBucket(db, what, planned) };
    });
    for (const line of summary(done, what)) console.log(line);
  }).catch(inWords);
}

const stopped = () => new OperatorError('Stopped: nothing was changed.');
const read = (path: string) => createReadStream(path, { highWaterMark: 1024 * 1024 });

function summary(
  { rows, files, migrated, missing }: PutBack & { missing: readonly string[] },
  what: { taken_at: string; version: string; files_in?: string },
): string[] {
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0);
  return [
    `Restored the backup of ${what.taken_at}, made by Assay ${what.version}: ` +
      `${rows.get('tasks') ?? 0} tasks, ${total} rows in ${rows.size} tables, ${files} files, and the keys.`,
    ...(what.files_in === undefined ? [] : [`Its files are in the bucket, but for ${missing.length}${some(missing)}.`]),
    ...migrated.map((name) => `The migration ${name} was applied to it.`),
    'Start Assay as before; what was queued goes on.',
  ];
}

const some = (keys: readonly string[]) =>
  keys.length === 0 ? '' : `: ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', …' : ''}`;

/** What workers held is in nobody's hands now; that a backup was taken meanwhile is not to cost it an attempt. */
async function handBack(db: Db): Promise<void> {
  const tasks = postgresTaskStore(db);
  const { rows } = await db.query<{ id: string; service: string; worker: string; attempts: number }>(
    'select id, service, worker, attempts from tasks where worker is not null',
  );
  for (const { id, service, worker, attempts: attempt } of rows) {
    const ending = { id, attempt, outcome: 'again', delayMs: 0, uncounted: true } as const;
    await tasks.advance([ending], { service, worker, limit: 0, leaseMs: 0 });
  }
  tasks.close();
}

/** The whole of it is read before anything is touched, so what comes by a pipe is put down first. */
async function withFile(
  file: string,
  { dataDir, signal }: { dataDir: string; signal: AbortSignal },
  run: (path: string) => Promise<void>,
): Promise<void> {
  if (file !== '-') {
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw new OperatorError(`There is no file ${file}.`);
    return run(file);
  }
  const folder = join(dataDir, `restore-${newId()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const path = join(folder, 'backup');
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal }).catch((error: unknown) => {
      throw signal.aborted ? stopped() : error;
    });
    await run(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function inDatabase<T>(planned: Plan, run: (db: Db) => Promise<T>): Promise<T> {
  const { settings, shared, log } = planned;
  const open = async (url: string) => {
    const db = openDb({ url, log, max: 1, applicationName: 'assay-restore' });
    return run(db).finally(() => db.close());
  };
  const leave = await occupy(shared.dataDir);
  try {
    if (settings.databaseUrl) return await open(settings.databaseUrl);
    const embedded = await startEmbedded(planned);
    return await open(embedded.url).finally(() => embedded.stop());
  } finally {
    await leave();
  }
}
