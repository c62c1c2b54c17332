import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGuardedFetch, type GuardedFetch } from '../../src/base/guarded-fetch.ts';
import { attendHouse, deliverNeeds, modelHouse } from '../../src/compose.ts';
import type { Recognizer } from '../../src/ml/speech/recognizer.ts';
import { deliver } from '../../src/roles/deliver.ts';
import { loadModel } from '../../src/services/stt/model.ts';
import { readOwn } from '../../src/services/stt/settings.ts';
import { fakeModel, type Product, startProduct, TOKEN } from '../helpers/product.ts';
import { until } from '../processes/until.ts';
import { type Canaries, startCanaries, watchDials } from './canaries.ts';
import { type NamesServer, startNamesServer } from './names-server.ts';
import { plainForms } from './ssrf-forms.ts';

// The whole product, with every door through which a stranger's address comes in. What its name server says, an attacker
// says.
let product: Product;
let canaries: Canaries;
let names: NamesServer;
let fetch: GuardedFetch;
const stop = new AbortController();
const running: Promise<unknown>[] = [];

const MODERATOR = 'moderator-token-1';
const env = {
  SERVICES: 'defectoscopy,stt,catalog',
  ...{ DEFECTOSCOPY_PORT: '0', STT_PORT: '0', CATALOG_PORT: '0' },
  ...{ STT_API_TOKENS: TOKEN, REPORTS_MODERATOR_TOKENS: MODERATOR },
  ...{ DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0', STT_RATE_LIMIT_PER_MINUTE: '0' },
  ...{ WORKER_MAX_ATTEMPTS: '1', WEBHOOK_RETRY_SCHEDULE: '0' },
};
const deaf: Recognizer = {
  name: 'local',
  model: 'none',
  windowSeconds: 28,
  recognize: async () => [],
  close: async () => {},
};

beforeAll(async () => {
  canaries = await startCanaries();
  names = await startNamesServer((name) => ({
    addresses: name.includes('metadata') ? ['169.254.169.254'] : ['127.0.0.1', '::1'],
  }));
  product = await startProduct({ env, roles: [], model: fakeModel() });
  const { house } = product;
  fetch = createGuardedFetch({ resolve: names.resolve, refusedPorts: ownPorts() });
  const led = { ...house, fetch };
  const shared = house.shared;
  await product.startWorker(
    await loadModel({ house: await modelHouse(led), own: readOwn({}), shared, recognizers: [deaf] }),
    'stt',
  );
  running.push(deliver(await deliverNeeds(led, stop.signal)));
  const catalog = house.services.find(({ name }) => name === 'catalog')!;
  running.push(catalog.attend!(await attendHouse(led), stop.signal));
  return async () => {
    stop.abort();
    await Promise.all(running);
    await product.stop();
    await fetch.close();
    names.close();
    canaries.close();
  };
}, 60_000);
afterAll(() => expect(canaries.heard).toEqual([]));

/** Where this product itself listens, and its database. */
function ownPorts(): number[] {
  const listeners = Object.values(product.addresses).map((url) => Number(new URL(url).port));
  return [...listeners, Number(new URL(product.database.url).port)].filter((port) => port > 0);
}

async function post(service: string, path: string, sent: unknown, token = TOKEN) {
  const answer = await globalThis.fetch(product.addresses[service]! + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(sent),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) };
}
const PICTURE = 'https://storage-1.example.com/a.jpg';

/** The doors: how an address is handed in, and the status of its refusal. */
const DOORS: Readonly<Record<string, (form: string) => ReturnType<typeof post>>> = {
  'image_url of a task': (form) => post('defectoscopy', '/predict', { image_url: form }),
  'webhook_url of a task': (form) => post('defectoscopy', '/predict', { image_url: PICTURE, webhook_url: form }),
  'url of a recording': (form) => post('stt', '/transcribe/audio_url', { url: form }),
  'webhook of a recording': (form) =>
    post('stt', '/transcribe/audio_url', { url: 'https://cdn.example.com/a.mp3', webhook: { url: form } }),
};
/** Written exactly so, a webhook may go to this machine unless that is denied. */
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?#]|$)/;
/**
 * Names whose text says nothing against them; ours for files is none of the network's. The first are names indeed: no
 * system takes Arabic digits for those of an address. The attacker's name server answers for them, in the test below.
 */
const looksPublic = (form: string) => /^https:\/\/([٠-٩]|st[оo]rage|xn--storage|example|files\.assay)/.test(form);

