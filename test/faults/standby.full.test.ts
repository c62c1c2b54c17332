import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createArchiveWriter } from '../../src/base/backup/archive-writer.ts';
import { createBackup } from '../../src/base/backup/create-backup.ts';
import { type Db, openDb } from '../../src/base/db.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { migrate } from '../../src/base/migrate.ts';
import { readMigrations } from '../../src/base/migration-files.ts';
import { BACKUP_CONTENTS } from '../../src/commands/backup-contents.ts';
import { createSnapshotAgeReader } from '../../src/tasks/oldest-snapshot.ts';
import { startAssay } from '../support/processes/assay.ts';
import { cleanUpServers, startPostgres, withConnection } from '../support/processes/postgres.ts';
import { startStandby, startTcpProxy } from '../support/processes/standby.ts';
import { waitUntil } from '../support/processes/until.ts';

afterEach(cleanUpServers);

describe('A relay with a failover to a standby', () => {
  it('makes the database available again with all acknowledged rows', async () => {
    const primary = await startPostgres();
    await withConnection(primary.url, (db) => db.query('create table notes (id int primary key)'));
    const standby = await startStandby(primary.url, { synchronous: true });
    const relay = await startTcpProxy(primary);
    const db = openDb({ url: relay.proxiedUrl(primary.url), log: createLog('silent', 'test'), max: 2 });
    const hints: string[] = [];
    const over = new AbortController();
    const listening = db.listen('notes', (hint) => hints.push(hint), over.signal);
    await waitUntil(() => hints.length === 1);
    let noted = 0;
    for (; noted < 20; noted++) await db.query('insert into notes values ($1)', [noted]);

    await relay.cut();
    await expect(db.query('select')).rejects.toThrow();
    await primary.kill();
    relay.setTarget(standby);
    await relay.restore();
    // Still a read-only standby: treated as unavailable, and the pool drops the connection.
    await expect(db.query('insert into notes values (1000)')).rejects.toMatchObject({ code: '25006' });
    await standby.promote();
    expect((await db.query('insert into notes values (1000)')).rowCount).toBe(1);
    const { rows } = await db.query<{ count: number }>('select count(*) from notes');
    expect(rows[0]!.count).toBe(noted + 1);
    await waitUntil(() => hints.length === 2);
    await db.notify('notes', 'after');
    await waitUntil(() => hints.includes('after'));

    over.abort();
    await listening;
    await db.close();
    await relay.close();
  });
});

