import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { principalOf } from '../../src/http/token-store.ts';
import { type Passports, startPassports } from '../support/passports.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';

const IMAGE = 'https://storage-1.example.com/photo.jpg';

const predict = (product: Product, headers: Record<string, string> = {}, body: object = {}) =>
  product.call('/predict', { method: 'POST', body: { image_url: IMAGE, ...body }, headers });

/** Queues tasks of the client with the test token, behind which its next task waits. */
async function queueTasks(
  product: Product,
  service: string,
  many: number,
  priority: 'realtime' | 'batch' = 'realtime',
): Promise<void> {
  const principal = principalOf(hash('sha256', TOKEN, 'hex'));
  const task = { service, principal, priority, input: { image_url: IMAGE } } as const;
  const { tasks, shared } = product.context;
  const { taskDeadlineSeconds: deadlineSeconds, resultTtlSeconds: ttlSeconds } = shared;
  const write = () => tasks.accept({ ...task, id: newId(), estimateSeconds: 1, deadlineSeconds, ttlSeconds });
  await Promise.all(Array.from({ length: many }, write));
}

const waiting = async ({ database }: Product | Passports) =>
  (
    await database.db.query<{ n: number }>(
      'select count(*)::int as n from tasks where worker is null and finished_at is null',
    )
  ).rows[0]!.n;

/** Waits until the gateway has counted exactly the tasks that wait now; requests in progress stay counted until then. */
const waitForCount = async (product: Product | Passports, service = 'defectoscopy') => {
  const counted = () => {
    const { realtime, batch } = product.gateway.workerRegistry.waitingTasks(service);
    return realtime + batch;
  };
  await expect.poll(async () => counted() - (await waiting(product)), { timeout: 30_000 }).toBe(0);
};

describe('CLIENT_MAX_WAITING', () => {
  it('rejects tasks of the client with 429 and Retry-After, and accepts those of others and replays', async () => {
    const env = {
      DEFECTOSCOPY_API_TOKENS: 'test-token-1,test-token-2',
      DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
      CLIENT_MAX_WAITING: '5',
    };
    const product = await startProduct({ env });
    onTestFinished(() => product.stop());
    const first = await predict(product, { 'idempotency-key': 'one' });
    expect(first.status).toBe(202);
    // A task accepted during a count is counted twice until the next one, so the last places may take several attempts.
    while ((await waiting(product)) < 5) await predict(product);
    await expect.poll(async () => (await predict(product)).status).toBe(429);
    expect(await waiting(product)).toBe(5);
    const rejected = await predict(product);
    expect(rejected).toMatchObject({ status: 429, body: { ok: false, error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    expect(rejected.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await product.call('/metrics')).text).toMatch(
      /assay_client_queue_full_total\{service="defectoscopy"\} [1-9]/,
    );
    expect((await predict(product, { 'idempotency-key': 'one' })).status).toBe(202);
    const others = { method: 'POST', body: { image_url: IMAGE }, token: 'test-token-2' };
    expect((await product.call('/predict', others)).status).toBe(202);

    await product.startWorker(createFakeModel());
    await expect.poll(async () => (await predict(product)).status, { timeout: 15_000 }).toBe(202);
  });
});

describe('A service queue at its limit', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ env: { DEFECTOSCOPY_MAX_WAITING: '20', DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  });
  afterAll(() => product.stop());

  it('rejects the next task with 503 and Retry-After, and accepts tasks again after a worker has completed some', async () => {
    // Requests in progress stay counted until the next count, so the last places may take another round.
    let refusals = 0;
    while ((await waiting(product)) < 20) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => predict(product)));
      const accepted = answers.filter(({ status }) => status === 202).length;
      refusals += 100 - accepted;
      expect(accepted).toBeGreaterThan(0);
      await waitForCount(product);
    }
    expect(await waiting(product)).toBe(20);

    const rejected = await predict(product);
    expect(rejected).toMatchObject({ status: 503, body: { ok: false, error: { code: 'QUEUE_UNAVAILABLE' } } });
    expect(rejected.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const metrics = (await product.call('/metrics')).text;
    expect(metrics).toContain(`assay_queue_full_total{service="defectoscopy"} ${refusals + 1}`);
    // The gateway stays ready: the queue is available for all other requests.
    expect(await product.call('/ready')).toMatchObject({ status: 200, body: { data: { queue_depth: 20 } } });

    const stopWorker = await product.startWorker(createFakeModel());
    while ((await waiting(product)) > 0) await delay(20);
    await waitForCount(product);
    expect((await predict(product)).status).toBe(202);
    await stopWorker();
  });

  it('replays a request that was accepted before, and records nothing for a new key', async () => {
    const first = await predict(product, { 'idempotency-key': 'one' });
    expect(first.status).toBe(202);
    await queueTasks(product, 'defectoscopy', 20);
    await waitForCount(product);
    const full = await waiting(product);

    const again = await predict(product, { 'idempotency-key': 'one' });
    expect(again).toMatchObject({ status: 202, body: { data: { task_id: first.body.data.task_id } } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await predict(product, { 'idempotency-key': 'one' }, { priority: 'batch' });
    expect(other).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } });
    expect((await predict(product, { 'idempotency-key': 'two' })).status).toBe(503);
    expect(await waiting(product)).toBe(full);

    await product.database.db.query('delete from tasks');
    await waitForCount(product);
    const later = await predict(product, { 'idempotency-key': 'two' });
    expect(later.status).toBe(202);
    expect(later.headers.get('idempotency-replayed')).toBeNull();
  });

  it('has room for another task after many repetitions of one request', async () => {
    await product.database.db.query('delete from tasks');
    await waitForCount(product);
    await predict(product, { 'idempotency-key': 'often' });
    const again = await Promise.all(
      Array.from({ length: 100 }, () => predict(product, { 'idempotency-key': 'often' })),
    );
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([202]));
    expect((await predict(product)).status).toBe(202);
  });
});