it.each(Object.entries(DOORS))('%s: no form of the table comes in, nor is it told back', async (door, send) => {
  const forms = plainForms(canaries.port).filter(
    (form) => !looksPublic(form) && !(door === 'webhook_url of a task' && LOOPBACK.test(form)),
  );
  const tasks = async () => (await product.database.db.query('select count(*) from tasks')).rows[0];
  const before = await tasks();
  const wrong: string[] = [];
  const tried = forms.map(async (form) => {
    const { status, text } = await send(form);
    const told = form.length > 8 && text.includes(JSON.stringify(form).slice(1, -1));
    if (status !== 422 || told) wrong.push(`${JSON.stringify(form)}: ${status} ${text}`);
  });
  await Promise.all(tried);
  expect(wrong).toEqual([]);
  expect(await tasks()).toEqual(before);
});

it('image_url of an imported record: no form of the table comes in', async () => {
  const forms = plainForms(canaries.port).filter((form) => form !== '' && !looksPublic(form));
  for (let at = 0; at < forms.length; at += 500) {
    const records = forms.slice(at, at + 500).map((image_url, i) => ({ record_id: `r${at + i}`, image_url }));
    const { indexed, failed } = (await post('catalog', '/index', { records }, MODERATOR)).body;
    expect([indexed, failed.length]).toEqual([0, records.length]);
    expect(failed.every((each: any) => each.detail[0].loc.at(-1) === 'image_url')).toBe(true);
  }
});

it('names that lead to this machine or to a metadata service are asked for, and nothing is sent there', async () => {
  const dials = watchDials();
  const hosts = ['rebind.example.com', 'metadata.example.com', 'localtest.example'];
  const before = names.asked.length;
  const recordings = await Promise.all(
    hosts.map(async (host) => (await post('stt', '/transcribe/audio_url', { url: `https://${host}/a.mp3` })).body),
  );
  const hooked = await Promise.all(
    hosts.map((host) => product.predict({ webhook_url: `https://${host}:${canaries.port}/` })),
  );
  const records = hosts.map((host) => ({ record_id: host, title: host, image_url: `https://${host}/a.jpg` }));
  expect((await post('catalog', '/index', { records }, MODERATOR)).body.indexed).toBe(3);

  const { db } = product.database;
  const said = async (sql: string, ids: string[]) =>
    (await db.query<{ said: string }>(sql, [ids])).rows.map((r) => r.said);
  await until(async () => {
    const states = await said('select state as said from deliveries where task_id = any($1)', hooked);
    return states.length === 3 && states.every((state) => state === 'failed');
  });
  const errors = await said('select last_error as said from deliveries where task_id = any($1)', hooked);
  expect(errors).toEqual(Array(3).fill('blocked_address'));
  const ids = recordings.map(({ data }) => data.task_id as string);
  await until(
    async () => (await said("select id as said from tasks where id = any($1) and status = 'failed'", ids)).length === 3,
  );
  await until(async () => (await db.query('select from catalog_pictures where due_at is not null')).rowCount === 0);
  for (const host of hosts) expect(names.asked.slice(before).filter((each) => each === `${host} A`)).toHaveLength(3);
  expect(dials.dialled().filter((each) => !ownPorts().some((port) => each.endsWith(` ${port}`)))).toEqual([]);
  dials.end();
});

it('a webhook to a port of ours is not sent, be it a listener or the database, by whatever name this machine has', async () => {
  const local = ['localhost', '127.0.0.1', '[::1]'];
  const urls = ownPorts().flatMap((port) => local.map((host) => `http://${host}:${port}/predict`));
  const hooked: string[] = [];
  for (const webhook_url of urls) {
    const answer = await post('defectoscopy', '/predict', { image_url: PICTURE, webhook_url });
    // A port that belongs to another protocol is refused by its number already.
    if (answer.status === 202) hooked.push(answer.body.data.task_id);
    else expect(answer.status).toBe(422);
  }
  expect(hooked.length).toBeGreaterThanOrEqual(9);
  const { db } = product.database;
  await until(async () => {
    const { rowCount } = await db.query("select from deliveries where task_id = any($1) and state = 'failed'", [
      hooked,
    ]);
    return rowCount === hooked.length;
  });
  const { rows } = await db.query('select distinct last_error from deliveries where task_id = any($1)', [hooked]);
  expect(rows).toEqual([{ last_error: 'blocked_address' }]);
});
