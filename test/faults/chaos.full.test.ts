import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { supervise } from '../../src/roles/supervise.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  type Assay,
  cleanUp,
  createInstancePlace,
  databasePid,
  type InstancePlace,
  signalTo,
  startAssay,
} from '../support/processes/assay.ts';
import { predict, uploadPicture, waitForTask } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { type Product, RESULT, startProduct } from '../support/product.ts';

const ENV = {
  DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'warn',
};

afterEach(cleanUp);

it('The gateway returns 503 while the database is down and recovers without a restart', async () => {
  const place = await createInstancePlace();
  const assay = startAssay(place, { env: ENV });
  await assay.waitForOutput(/is ready/);
  const picture = await uploadPicture(assay, 1);
  const ids = await predictMany(assay, picture, 40);

  // The stopped supervisor does not restart the database.
  assay.kill('SIGSTOP');
  signalTo((await databasePid(place))!, 'SIGKILL');
  const unavailable = { status: 503, body: { error: { code: 'QUEUE_UNAVAILABLE' } } };
  const ready = async () => (await assay.call('/ready')).status === 200;
  await waitUntil(async () => !(await ready()));
  expect(await predict(assay, picture)).toMatchObject(unavailable);
  expect(await assay.call(`/result/${ids[0]}`)).toMatchObject(unavailable);
  expect(await assay.call(`/result/${ids[0]}`, { headers: { prefer: 'wait=5' } })).toMatchObject(unavailable);
  expect(await assay.call('/livez')).toMatchObject({ status: 200 });

  const before = await assay.children();
  assay.kill('SIGCONT');
  const back = performance.now();
  await waitUntil(ready, 30_000);
  console.log(`The database and all services were ready again after ${seconds(performance.now() - back)}.`);
  ids.push((await predict(assay, picture)).body.data.task_id);
  for (const id of ids) expect(await waitForTask(assay, id)).toMatchObject({ status: 'done' });
  expect((await assay.children()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
});

describe('Assay with an external database', () => {
  let database: TestDatabase;
  let place: InstancePlace;
  let assay: Assay;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await testDatabase();
    place = await createInstancePlace();
    env = { ...ENV, DATABASE_URL: database.url };
    assay = startAssay(place, { env });
    await assay.waitForOutput(/is ready/);
  });
  afterEach(async () => {
    await cleanUp();
    await database.drop();
  });

  it('replays the accepted task when the client retries after the gateway died between commit and response', async () => {
    const picture = await uploadPicture(assay, 1);
    const gateway = await assay.child('serve');
    await database.db.query(WAITING_COMMIT);
    const ask = () => assay.call('/predict', { headers: { 'idempotency-key': 'once' }, body: { image_url: picture } });
    await database.db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock(1)');
      const cutOff = ask().catch((error: Error) => error.name);
      await waitUntil(async () => {
        const { rowCount } = await database.db.query(`select from pg_stat_activity where wait_event = 'advisory'`);
        return rowCount > 0;
      });
      signalTo(gateway, 'SIGKILL');
      expect(await cutOff).toBe('TypeError');
    });
    await waitUntil(async () => (await database.db.query('select from tasks')).rowCount === 1);

    await waitUntil(() => assay.call('/livez').then(...TO_BOOLEAN));
    const second = await ask();
    expect(second).toMatchObject({ status: 202 });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const { rows } = await database.db.query<{ id: string }>('select id from tasks');
    expect(rows).toEqual([{ id: second.body.data.task_id }]);
    expect(await waitForTask(assay, rows[0]!.id)).toMatchObject({ status: 'done' });
  });
});

it('A task that kills its worker three times fails with WORKER_LOST, and the worker continues with other tasks', async () => {
  const product = await startProduct();
  const worker = superviseFragileWorker(product);
  try {
    const poison = await product.predict({ image_url: POISON });
    const good = await product.predict();
    // Three lease periods would take 20 s.
    const loseLease = setInterval(() => {
      void product.database.db.query('update tasks set leased_until = now() where id = $1 and worker is not null', [
        poison,
      ]);
    }, 100);
    const data = await product.waitForResult(poison).finally(() => clearInterval(loseLease));
    expect(data).toMatchObject({ status: 'failed', error_code: 'WORKER_LOST' });
    const { rows } = await product.database.db.query('select attempts from tasks where id = $1', [poison]);
    expect(rows).toEqual([{ attempts: 3 }]);
    expect(await product.waitForResult(good)).toMatchObject({ status: 'done' });
  } finally {
    await worker.stop();
    await product.stop();
  }
});

it('Tasks that run beside one that kills its worker are completed', { timeout: 120_000 }, async () => {
  const product = await startProduct();
  const ids = await Promise.all(Array.from({ length: 4 }, () => product.predict()));
  const poison = await product.predict({ image_url: POISON });
  ids.push(...(await Promise.all(Array.from({ length: 3 }, () => product.predict()))));
  const worker = superviseFragileWorker(product, { CONCURRENCY: '8', RUN_MS: '2000' });
  try {
    expect(await product.waitForResult(poison)).toMatchObject({ status: 'failed', error_code: 'WORKER_LOST' });
    const ended = await Promise.all(ids.map((id) => product.waitForResult(id)));
    expect(ended.map(({ status }) => status)).toEqual(ids.map(() => 'done'));
    const { rows } = await product.database.db.query<{ id: string; attempts: number }>(
      'select id, attempts from tasks',
    );
    const attempts = new Map(rows.map((row) => [row.id, row.attempts]));
    expect(attempts.get(poison)).toBe(3);
    // All eight tasks were lost together only once.
    expect(ids.map((id) => attempts.get(id))).toEqual(ids.map(() => 2));
  } finally {
    await worker.stop();
    await product.stop();
  }
});

const POISON = 'https://storage-1.example.com/poison.jpg';

function superviseFragileWorker(product: Product, extra: Record<string, string> = {}) {
  const over = new AbortController();
  const env = {
    ...process.env,
    DATABASE_URL: product.database.url,
    DATA_DIR: product.context.shared.dataDir,
    LOG_LEVEL: 'silent',
    RESULT: JSON.stringify(RESULT),
    ...extra,
  };
  const spawn = () => fork(fileURLToPath(new URL('../support/processes/fragile-worker.mjs', import.meta.url)), { env });
  const running = supervise({
    processes: [{ name: 'work', spawn }],
    log: createLog('silent', 'test'),
    signal: over.signal,
  });
  return {
    async stop() {
      over.abort();
      await running;
    },
  };
}

const predictMany = async (assay: Assay, picture: string, count: number): Promise<string[]> => {
  const answers = await Promise.all(Array.from({ length: count }, () => predict(assay, picture)));
  return answers.map(({ body }) => body.data.task_id);
};

const TO_BOOLEAN = [() => true, () => false] as const;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** An inserted task is committed when nobody else holds the lock. */
const WAITING_COMMIT = `
  create function wait_for_lock() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
  create trigger waiting_commit after insert on tasks for each statement execute function wait_for_lock();
`;
