import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGuardedFetch, type GuardedFetch } from '../../src/base/guarded-fetch.ts';
import type { Recognizer } from '../../src/ml/speech/recognizer.ts';
import { createBackgroundContext, createDeliverDeps, createModelContext } from '../../src/role-contexts.ts';
import { deliver } from '../../src/roles/deliver.ts';
import type { BackgroundService } from '../../src/services/shared/service.ts';
import { loadModel } from '../../src/services/stt/model.ts';
import { loadSettings } from '../../src/services/stt/settings.ts';
import { waitUntil } from '../support/processes/until.ts';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';
import { type Canaries, startCanaries, watchConnections } from './canaries.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import { ssrfUrlsOnDefaultPort } from './ssrf-urls.ts';

// Runs the whole product and sends hostile URLs through every entry point. The attacker controls the DNS server.
let product: Product;
let canaries: Canaries;
let names: DnsServer;
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
const silentRecognizer: Recognizer = {
  name: 'local',
  model: 'none',
  windowSeconds: 28,
  recognize: async () => [],
  close: async () => {},
};

beforeAll(async () => {
  canaries = await startCanaries();
  names = await startDnsServer((name) => ({
    addresses: name.includes('metadata') ? ['169.254.169.254'] : ['127.0.0.1', '::1'],
  }));
  product = await startProduct({ env, roles: [], model: createFakeModel() });
  const { context } = product;
  fetch = createGuardedFetch({ resolve: names.resolve, blockedPorts: ownPorts() });
  const guardedHouse = { ...context, fetch };
  const shared = context.shared;
  await product.startWorker(
    await loadModel({
      context: await createModelContext(guardedHouse),
      serviceSettings: loadSettings({}),
      shared,
      recognizers: [silentRecognizer],
    }),
    'stt',
  );
  running.push(deliver(await createDeliverDeps(guardedHouse, stop.signal)));
  const catalog = context.services.find(({ name }) => name === 'catalog') as BackgroundService;
  running.push(catalog.runBackgroundJob(await createBackgroundContext(guardedHouse), stop.signal));
  return async () => {
    stop.abort();
    await Promise.all(running);
    await product.stop();
    await fetch.close();
    names.close();
    canaries.close();
  };
}, 60_000);
afterAll(() => expect(canaries.connections).toEqual([]));

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

const ENTRY_POINTS: Readonly<Record<string, (form: string) => ReturnType<typeof post>>> = {
  'image_url of a task': (form) => post('defectoscopy', '/predict', { image_url: form }),
  'webhook_url of a task': (form) => post('defectoscopy', '/predict', { image_url: PICTURE, webhook_url: form }),
  'url of a recording': (form) => post('stt', '/transcribe/audio_url', { url: form }),
  'webhook of a recording': (form) =>
    post('stt', '/transcribe/audio_url', { url: 'https://cdn.example.com/a.mp3', webhook: { url: form } }),
};
/** Literal loopback hosts, which webhooks may use by default. */
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?#]|$)/;
/**
 * Host names that pass the syntax check; the test of resolved names below covers them. Arabic digits form a name because
 * no system parses them as an IP address.
 */
const looksPublic = (form: string) => /^https:\/\/([٠-٩]|st[оo]rage|xn--storage|example|files\.assay)/.test(form);

it.each(Object.entries(ENTRY_POINTS))(
  '%s: every URL of the SSRF table is rejected with 422 and not echoed',
  async (entryPoint, send) => {
    const forms = ssrfUrlsOnDefaultPort(canaries.port).filter(
      (form) => !looksPublic(form) && !(entryPoint === 'webhook_url of a task' && LOOPBACK.test(form)),
    );
    const tasks = async () => (await product.database.db.query('select count(*) from tasks')).rows[0];
    const before = await tasks();
    const failures: string[] = [];
    const tried = forms.map(async (form) => {
      const { status, text } = await send(form);
      const isEchoed = form.length > 8 && text.includes(JSON.stringify(form).slice(1, -1));
      if (status !== 422 || isEchoed) failures.push(`${JSON.stringify(form)}: ${status} ${text}`);
    });
    await Promise.all(tried);
    expect(failures).toEqual([]);
    expect(await tasks()).toEqual(before);
  },
);