it('Two gateways exceed the queue limit at most by the tasks that the other one accepts between two counts', async () => {
  const env = { DEFECTOSCOPY_MAX_WAITING: '50', DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' };
  const first = await startProduct({ env });
  const second = await startProduct({ env: { ...env, DATABASE_URL: first.database.url } });
  onTestFinished(async () => {
    await second.stop();
    await first.stop();
  });
  await Promise.all([first, second].flatMap((product) => Array.from({ length: 100 }, () => predict(product))));
  expect(await waiting(first)).toBeGreaterThanOrEqual(50);
  expect(await waiting(first)).toBeLessThanOrEqual(100);
  await waitForCount(first);
  await waitForCount({ ...second, database: first.database });
  expect([(await predict(first)).status, (await predict(second)).status]).toEqual([503, 503]);
});

it('The queue is unlimited when the limit is 0', async () => {
  const product = await startProduct({ env: { DEFECTOSCOPY_MAX_WAITING: '0' } });
  onTestFinished(() => product.stop());
  await queueTasks(product, 'defectoscopy', 300);
  await waitForCount(product);
  expect((await predict(product)).status).toBe(202);
});

it('A queue of more than 10 000 tasks is counted up to its limit', async () => {
  const product = await startProduct({ env: { DEFECTOSCOPY_MAX_WAITING: '10500' } });
  onTestFinished(() => product.stop());
  const insert = (many: number) =>
    product.database.db.query(
      `insert into tasks (id, service, principal, input, estimate_seconds)
       select 'task-' || $1 || '-' || n, 'defectoscopy', 'p', '{}', 90 from generate_series(1, $1::int) n`,
      [many],
    );
  await insert(10_499);
  await expect.poll(() => reportedQueueDepth(product), { timeout: 10_000 }).toBe(10_499);
  expect((await predict(product)).status).toBe(202);
  await expect.poll(async () => (await predict(product)).status, { timeout: 10_000 }).toBe(503);
});

const reportedQueueDepth = async (product: Product) => (await product.call('/ready')).body.data.queue_depth;

it('Speech to text rejects tasks above the queue limit', async () => {
  const product = await startProduct({ service: 'stt', env: { STT_MAX_WAITING: '2' } });
  onTestFinished(() => product.stop());
  const post = () =>
    product.call('/transcribe/audio_url', { method: 'POST', body: { url: 'https://storage.example.com/17.mp3' } });
  const answers = await Promise.all([post(), post(), post()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 503]);
  const rejected = answers.find(({ status }) => status === 503)!;
  expect(rejected.body.error.code).toBe('QUEUE_UNAVAILABLE');
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('Passports with a full queue', () => {
  let passports: Passports;
  beforeAll(async () => {
    passports = await startPassports({ PASSPORTS_MAX_WAITING: '2' });
  });
  afterAll(() => passports.stop());
  const pdf = (text: string) => ({ name: `${text}.pdf`, bytes: `%PDF-1.7 ${text}` });
  const upload = async (text: string, headers: Record<string, string> = {}) =>
    (await passports.signIn()).post('/upload', {
      files: [pdf(text)],
      headers: { accept: 'application/json', ...headers },
    });

  it('rejects documents without leaving files, except repetitions and known content', async () => {
    const known = await (await passports.signIn()).upload(pdf('known'));
    await passports.succeed(known[0]!);
    await waitForCount(passports, 'passports');
    const first = await upload('first', { 'idempotency-key': 'k' });
    expect(first.status).toBe(202);
    // A count can contain the first task before the gateway has recorded its commit.
    await expect.poll(async () => (await upload('second')).status, { timeout: 15_000 }).toBe(202);
    await waitForCount(passports, 'passports');

    const stored = await passports.database.db.query('select key from passport_files');
    const rejected = await upload('third');
    expect(rejected).toMatchObject({ status: 503, body: { error: { code: 'QUEUE_UNAVAILABLE' } } });
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await waiting(passports)).toBe(2);
    expect((await passports.database.db.query('select key from passport_files')).rows).toEqual(stored.rows);

    expect((await upload('first', { 'idempotency-key': 'k' })).body).toEqual(first.body);
    expect(await upload('known')).toMatchObject({
      status: 200,
      body: { items: [{ status: 'SUCCESS', cached: true }] },
    });

    await passports.succeed(first.body.items[0].id);
    await waitForCount(passports, 'passports');
    expect((await upload('third')).status).toBe(202);
  });
});

describe('estimated_wait_seconds', () => {
  const PER_SECOND = 80;
  const model = () => createPausableModel().model;
  /** While it is paused, its tasks stay in progress and the queue does not change. */
  const createPausableModel = () => {
    let paused = Promise.resolve();
    let resume = () => {};
    return {
      model: createFakeModel({
        concurrency: 4,
        async run() {
          await delay(50);
          await paused;
          return { result: RESULT };
        },
      }),
      pause() {
        paused = new Promise((resolve) => {
          resume = resolve;
        });
      },
      resume: () => resume(),
    };
  };

  // Other work on the machine may change the rate between the estimate and the end: three tries.
  it('is accurate with 1 000 waiting tasks, and equals the configured value on an idle system', {
    retry: 2,
  }, async () => {
    const product = await startProduct({ env: { DEFECTOSCOPY_ESTIMATE_WARM: '2' }, model: model() });
    onTestFinished(() => product.stop());
    expect((await predict(product)).body.data.estimated_wait_seconds).toBe(2);

    await queueTasks(product, 'defectoscopy', 1500);
    while ((await waiting(product)) > 1000) await delay(20);
    await delay(1000);
    const ahead = await waiting(product);
    const begun = performance.now();
    const { task_id: id, estimated_wait_seconds: estimate } = (await predict(product)).body.data;
    await product.waitForResult(id);
    const seconds = (performance.now() - begun) / 1000;
    expect(seconds).toBeGreaterThan(0.7 * (ahead / PER_SECOND));
    expect(estimate, `it took ${seconds} s`).toBeGreaterThan(0.7 * seconds - 1);
    expect(estimate, `it took ${seconds} s`).toBeLessThan(2 * seconds + 1);

    await waitForCount(product);
    expect((await predict(product)).body.data.estimated_wait_seconds).toBe(2);
  });

  it('respects priorities: batch tasks wait for realtime tasks, and not vice versa', async () => {
    const limit = 600;
    const worker = createPausableModel();
    const product = await startProduct({
      env: { DEFECTOSCOPY_ESTIMATE_WARM: '1', DEFECTOSCOPY_MAX_WAITING: String(limit) },
      model: worker.model,
    });
    onTestFinished(async () => {
      worker.resume();
      await product.stop();
    });
    const { workerRegistry } = product.gateway;
    const fillUpTo = async (count: number, priority: 'realtime' | 'batch') =>
      queueTasks(product, 'defectoscopy', Math.max(0, count - (await waiting(product))), priority);
    // The rate is measured while tasks wait.
    while (workerRegistry.completionsPerSecond('defectoscopy') === undefined) {
      await fillUpTo(400, 'batch');
      await delay(20);
    }
    worker.pause();
    await fillUpTo(400, 'batch');
    await waitForCount(product);
    const realtime = await predict(product);
    const queued = await predict(product, {}, { priority: 'batch' });
    expect(realtime.body.data.estimated_wait_seconds).toBe(1);
    expect(queued.body.data.estimated_wait_seconds).toBeGreaterThan(2);

    // At this throughput, the first place becomes free within a second.
    await fillUpTo(limit + 50, 'realtime');
    await waitForCount(product);
    const rejected = await predict(product);
    expect(rejected.status).toBe(503);
    expect(Number(rejected.headers.get('retry-after'))).toBeLessThan(10);
  });

  it('is the configured value at any queue length with ESTIMATE_MODE=fixed', async () => {
    const product = await startProduct({
      env: { ESTIMATE_MODE: 'fixed', DEFECTOSCOPY_ESTIMATE_WARM: '2' },
      model: model(),
    });
    onTestFinished(() => product.stop());
    await queueTasks(product, 'defectoscopy', 800);
    while ((await waiting(product)) > 400) await delay(20);
    expect((await predict(product)).body.data.estimated_wait_seconds).toBe(2);
  });
});
