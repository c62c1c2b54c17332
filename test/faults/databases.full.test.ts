import { afterEach, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { sleep } from '../../src/base/loop.ts';
import { createPostgresTaskStore } from '../../src/tasks/postgres.ts';
import { FAILURES } from '../../src/tasks/task.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '../support/database.ts';
import {
  cleanUp,
  createInstancePlace,
  freePort,
  type Assay as Process,
  signalTo,
  startAssay,
} from '../support/processes/assay.ts';
import { TOKEN } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';

const SOURCES = ['defectoscopy', 'stt', 'passports'] as const;
type Source = (typeof SOURCES)[number];
const SERVICES = [...SOURCES, 'catalog'] as const;
const KILLS = 9;
const KILL_INTERVAL_MS = 1500;
const WAIT_MS = 180_000;
const MODERATOR = 'moderator-token-1';

afterEach(cleanUp);

it('Four databases under kill -9: each ended task becomes one record, and an unavailable database stops no other service', {
  timeout: 600_000,
}, async () => {
  const databases = Object.fromEntries(
    await Promise.all(SERVICES.map(async (service) => [service, await testDatabase()] as const)),
  ) as Record<(typeof SERVICES)[number], TestDatabase>;
  const place = await createInstancePlace();
  const ports = Object.fromEntries(
    await Promise.all(
      SERVICES.map(async (service) => [service, service === 'defectoscopy' ? place.port : await freePort()] as const),
    ),
  );
  const env = {
    ...{ SERVICES: '', APP_ENV: 'test', HOST: '127.0.0.1', LOG_LEVEL: 'warn', FILES_HOST: 'files.assay.internal' },
    ...{ STT_API_TOKENS: TOKEN, PASSPORTS_API_KEYS: 'admin:admin-key-1234567890', REPORTS_API_TOKENS: TOKEN },
    ...{ REPORTS_MODERATOR_TOKENS: MODERATOR, CATALOG_SOURCES: SOURCES.join(','), DEFECTOSCOPY_AUTH: undefined },
    ...Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_PORT`, `${ports[name]}`])),
    ...Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, databases[name].url])),
  };
  const roles = [['serve'], ['work', '--service', 'catalog'], ['deliver', '--sweep']];
  const running: Process[] = [];
  const start = (index: number) => {
    running[index] = startAssay(place, { args: roles[index]!, env });
  };
  const status = (service: string, path: string, token = TOKEN) =>
    fetch(`http://127.0.0.1:${ports[service]}${path}`, { headers: { authorization: `Bearer ${token}` } }).then(
      (response) => response.status,
      () => 0,
    );
  for (let index = 0; index < roles.length; index++) start(index);
  await waitUntil(async () => (await status('catalog', '/livez')) === 200, WAIT_MS);
  await waitUntil(async () => (await countRows(databases.passports, 'catalog_sources')) === 1, WAIT_MS);

  const stores = SOURCES.map((source) => createPostgresTaskStore(databases[source].db));
  const stop = new AbortController();
  const writing = SOURCES.map((source, index) => endTasks(source, databases[source], stores[index]!, stop.signal));
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(KILL_INTERVAL_MS);
    const index = kill % roles.length;
    signalTo(running[index]!.pid, 'SIGKILL');
    await running[index]!.ended;
    start(index);
  }
  stop.abort();
  const ended = await Promise.all(writing);
  const expected = SOURCES.flatMap((source, index) => ended[index]!.map((id) => `${source}:${id}`));
  const recordIds = async () =>
    (
      await databases.catalog.db.query<{ id: string }>('select record_id as id from catalog_records order by record_id')
    ).rows.map(({ id }) => id);
  await waitUntil(async () => (await recordIds()).length >= expected.length, WAIT_MS);
  expect(await recordIds()).toEqual(expected.sort());
  for (const source of SOURCES) {
    await waitUntil(async () => (await countRows(databases[source], 'catalog_feed')) === 0, WAIT_MS);
    expect(await countRows(databases[source], 'catalog_records')).toBe(0);
  }
  console.log(`${expected.length} records from three databases; processes were killed ${KILLS} times.`);

  // A server that is gone: new connections are rejected, and the existing ones end.
  const { db } = databases.catalog;
  const name = new URL(databases.stt.url).pathname.slice(1);
  await db.query(`alter database ${name} allow_connections false`);
  await db.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await waitUntil(async () => (await status('stt', '/ready')) === 503, WAIT_MS);
  const more = new AbortController();
  const photos = endTasks('defectoscopy', databases.defectoscopy, stores[0]!, more.signal);
  await sleep(1000);
  more.abort();
  const later = (await photos).map((id) => `defectoscopy:${id}`);
  await waitUntil(async () => (await recordIds()).length >= expected.length + later.length, WAIT_MS);
  expect(await recordIds()).toEqual([...expected, ...later].sort());
  for (const service of ['defectoscopy', 'passports', 'catalog'])
    await waitUntil(async () => (await status(service, '/ready')) === 200, WAIT_MS);
  expect(await status('catalog', '/search?q=a')).toBe(200);
  expect(await status('catalog', '/health')).toBe(200);

  await db.query(`alter database ${name} allow_connections true`);
  await waitUntil(async () => (await status('stt', '/ready')) === 200, WAIT_MS);
  const recovered = new AbortController();
  const recordings = endTasks('stt', databases.stt, stores[1]!, recovered.signal);
  await sleep(1000);
  recovered.abort();
  const last = (await recordings).map((id) => `stt:${id}`);
  await waitUntil(async () => (await recordIds()).length >= expected.length + later.length + last.length, WAIT_MS);
  expect(await recordIds()).toEqual([...expected, ...later, ...last].sort());

  for (const store of stores) store.close();
  await cleanUp();
  for (const database of Object.values(databases)) await database.drop();
});

