import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, copyFile, lchown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transaction } from '../../../src/base/db.ts';
import { NOBODY } from '../../../src/base/postgres/server-account.ts';
import {
  createClusterFolder,
  embeddedBin,
  type PostgresServer,
  type PostgresServerOptions,
  runServer,
  withConnection,
} from './postgres.ts';
import { waitUntil } from './until.ts';

export { startTcpProxy } from './tcp-proxy.ts';

export interface Standby extends PostgresServer {
  /** Enables synchronous replication and waits until the standby has caught up. */
  enableSynchronousReplication(): Promise<void>;
  /** Promotes it and waits until it accepts writes. Its `url` stays. */
  promote(): Promise<void>;
  /** Waits until it has replayed the primary's current WAL. */
  waitUntilCaughtUp(): Promise<void>;
}

export interface StandbyOptions extends PostgresServerOptions {
  /** Synchronous replication; otherwise unreplicated commits are lost with the primary. */
  synchronous?: boolean;
}

/** For a busy machine and a slow disk. */
const TIMEOUT_MS = 120_000;

/**
 * Starts a standby of the server at `primaryUrl`, whose data directory must be on this machine and which must accept
 * standbys (the shared test server does not). Copies the primary's files as pg_basebackup does, which the embedded server
 * does not include.
 */
export async function startStandby(primaryUrl: string, options: StandbyOptions = {}): Promise<Standby> {
  const { synchronous = false } = options;
  const { bin, data } = await inspectPrimary(primaryUrl);
  const cluster = await createClusterFolder();
  const name = `standby_${randomBytes(4).toString('hex')}`;
  await withConnection(primaryUrl, async (db) => {
    // The slot keeps the WAL from before the copy.
    await db.query('select pg_create_physical_replication_slot($1, true)', [name]);
    const copied = async (tx: Transaction) => {
      await tx.query(`select pg_backup_start($1, fast => true)`, [name]);
      await copyCluster(data, cluster);
      const { rows } = await tx.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      return rows[0]!.labelfile;
    };
    // pg_backup_start waits for a checkpoint, which is slow on a busy disk.
    const label = await db.transaction(copied, { statementTimeoutMs: TIMEOUT_MS });
    await writeFile(join(cluster, 'backup_label'), label);
  });
  await writeFile(join(cluster, 'standby.signal'), '');
  const { hostname, port, username, password } = new URL(primaryUrl);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`;
  await appendFile(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${conninfo}'\nprimary_slot_name = '${name}'\nhot_standby = on\n`,
  );
  if (process.getuid?.() === 0) await chownAll(cluster);
  const server = await runServer({ cluster, bin: options.bin ?? bin, url: primaryUrl, options });
  await waitUntil(() => isStreaming(primaryUrl, name), TIMEOUT_MS);

  async function caughtUp() {
    const { rows } = await withConnection(primaryUrl, (db) =>
      db.query<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn'),
    );
    await waitUntil(async () => {
      const replayed = await withConnection(server.url, (db) =>
        db.query<{ done: boolean }>('select pg_last_wal_replay_lsn() >= $1::pg_lsn as done', [rows[0]!.lsn]),
      );
      return replayed.rows[0]!.done === true;
    }, TIMEOUT_MS);
  }

  async function becomeSynchronous() {
    await makeSynchronous(primaryUrl, name);
    await caughtUp();
  }

  if (synchronous) await becomeSynchronous();
  return {
    ...server,
    ...{ enableSynchronousReplication: becomeSynchronous, waitUntilCaughtUp: caughtUp },
    async promote() {
      await withConnection(server.url, (db) => db.query('select pg_promote(false)'));
      await waitUntil(async () => {
        const { rows } = await withConnection(server.url, (db) =>
          db.query<{ standby: boolean }>('select pg_is_in_recovery() as standby'),
        );
        return rows[0]?.standby === false;
      }, TIMEOUT_MS);
    },
  };
}

/** Returns the primary's data directory and the programs of its major version. */
async function inspectPrimary(url: string): Promise<{ bin: string; data: string }> {
  const { rows } = await withConnection(url, (db) =>
    db.query<{ data: string; version: string }>(
      `select current_setting('data_directory') as data, current_setting('server_version_num') as version`,
    ),
  );
  const { data, version } = rows[0]!;
  const debian = `/usr/lib/postgresql/${version.slice(0, 2)}/bin`;
  const bin = await embeddedBin();
  const ours = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  if (ours.includes(`(PostgreSQL) ${version.slice(0, 2)}.`)) return { bin, data };
  if (existsSync(debian)) return { bin: debian, data };
  throw new Error(`PostgreSQL ${version.slice(0, 2)} is not installed, so no standby can be created.`);
}

/** Files that a copy omits (PostgreSQL manual, "Making a Base Backup Using the Low Level API"). */
const OMITTED = new Set(['postmaster.pid', 'postmaster.opts', 'pg_internal.init', 'standby.signal', 'backup_label']);
const EMPTIED = new Set(
  'pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(' '),
);

/** Ignores files that the server removes during the copy; WAL replay removes them from the copy too. */
async function copyCluster(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(ignoreMissing);
  for (const entry of entries ?? []) {
    if (OMITTED.has(entry.name) || entry.name.startsWith('pgsql_tmp')) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!entry.isDirectory()) {
      await copyFile(source, target).catch(ignoreMissing);
      continue;
    }
    await mkdir(target, { mode: 0o700 });
    if (!EMPTIED.has(entry.name)) await copyCluster(source, target);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

async function chownAll(cluster: string): Promise<void> {
  for (const entry of await readdir(cluster, { recursive: true })) {
    await lchown(join(cluster, entry), NOBODY.uid, NOBODY.gid);
  }
  await chown(cluster, NOBODY.uid, NOBODY.gid);
  await chmod(cluster, 0o700);
}

async function isStreaming(url: string, name: string, state: 'async' | 'sync' = 'async'): Promise<boolean> {
  const { rowCount } = await withConnection(url, (db) =>
    db.query(
      `select from pg_stat_replication where application_name = $1 and state = 'streaming' and ($2 = 'async' or sync_state = $2)`,
      [name, state],
    ),
  );
  return rowCount > 0;
}

/** Called after the copy: a standby that copied this setting would wait for itself after promotion. */
async function makeSynchronous(url: string, name: string): Promise<void> {
  await withConnection(url, async (db) => {
    await db.query(`alter system set synchronous_standby_names = '${name}'`);
    await db.query('select pg_reload_conf()');
  });
  await waitUntil(() => isStreaming(url, name, 'sync'), TIMEOUT_MS);
  // The setting is in force once the checkpointer has read it, which it does before a checkpoint.
  await withConnection(url, (db) => db.transaction((tx) => tx.query('checkpoint'), { statementTimeoutMs: TIMEOUT_MS }));
}
