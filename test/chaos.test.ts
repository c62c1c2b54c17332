import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../src/base/log.ts';
import { type TestDatabase, testDatabase } from '../src/base/testing/database.ts';
import { supervise } from '../src/roles/supervise.ts';
import { RESULT, startProduct } from './helpers/product.ts';
import { startReceiver } from './helpers/receiver.ts';
import {
  type Assay,
  cleanUp,
  databasePid,
  databaseUrl,
  newPlace,
  type Place,
  signalTo,
  startAssay,
} from './processes/assay.ts';
import { type Audit, openAudit } from './processes/audit.ts';
import {
  faultsOfWebhooks,
  type Kill,
  random,
  unleash,
  untilHolding,
  untilTakenOver,
  VICTIMS,
} from './processes/chaos.ts';
import { finished, predict, uploadPicture } from './processes/client.ts';
import { until } from './processes/until.ts';

// For longer: node scripts/chaos.mjs --seed 7 --tasks 2000 --minutes 5
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);
const TASKS = Number(process.env['CHAOS_TASKS'] ?? 240);
const DURATION_MS = Number(process.env['CHAOS_MINUTES'] ?? 0) * 60_000;

const ENV = {
  DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_TIMEOUT_SECONDS: '1',
  WEBHOOK_RETRY_SCHEDULE: '0,0.1,0.5,1,1,2,2,5,5,5,10,10',
  LOG_LEVEL: 'warn',
};

vi.setConfig({ testTimeout: DURATION_MS * 2 + 150_000 });
afterEach(cleanUp);

it('ends every acknowledged task once, whatever is killed', async () => {
  const place = await newPlace();
  const dice = random(SEED + 1);
  const receiver = await startReceiver(() => (dice() < 0.2 ? 500 : 204));
  const first = startAssay(place, { env: ENV });
  await first.says(/is ready/);
  const audit = await openAudit(await databaseUrl(place));
  try {
    const began = performance.now();
    const given = { place, env: ENV, audit, receiver, tasks: TASKS, seed: SEED, durationMs: DURATION_MS };
    const { kills, acknowledged, answers, assay } = await unleash({ assay: first, ...given });
    const ids = [...acknowledged.values()].map(({ id }) => id);
    const polled = new Map<string, Record<string, unknown>>();
    for (const id of ids) polled.set(id, await finished(assay, id));
    const tookMs = performance.now() - began;
    await until(async () => (await pendingWebhooks(audit)) === 0, 90_000);

    console.table(recoveries(kills));
    console.table(Object.fromEntries(answers));
    const { rows } = await audit.db.query<{ tasks: number; attempts: number }>(
      'select count(*) as tasks, sum(attempts) as attempts from tasks',
    );
    console.log(
      `Seed ${SEED}: ${ids.length} tasks acknowledged, all ended after ${seconds(tookMs)} by ${rows[0]!.attempts} attempts; ` +
        `${receiver.received.length} webhook requests.`,
    );

    // Asked for more than once, written down once, ended once.
    expect(new Set(ids).size).toBe(acknowledged.size);
    expect(rows[0]!.tasks).toBe(acknowledged.size);
    expect([...(await audit.ends(ids))].filter(([, ends]) => ends !== 1)).toEqual([]);
    expect([...polled.values()].filter(({ status }) => status !== 'done')).toEqual([]);

    const told = [...acknowledged.values()]
      .filter(({ webhook }) => webhook)
      .map(({ id }) => [id, polled.get(id)!] as const);
    expect(told.length).toBeGreaterThan(10);
    expect(faultsOfWebhooks(receiver.received, new Map(told))).toEqual([]);

    // Nothing but the one refusal that says "later", and connections that broke.
    const statuses = [...answers.keys()].filter((answer) => /^\d/.test(answer));
    expect(statuses.sort()).toEqual(['202', '503 QUEUE_UNAVAILABLE']);
    for (const { victim, recoveryMs } of kills) if (victim === 'worker') expect(recoveryMs).toBeLessThan(10_000);
  } finally {
    await audit.close();
    await receiver.close();
  }
});