it('assay start migrates every database and serves while another one is unavailable', {
  timeout: 300_000,
}, async () => {
  const [photos, speech] = await Promise.all([emptyDatabase(), emptyDatabase()]);
  const place = await createInstancePlace();
  const [sttPort, catalogPort] = [await freePort(), await freePort()];
  const nowhere = new URL(photos.url);
  nowhere.port = String(await freePort());
  const product = startAssay(place, {
    env: {
      ...{ SERVICES: 'defectoscopy,stt,catalog', APP_ENV: 'test', HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
      ...{ WORKERS: 'on-demand', STT_API_TOKENS: TOKEN, REPORTS_API_TOKENS: TOKEN, CATALOG_SOURCES: 'defectoscopy' },
      ...{ STT_PORT: `${sttPort}`, CATALOG_PORT: `${catalogPort}` },
      ...{ DATABASE_URL: photos.url, STT_DATABASE_URL: speech.url, CATALOG_DATABASE_URL: nowhere.href },
    },
  });
  const isReady = async (port: number) =>
    (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status === 200;
  await waitUntil(async () => (await isReady(place.port)) && (await isReady(sttPort)), WAIT_MS);
  expect(await isReady(catalogPort)).toBe(false);
  product.kill('SIGTERM');
  expect((await product.ended).code).toBe(0);
  await cleanUp();
  await Promise.all([photos.drop(), speech.drop()]);
});

const countRows = async ({ db }: TestDatabase, table: string) => (await db.query(`select from ${table}`)).rowCount;

const INPUTS: Readonly<Record<Source, Record<string, string>>> = {
  defectoscopy: { image_url: 'https://storage.example.com/a.jpg' },
  stt: { url: 'https://storage.example.com/a.wav' },
  passports: {},
};

/** Ends tasks in small batches until `signal` aborts, like a worker whose attempts fail; returns the ids. */
async function endTasks(
  service: Source,
  { db }: TestDatabase,
  tasks: ReturnType<typeof createPostgresTaskStore>,
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  const want = { service, worker: 'writer', leaseMs: 60_000 };
  while (!signal.aborted) {
    for (let i = 0; i < 5; i++) {
      const id = newId();
      const task = { id, service, principal: 'client', priority: 'realtime', input: INPUTS[service] } as const;
      await tasks.accept({ ...task, estimateSeconds: 1, deadlineSeconds: 3600, ttlSeconds: 86_400 });
      if (service === 'passports') {
        await db.query(
          `insert into passport_documents (id, session, filename, cached, cache_key, file_key, size_bytes)
           values ($1, 'session', 'a.pdf', false, $1, $1, 1)`,
          [id],
        );
      }
    }
    const { claimed } = await tasks.completeAndClaim([], { ...want, limit: 5 });
    const endings = claimed.map(({ id, attempt }) => ({
      ...{ id, attempt, outcome: 'failed' as const, failure: FAILURES.WORKER_LOST, processingMs: 1 },
    }));
    const { ended } = await tasks.completeAndClaim(endings, { ...want, limit: 0 });
    ids.push(...ended);
    tasks.hint('finished', ended);
    await sleep(100, signal);
  }
  return ids;
}