describe('A backup from a standby', () => {
  async function startPair() {
    const primary = await startPostgres();
    const db = openDb({ url: primary.url, log: createLog('silent', 'test'), max: 4 });
    onTestFinished(() => db.close());
    await migrate(db, new URL('../../migrations/', import.meta.url));
    const standby = await startStandby(primary.url);
    const dataDir = await mkdtemp(join(tmpdir(), 'assay-standby-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    return { db, primary, standby, dataDir };
  }

  const createKeys = async (dataDir: string) => {
    await mkdir(join(dataDir, 'keys'), { mode: 0o700 });
    await writeFile(join(dataDir, 'keys', 'sealing.key'), 'a key', { mode: 0o600 });
  };

  async function upload(db: Db, dataDir: string): Promise<string> {
    const key = newId();
    await mkdir(join(dataDir, 'files', key.slice(-2)), { recursive: true });
    await writeFile(join(dataDir, 'files', key.slice(-2), key), key);
    await db.query(
      `insert into files (key, principal, size_bytes, content_type, expires_at) values ($1, 'p', 26, 'image/jpeg', now() + interval '1 day')`,
      [key],
    );
    return key;
  }

  it('contains every row and file without an open snapshot on the primary', async () => {
    const { db, standby, dataDir } = await startPair();
    await createKeys(dataDir);
    for (let i = 0; i < 3; i++) await upload(db, dataDir);
    await standby.waitUntilCaughtUp();
    const seen: number[] = [];
    const taken = await withConnection(standby.url, (from) =>
      backup(from, dataDir, async () => {
        const { rows } = await db.query<{ open: number }>(
          `select count(*) as open from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid()`,
        );
        seen.push(rows[0]!.open);
      }),
    );
    expect(taken).toMatchObject({ files: 3, missing: [] });
    expect(taken.rows.get('files')).toBe(3);
    expect(Math.max(...seen)).toBe(0);
    const command = startAssay(
      { dataDir, port: 0 },
      { args: ['backup', join(dataDir, 'assay.tar')], env: { DATABASE_URL: standby.url } },
    );
    expect(await command.ended, command.output.err).toMatchObject({ code: 0 });
  });

  it('contains no reference to a file that was deleted while the standby was behind', async () => {
    const { db, standby, dataDir } = await startPair();
    await createKeys(dataDir);
    const keys = [await upload(db, dataDir), await upload(db, dataDir)];
    await standby.waitUntilCaughtUp();
    await withConnection(standby.url, (from) => from.query('select pg_wal_replay_pause()'));
    await db.query('delete from files where key = $1', [keys[0]]);
    await rm(join(dataDir, 'files', keys[0]!.slice(-2), keys[0]!));
    const resume = delay(3_000).then(async () => {
      await withConnection(standby.url, (from) => from.query('select pg_wal_replay_resume()'));
      // Like heartbeats: a standby learns its position from the next commit.
      await db.query('create table beat ()');
    });
    const taken = await withConnection(standby.url, (from) => backup(from, dataDir));
    await resume;
    expect(taken).toMatchObject({ files: 1, missing: [] });
    expect(taken.rows.get('files')).toBe(1);
  });

  it('is rejected without the keys', async () => {
    const { standby, dataDir } = await startPair();
    const rejected = withConnection(standby.url, (from) => backup(from, dataDir));
    await expect(rejected).rejects.toThrow(/^There are no keys in \S+\. A standby has only the rows: /);
  });

  it("fails with a message when it conflicts with the standby's replay", async () => {
    const { db, standby, dataDir } = await startPair();
    await createKeys(dataDir);
    await upload(db, dataDir);
    await standby.waitUntilCaughtUp();
    await withConnection(standby.url, async (from) => {
      await from.query('alter system set max_standby_streaming_delay = 100').catch(() => {});
      await from.query('select pg_reload_conf()');
    });
    let removed = false;
    const rejected = withConnection(standby.url, (from) =>
      backup(from, dataDir, async () => {
        if (removed) return;
        removed = true;
        await db.query('delete from files');
        await db.runOutsideTransaction('vacuum files', { statementTimeoutMs: 30_000 });
        await db.query('drop table files');
        await delay(3_000);
      }),
    );
    await expect(rejected).rejects.toThrow(
      /^The standby cancelled the backup because it conflicted with its replay\. /,
    );
  });
});

describe('The age of the oldest snapshot', () => {
  it('includes a snapshot of a standby with hot_standby_feedback', async () => {
    const primary = await startPostgres();
    const standby = await startStandby(primary.url, {
      settings: { hot_standby_feedback: 'on', wal_receiver_status_interval: '1s' },
    });
    let nowMs = 0;
    await withConnection(primary.url, async (db) => {
      const read = createSnapshotAgeReader(db, () => nowMs);
      await read();
      await withConnection(standby.url, (from) =>
        from.transaction(async (tx) => {
          await tx.query('set transaction isolation level repeatable read');
          await tx.query('select 1');
          await waitUntil(async () => {
            await db.query('select pg_current_xact_id()');
            nowMs += 1_000;
            return (await read()) > 60;
          });
        }),
      );
      await waitUntil(async () => {
        await db.query('select pg_current_xact_id()');
        nowMs += 10;
        return (await read()) < 10;
      });
    });
  });
});

const backup = async (db: Db, dataDir: string, onPart: () => Promise<void> = async () => {}) =>
  createBackup(
    createArchiveWriter(async () => {
      await onPart();
    }),
    {
      ...{ db, dataDir, version: 'test', contents: BACKUP_CONTENTS, onPart: () => {} },
      migrations: await readMigrations(new URL('../../migrations/', import.meta.url)),
    },
  );
