import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, copyFile, lchown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transaction } from '../../src/base/db.ts';
import { NOBODY } from '../../src/base/postgres/account.ts';
import { asking, embeddedBin, newCluster, runServer, type Server, type ServerOptions } from './postgres.ts';
import { until } from './until.ts';

export { startRelay } from './relay.ts';

/** A second server that follows a first one, and takes its place when told to. */
export interface Standby extends Server {
  /** From here on the primary acknowledges no commit that this one has not on its disk, and it has all that was before. */
  becomeSynchronous(): Promise<void>;
  /** Makes it a primary; resolves when it takes what is written. Its `url` stays. */
  promote(): Promise<void>;
  /** Waits until it has replayed everything that the primary has written by now. */
  caughtUp(): Promise<void>;
}

export interface StandbyOptions extends ServerOptions {
  /**
   * `true`: from here on the primary acknowledges no commit that the standby has not on its disk. `false`: it may be
   * behind, and what it has not got is lost with the primary.
   */
  synchronous?: boolean;
}

/** For what a crowded machine and its disk take their time for. */
const PATIENCE_MS = 120_000;

/**
 * A standby of the server at `primaryUrl`, whose data lie on this machine and which takes standbys (the product's own
 * embedded server does; the one that vitest starts for the tests, without a log to replay, does not). It is a copy of
 * the primary's files, taken as pg_basebackup takes one, which the embedded server does not bring.
 */
export async function startStandby(primaryUrl: string, options: StandbyOptions = {}): Promise<Standby> {
  const { synchronous = false } = options;
  const { bin, data } = await about(primaryUrl);
  const cluster = await newCluster();
  const name = `standby_${randomBytes(4).toString('hex')}`;
  await asking(primaryUrl, async (db) => {
    // A slot, so that the primary keeps the log from before the copy until the standby has had it.
    await db.query('select pg_create_physical_replication_slot($1, true)', [name]);
    const copied = async (tx: Transaction) => {
      await tx.query(`select pg_backup_start($1, fast => true)`, [name]);
      await copyCluster(data, cluster);
      const { rows } = await tx.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      return rows[0]!.labelfile;
    };
    // It waits for a checkpoint, which a crowded or a slow disk may take its time for.
    const label = await db.transaction(copied, { statementTimeoutMs: PATIENCE_MS });
    await writeFile(join(cluster, 'backup_label'), label);
  });
  await writeFile(join(cluster, 'standby.signal'), '');
  const { hostname, port, username, password } = new URL(primaryUrl);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`;
  await appendFile(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${conninfo}'\nprimary_slot_name = '${name}'\nhot_standby = on\n`,
  );
  if (process.getuid?.() === 0) await giveAll(cluster);
  const server = await runServer({ cluster, bin: options.bin ?? bin, url: primaryUrl, options });
  await until(() => streams(primaryUrl, name), PATIENCE_MS);

  async function caughtUp() {
    const { rows } = await asking(primaryUrl, (db) =>
      db.query<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn'),
    );
    await until(async () => {
      const replayed = await asking(server.url, (db) =>
        db.query<{ done: boolean }>('select pg_last_wal_replay_lsn() >= $1::pg_lsn as done', [rows[0]!.lsn]),
      );
      return replayed.rows[0]!.done === true;
    }, PATIENCE_MS);
  }

  async function becomeSynchronous() {
    await makeSynchronous(primaryUrl, name);
    await caughtUp();
  }

  if (synchronous) await becomeSynchronous();
  return {
    ...server,
    ...{ becomeSynchronous, caughtUp },
    async promote() {
      await asking(server.url, (db) => db.query('select pg_promote(false)'));
      await until(async () => {
        const { rows } = await asking(server.url, (db) =>
          db.query<{ standby: boolean }>('select pg_is_in_recovery() as standby'),
        );
        return rows[0]?.standby === false;
      }, PATIENCE_MS);
    },
  };
}

/** Where the primary's files lie, and programs that understand them. */
async function about(url: string): Promise<{ bin: string; data: string }> {
  const { rows } = await asking(url, (db) =>
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
  throw new Error(`There is no PostgreSQL ${version.slice(0, 2)} here to make a standby with.`);
}

/** What a copy must not have, as the chapter "Making a base backup using the low level API" of the manual lists it. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'pg_internal.init', 'standby.signal', 'backup_label']);
const EMPTIED = new Set(
  'pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(' '),
);

/** Files that vanish while they are copied were removed by the server, and the log says so to the copy as well. */
async function copyCluster(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(unlessGone);
  for (const entry of entries ?? []) {
    if (LEFT_OUT.has(entry.name) || entry.name.startsWith('pgsql_tmp')) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!entry.isDirectory()) {
      await copyFile(source, target).catch(unlessGone);
      continue;
    }
    await mkdir(target, { mode: 0o700 });
    if (!EMPTIED.has(entry.name)) await copyCluster(source, target);
  }
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

async function giveAll(cluster: string): Promise<void> {
  for (const entry of await readdir(cluster, { recursive: true })) {
    await lchown(join(cluster, entry), NOBODY.uid, NOBODY.gid);
  }
  await chown(cluster, NOBODY.uid, NOBODY.gid);
  await chmod(cluster, 0o700);
}

async function streams(url: string, name: string, state: 'async' | 'sync' = 'async'): Promise<boolean> {
  const { rowCount } = await asking(url, (db) =>
    db.query(
      `select from pg_stat_replication where application_name = $1 and state = 'streaming' and ($2 = 'async' or sync_state = $2)`,
      [name, state],
    ),
  );
  return rowCount > 0;
}

/** After the copy: a standby that took this setting over would wait for itself when it is promoted. */
async function makeSynchronous(url: string, name: string): Promise<void> {
  await asking(url, async (db) => {
    await db.query(`alter system set synchronous_standby_names = '${name}'`);
    await db.query('select pg_reload_conf()');
  });
  await until(() => streams(url, name, 'sync'), PATIENCE_MS);
  // Commits wait once the checkpointer has read it too, which it does before it takes an order.
  await asking(url, (db) => db.transaction((tx) => tx.query('checkpoint'), { statementTimeoutMs: PATIENCE_MS }));
}