it('image_url of an imported record: every URL of the SSRF table is rejected', async () => {
  const forms = ssrfUrlsOnDefaultPort(canaries.port).filter((form) => form !== '' && !looksPublic(form));
  for (let at = 0; at < forms.length; at += 500) {
    const records = forms.slice(at, at + 500).map((image_url, i) => ({ record_id: `r${at + i}`, image_url }));
    const { indexed, failed } = (await post('catalog', '/index', { records }, MODERATOR)).body;
    expect([indexed, failed.length]).toEqual([0, records.length]);
    expect(failed.every((each: any) => each.detail[0].loc.at(-1) === 'image_url')).toBe(true);
  }
});

it('Host names that resolve to loopback or a metadata service are looked up and never connected to', async () => {
  const dials = watchConnections();
  const hosts = ['rebind.example.com', 'metadata.example.com', 'localtest.example'];
  const before = names.queries.length;
  const recordings = await Promise.all(
    hosts.map(async (host) => (await post('stt', '/transcribe/audio_url', { url: `https://${host}/a.mp3` })).body),
  );
  const taskIds = await Promise.all(
    hosts.map((host) => product.predict({ webhook_url: `https://${host}:${canaries.port}/` })),
  );
  const records = hosts.map((host) => ({ record_id: host, title: host, image_url: `https://${host}/a.jpg` }));
  expect((await post('catalog', '/index', { records }, MODERATOR)).body.indexed).toBe(3);

  const { db } = product.database;
  const column = async (sql: string, ids: string[]) =>
    (await db.query<{ value: string }>(sql, [ids])).rows.map((r) => r.value);
  await waitUntil(async () => {
    const states = await column('select state as value from deliveries where task_id = any($1)', taskIds);
    return states.length === 3 && states.every((state) => state === 'failed');
  });
  const errors = await column('select last_error as value from deliveries where task_id = any($1)', taskIds);
  expect(errors).toEqual(Array(3).fill('blocked_address'));
  const ids = recordings.map(({ data }) => data.task_id as string);
  await waitUntil(
    async () =>
      (await column("select id as value from tasks where id = any($1) and status = 'failed'", ids)).length === 3,
  );
  await waitUntil(
    async () => (await db.query('select from catalog_picture_jobs where due_at is not null')).rowCount === 0,
  );
  for (const host of hosts) expect(names.queries.slice(before).filter((each) => each === `${host} A`)).toHaveLength(3);
  expect(dials.dialled().filter((each) => !ownPorts().some((port) => each.endsWith(` ${port}`)))).toEqual([]);
  dials.end();
});

it("Webhooks to the product's own ports on any loopback host fail with blocked_address", async () => {
  const local = ['localhost', '127.0.0.1', '[::1]'];
  const urls = ownPorts().flatMap((port) => local.map((host) => `http://${host}:${port}/predict`));
  const taskIds: string[] = [];
  for (const webhook_url of urls) {
    const answer = await post('defectoscopy', '/predict', { image_url: PICTURE, webhook_url });
    // The URL check already rejects ports of other protocols.
    if (answer.status === 202) taskIds.push(answer.body.data.task_id);
    else expect(answer.status).toBe(422);
  }
  expect(taskIds.length).toBeGreaterThanOrEqual(9);
  const { db } = product.database;
  await waitUntil(async () => {
    const { rowCount } = await db.query("select from deliveries where task_id = any($1) and state = 'failed'", [
      taskIds,
    ]);
    return rowCount === taskIds.length;
  });
  const { rows } = await db.query('select distinct last_error from deliveries where task_id = any($1)', [taskIds]);
  expect(rows).toEqual([{ last_error: 'blocked_address' }]);
});