it('answers 503 while its database is down, and goes on by itself when it is back', async () => {
  const place = await newPlace();
  const assay = startAssay(place, { env: ENV });
  await assay.says(/is ready/);
  const picture = await uploadPicture(assay, 1);
  const ids = await predictMany(assay, picture, 40);

  // Nobody starts the database again now.
  assay.kill('SIGSTOP');
  signalTo((await databasePid(place))!, 'SIGKILL');
  const unavailable = { status: 503, body: { error: { code: 'QUEUE_UNAVAILABLE' } } };
  const ready = async () => (await assay.call('/ready')).status === 200;
  await until(async () => !(await ready()));
  expect(await predict(assay, picture)).toMatchObject(unavailable);
  expect(await assay.call(`/result/${ids[0]}`)).toMatchObject(unavailable);
  expect(await assay.call(`/result/${ids[0]}`, { headers: { prefer: 'wait=5' } })).toMatchObject(unavailable);
  expect(await assay.call('/livez')).toMatchObject({ status: 200 });

  const before = await assay.children();
  assay.kill('SIGCONT');
  const back = performance.now();
  await until(ready, 30_000);
  console.log(`The database was started again and everything ready after ${seconds(performance.now() - back)}.`);
  ids.push((await predict(assay, picture)).body.data.task_id);
  for (const id of ids) expect(await finished(assay, id)).toMatchObject({ status: 'done' });
  // Not by being started again.
  expect((await assay.children()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
});

describe('with a database of its own', () => {
  let database: TestDatabase;
  let place: Place;
  let assay: Assay;
  let audit: Audit;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await testDatabase();
    audit = await openAudit(database.url);
    place = await newPlace();
    env = { ...ENV, DATABASE_URL: database.url };
    assay = startAssay(place, { env });
    await assay.says(/is ready/);
  });
  afterEach(async () => {
    await cleanUp();
    await audit.close();
    await database.drop();
  });

  it('answers with the first task when asked again, after the gateway died between commit and answer', async () => {
    const picture = await uploadPicture(assay, 1);
    await database.db.query(SLOW_COMMIT);
    const ask = () => assay.call('/predict', { headers: { 'idempotency-key': 'once' }, body: { image_url: picture } });
    const cutOff = ask().catch((error: Error) => error.name);
    await until(async () => {
      const { rowCount } = await database.db.query(`select from pg_stat_activity where wait_event = 'PgSleep'`);
      return rowCount > 0;
    });
    signalTo(await assay.child('serve'), 'SIGKILL');
    expect(await cutOff).toBe('TypeError');

    await until(() => assay.call('/livez').then(...ANSWERED));
    const second = await ask();
    expect(second).toMatchObject({ status: 202 });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const { rows } = await database.db.query<{ id: string }>('select id from tasks');
    expect(rows).toEqual([{ id: second.body.data.task_id }]);
    expect(await finished(assay, rows[0]!.id)).toMatchObject({ status: 'done' });
  });

  it('does not count what a worker ends that slept through its lease', async () => {
    const other = startAssay(place, { args: ['work', '--service', 'defectoscopy'], env });
    await until(async () => (await assay.call('/ready')).body.data.workers_online === 2);
    const picture = await uploadPicture(assay, 1);
    const ids = await predictMany(assay, picture, 60);
    const sleeper = await assay.child('work');
    const held = await untilHolding(audit, sleeper);
    signalTo(sleeper, 'SIGSTOP');
    const asleep = performance.now();
    await untilTakenOver(audit, held, sleeper);
    const tookMs = performance.now() - asleep;
    console.log(`What a worker held that had stopped was taken over after ${seconds(tookMs)}.`);
    expect(tookMs).toBeLessThan(10_000);

    signalTo(sleeper, 'SIGCONT');
    await until(async () => (await assay.call('/ready')).body.data.workers_online === 2);
    other.kill('SIGTERM');
    await other.ended;
    ids.push(...(await predictMany(assay, picture, 10)));
    for (const id of ids) expect(await finished(assay, id)).toMatchObject({ status: 'done' });
    expect([...(await audit.ends(ids))].filter(([, ends]) => ends !== 1)).toEqual([]);
    expect(await assay.child('work')).toBe(sleeper);
  });
});

it('fails a task as WORKER_LOST that has killed its worker three times, and works on', async () => {
  const product = await startProduct();
  const over = new AbortController();
  const env = {
    ...process.env,
    DATABASE_URL: product.database.url,
    DATA_DIR: product.house.shared.dataDir,
    LOG_LEVEL: 'silent',
    RESULT: JSON.stringify(RESULT),
  };
  const spawn = () => fork(fileURLToPath(new URL('./processes/fragile-worker.mjs', import.meta.url)), { env });
  const running = supervise({
    posts: [{ name: 'work', spawn }],
    log: createLog('silent', 'test'),
    signal: over.signal,
  });
  try {
    const poison = await product.predict({ image_url: 'https://storage-1.example.com/poison.jpg' });
    const good = await product.predict();
    // Three leases would take 20 s to run out.
    const loseLease = setInterval(() => {
      void product.database.db.query('update tasks set leased_until = now() where id = $1 and worker is not null', [
        poison,
      ]);
    }, 100);
    const data = await product.finished(poison).finally(() => clearInterval(loseLease));
    expect(data).toMatchObject({ status: 'failed', error_code: 'WORKER_LOST' });
    const { rows } = await product.database.db.query('select attempts from tasks where id = $1', [poison]);
    expect(rows).toEqual([{ attempts: 3 }]);
    expect(await product.finished(good)).toMatchObject({ status: 'done' });
  } finally {
    over.abort();
    await running;
    await product.stop();
  }
});

function recoveries(kills: readonly Kill[]): object {
  const byVictim = VICTIMS.map((victim) => {
    const times = kills.filter((kill) => kill.victim === victim).map(({ recoveryMs }) => recoveryMs);
    times.sort((a, b) => a - b);
    const median = seconds(times[Math.floor(times.length / 2)]!);
    return [victim, { kills: times.length, 'median recovery': median, longest: seconds(times.at(-1)!) }] as const;
  });
  return Object.fromEntries(byVictim);
}

const predictMany = async (assay: Assay, picture: string, count: number): Promise<string[]> => {
  const answers = await Promise.all(Array.from({ length: count }, () => predict(assay, picture)));
  return answers.map(({ body }) => body.data.task_id);
};

async function pendingWebhooks({ db }: Audit): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*) from deliveries where state = 'pending'`);
  return rows[0]!.count;
}

const ANSWERED = [() => true, () => false] as const;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Makes the statement that accepts a task take a second before it commits. */
const SLOW_COMMIT = `
  create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$;
  create trigger slow after insert on tasks for each statement execute function slow();
`;
