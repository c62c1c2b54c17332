import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { migrate } from '../../src/base/migrate.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '../support/database.ts';
import { type Assay, cleanUp, createInstancePlace, startAssay } from '../support/processes/assay.ts';
import { predict, uploadPicture } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';

vi.setConfig({ testTimeout: 120_000 });

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await cleanUp();
  await database.drop();
});

const ENV = { FILES_HOST: 'files.test.internal', DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' };

async function startGateway(env: Record<string, string> = {}): Promise<Assay> {
  return startAssay(await createInstancePlace(), {
    args: ['serve'],
    env: { ...ENV, DATABASE_URL: database.url, ...env },
  });
}

/** Status and message of `/ready`; 0 if nothing listens. */
async function readiness({ call }: Assay): Promise<[number, string?]> {
  const answer = await call('/ready').catch(() => undefined);
  if (!answer) return [0];
  return answer.status === 200 ? [200] : [answer.status, answer.body.error.message];
}

const isReady = async (gateway: Assay) => (await readiness(gateway))[0] === 200;

describe('GET /ready', () => {
  it('is 503 while a lock blocks the creation of tasks, and 200 again afterwards', async () => {
    const gateway = await startGateway();
    await waitUntil(() => isReady(gateway));
    const image = await uploadPicture(gateway, 1);
    expect((await predict(gateway, image)).status).toBe(202);
    await database.db.transaction(
      async (tx) => {
        await tx.query('lock table tasks in share mode');
        expect((await predict(gateway, image)).status).toBe(503);
        await waitUntil(async () => (await readiness(gateway))[0] === 503, 10_000);
        expect(await readiness(gateway)).toEqual([503, 'The database does not accept new tasks now.']);
      },
      { statementTimeoutMs: 60_000 },
    );
    await waitUntil(() => isReady(gateway), 15_000);
    expect((await predict(gateway, image)).status).toBe(202);
  });

  it('is 503 while the database is read-only, without a client request', async () => {
    const gateway = await startGateway();
    await waitUntil(() => isReady(gateway));
    const name = new URL(database.url).pathname.slice(1);
    await database.db.query(`alter database ${name} set default_transaction_read_only = on`);
    await database.db.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await waitUntil(
      async () => (await readiness(gateway))[1] === 'The database does not accept new tasks now.',
      15_000,
    );
    await database.db.transaction(async (tx) => {
      await tx.query('set transaction read write');
      await tx.query(`alter database ${name} reset default_transaction_read_only`);
    });
    await database.db.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await waitUntil(() => isReady(gateway), 15_000);
  });
});

describe('assay serve with the schema of an earlier version', () => {
  it('returns 503 for everything except probes until the database is migrated', async () => {
    const empty = await emptyDatabase();
    try {
      const gateway = await startGateway({ DATABASE_URL: empty.url });
      await waitUntil(async () => (await readiness(gateway))[0] !== 0);
      expect(await readiness(gateway)).toEqual([
        503,
        'The database schema is outdated: run `node scripts/assay.mjs migrate`.',
      ]);
      expect((await gateway.call('/livez')).status).toBe(200);
      for (const path of ['/result/01J00000000000000000000000', '/health', '/', '/docs']) {
        expect((await gateway.call(path)).status, path).toBe(503);
      }
      expect((await predict(gateway, 'https://files.test.internal/x')).body.error.code).toBe('QUEUE_UNAVAILABLE');
      expect(gateway.output.err).toContain('waiting for `node scripts/assay.mjs migrate`');

      await migrate(empty.db, new URL('../../migrations/', import.meta.url));
      await waitUntil(() => isReady(gateway), 10_000);
      expect((await predict(gateway, await uploadPicture(gateway, 1))).status).toBe(202);
    } finally {
      await cleanUp();
      await empty.drop();
    }
  });
});

describe('SIGTERM', () => {
  it('sets /ready to 503 immediately, while new connections are served for SHUTDOWN_DELAY_SECONDS', async () => {
    const gateway = await startGateway({ SHUTDOWN_DELAY_SECONDS: '3' });
    await waitUntil(() => isReady(gateway));
    const image = await uploadPicture(gateway, 1);
    const since = Date.now();
    gateway.kill('SIGTERM');
    await waitUntil(async () => (await readiness(gateway))[0] === 503, 1_000);
    expect(await readiness(gateway)).toEqual([503, 'This gateway is stopping.']);
    const statuses: number[] = [];
    while (Date.now() - since < 2_000) {
      const { status } = await predict(gateway, image, {});
      statuses.push(status);
    }
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect(await gateway.ended).toMatchObject({ code: 0 });
    const tookMs = Date.now() - since;
    expect(tookMs).toBeGreaterThan(2_900);
    expect(tookMs).toBeLessThan(8_000);
  });

  it('closes connections immediately without a delay', async () => {
    const gateway = await startGateway();
    await waitUntil(() => isReady(gateway));
    const since = Date.now();
    gateway.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0 });
    expect(Date.now() - since).toBeLessThan(3_000);
  });
});
