import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/services/shared/service.ts';
import { type Catalog, startCatalog } from '../support/catalog.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';

const env = { SERVICES: 'defectoscopy,stt', STT_PORT: '0', STT_API_TOKENS: TOKEN };
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 15_000, interval: 50 });

let product: Product;
const start = async (over: Record<string, string> = {}) => {
  product = await startProduct({ env: { ...env, ...over } });
};
afterEach(() => product.stop());

function createHeldModel() {
  const waiting: (() => void)[] = [];
  const run = () => new Promise<Outcome>((resolve) => waiting.push(() => resolve({ result: RESULT })));
  return { model: createFakeModel({ run }), release: () => waiting.splice(0).map((go) => go()) };
}

const snapshot = async (service = 'defectoscopy') =>
  (await fetch(`${product.addresses[service]}/overview.json`)).json() as Promise<any>;
const overviewOf = async (name: string) => (await snapshot()).services.find((seen: any) => seen.service === name);
const latest = (series: number[]) => series.at(-1);
const page = async (service: string, path = '/overview', headers: Record<string, string> = {}) =>
  (await fetch(product.addresses[service] + path, { headers })).text();
const serviceLinks = (html: string) => {
  const [nav = ''] = /<nav class="service-links"[\s\S]*?<\/nav>/.exec(html) ?? [];
  return [...nav.matchAll(/<a href="([^"]*)"(?: aria-current="(\w+)")?>([^<]*)/g)].map(([, href, current, title]) => ({
    title,
    href,
    ...(current && { current }),
  }));
};

describe('Overview', () => {
  beforeEach(() => start());

  it('shows a task as waiting, in progress and done, and no activity of other services', async () => {
    const { model, release } = createHeldModel();
    const id = await product.predict();
    await product.predict({ priority: 'batch' });
    await until(async () => (await overviewOf('defectoscopy')).queue.waiting_now).toEqual({ realtime: 1, batch: 1 });
    await until(async () => latest((await overviewOf('defectoscopy')).queue.waiting)).toBe(2);
    expect(await overviewOf('defectoscopy')).toMatchObject({ worker_state: 'cold', workers: [] });

    await product.startWorker(model);
    await until(async () => latest((await overviewOf('defectoscopy')).queue.processing)).toBe(2);
    const { queue, ...busy } = await overviewOf('defectoscopy');
    expect(busy).toMatchObject({ worker_state: 'warm', workers: [{ state: 'warm', model: '1.0.0' }] });
    expect(latest(queue.waiting)).toBe(0);
    expect(Math.max(...queue.waiting)).toBe(2);

    release();
    await product.waitForResult(id);
    await until(async () => latest((await overviewOf('defectoscopy')).queue.done_last_minute)).toBe(2);
    await until(async () => latest((await overviewOf('defectoscopy')).queue.unfinished)).toBe(0);
    const other = await overviewOf('stt');
    expect(other).toMatchObject({ worker_state: 'cold', workers: [] });
    const series = Object.values<any>(other.queue).filter(Array.isArray);
    expect(series.flat().filter((value) => value !== 0)).toEqual([]);
    expect(series.flat().length).toBeGreaterThan(0);
  });

  it('is the same on every service', async () => {
    await until(async () => (await snapshot()).services[0].queue.waiting.length).toBeGreaterThan(1);
    const [here, there] = await Promise.all([snapshot('defectoscopy'), snapshot('stt')]);
    expect(here.services.map(({ service }: any) => service)).toEqual(['defectoscopy', 'stt']);
    expect(there.services.map(({ service }: any) => service)).toEqual(['defectoscopy', 'stt']);
    expect(here.reachable).toBe(true);
    expect(Date.parse(here.at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('counts cancelled tasks as failed, and keeps its counts when a worker stops', { tags: ['full'] }, async () => {
    const stop = await product.startWorker(createFakeModel());
    await product.waitForResult(await product.predict());
    await until(async () => latest((await overviewOf('defectoscopy')).queue.done_last_minute)).toBe(1);
    await stop();
    const id = await product.predict();
    expect((await product.call(`/result/${id}/cancel`, { method: 'POST' })).status).toBe(200);
    await until(async () => latest((await overviewOf('defectoscopy')).queue.failed_last_minute)).toBe(1);
    expect(latest((await overviewOf('defectoscopy')).queue.done_last_minute)).toBe(1);
  });

  it('shows the shares of clients in the tasks that ended, without their names, and of tasks within their estimate', {
    tags: ['full'],
  }, async () => {
    await product.stop();
    await start({ DEFECTOSCOPY_API_TOKENS: `${TOKEN},other-token-2` });
    await product.startWorker(createFakeModel());
    const ids = [await product.predict(), await product.predict(), await product.predict()];
    const body = { image_url: 'https://storage-1.example.com/photo.jpg' };
    const other = await product.call('/predict', { method: 'POST', body, token: 'other-token-2' });
    for (const id of [...ids, other.body.data.task_id]) await product.waitForResult(id);
    await until(async () => (await overviewOf('defectoscopy')).queue.client_shares).toEqual([0.75, 0.25]);
    expect(await page('defectoscopy')).toContain('shares of clients: 75%, 25%');
    await until(async () => (await overviewOf('defectoscopy')).queue.estimates_met).toBe(1);
    expect(await page('defectoscopy')).toContain('within the estimated time: 100%');
    expect(JSON.stringify(await snapshot())).not.toContain('token-');
  });

  it('reveals no tasks, clients, tokens or hosts', async () => {
    const info = {
      model_version: '1.0.0',
      host: 'secret-host',
      pid: 424_242_424,
      classes: { defects: ['secret-class'] },
    };
    const beat = { id: 'secret-worker', role: 'work', service: 'defectoscopy', state: 'warm' as const };
    await product.context.workers.recordHeartbeat({ ...beat, info, metrics: [] });
    const id = await product.predict({ image_url: 'https://storage-1.example.com/secret-photo.jpg' });
    await until(async () => (await overviewOf('defectoscopy')).workers.length).toBe(1);
    await until(async () => latest((await overviewOf('defectoscopy')).queue.waiting)).toBe(1);
    const output = JSON.stringify(await snapshot()) + (await page('defectoscopy')) + (await page('stt'));
    for (const secret of [id, TOKEN, 'secret', '424242424', 'storage-1']) expect(output).not.toContain(secret);
    expect(output).toContain('1.0.0');
  });

  it('shows the model of a worker and its GPU memory', async () => {
    const gpu = { name: 'H200', vram_used_mb: 2048, vram_total_mb: 8192 };
    await product.context.workers.recordHeartbeat({
      ...{ id: 'w', role: 'work', service: 'stt', state: 'warm' },
      info: { model: 'whisper', gpu, running: 1 },
      metrics: [],
    });
    await until(async () => (await overviewOf('stt')).workers).toEqual([
      { state: 'warm', model: 'whisper', running: 1, gpu: { name: 'H200', used_mb: 2048, total_mb: 8192 } },
    ]);
    expect(await page('stt')).toContain('ready, whisper, 1 in progress, H200, 2 of 8 GB');
  });

  it("is in the user's language, has text alternatives for charts, and works without JavaScript", async () => {
    await until(async () => (await snapshot()).at).not.toBeNull();
    const english = await page('defectoscopy');
    expect(english).toMatch(/role="img" aria-label="Queued: 0 now, maximum 0"/);
    expect(english).toContain('<noscript><a href="overview">');
    const russian = await page('defectoscopy', '/overview', { 'accept-language': 'ru' });
    expect(russian).toContain('<html lang="ru">');
    expect(serviceLinks(russian).map(({ title }) => title)).toEqual(['Дефектоскопия', 'Распознавание речи', 'Обзор']);
  });

  it('is absent from the API reference', async () => {
    const { paths } = (await product.call('/openapi.json')).body;
    expect(Object.keys(paths).filter((path) => path.includes('overview'))).toEqual([]);
  });
});

describe('Overview on the catalog', () => {
  let catalog: Catalog;
  beforeEach(async () => {
    await start();
    catalog = await startCatalog();
  });
  afterEach(() => catalog.stop());

  it('shows the number of searchable records and their lag', { tags: ['full'] }, async () => {
    const text = 'crack in the third beam';
    await catalog.seed([{ recordId: 'bridge-7', title: 'Bridge 7', text }]);
    const records = async () => {
      const { services } = (await (await fetch(`${catalog.url}/overview.json`)).json()) as any;
      const { queue, documents = [], lag_seconds: lag = [] } = services.find((it: any) => it.service === 'catalog');
      return [queue, latest(documents), latest(lag)];
    };
    await until(records).toEqual([undefined, 1, 0]);
    const html = await (await fetch(`${catalog.url}/overview`)).text();
    expect(html).toContain('Searchable records: 1 now');
    expect(serviceLinks(html).map(({ title }) => title)).toEqual([
      ...['Defectoscopy', 'Speech to text', 'Passports', 'Catalog', 'Overview'],
    ]);
  });
});

describe('Service navigation', () => {
  it('links to the port of each service and marks the current page', async () => {
    await start();
    const { defectoscopy, stt } = product.addresses;
    expect(serviceLinks(await page('defectoscopy', '/'))).toEqual([
      { title: 'Defectoscopy', href: './', current: 'true' },
      { title: 'Speech to text', href: `${stt}/` },
      { title: 'Overview', href: 'overview' },
    ]);
    expect(serviceLinks(await page('stt'))).toEqual([
      { title: 'Defectoscopy', href: `${defectoscopy}/` },
      { title: 'Speech to text', href: './' },
      { title: 'Overview', href: 'overview', current: 'page' },
    ]);
  });

  it('links to the public URL if configured, and otherwise keeps the host of the request', {
    tags: ['full'],
  }, async () => {
    await start({ DEFECTOSCOPY_PUBLIC_URL: 'https://assay.example.com/photos', STT_PUBLIC_URL: '' });
    expect(serviceLinks(await page('stt'))[0]!.href).toBe('https://assay.example.com/photos/');
    const { port } = new URL(product.addresses['stt']!);
    const url = product.addresses['defectoscopy']!.replace('127.0.0.1', 'localhost');
    const html = await (await fetch(`${url}/`)).text();
    expect(serviceLinks(html)[1]!.href).toBe(`http://localhost:${port}/`);
  });

  it('includes services of other processes and omits those that SERVICES leaves out', { tags: ['full'] }, async () => {
    await start({ SERVICES: 'defectoscopy,passports', PASSPORTS_PORT: '18003' });
    const names = serviceLinks(await page('defectoscopy')).map(({ title }) => title);
    expect(names).toEqual(['Defectoscopy', 'Passports', 'Overview']);
  });
});

describe('Overview with METRICS_TOKEN', () => {
  it('shows only the data of /ready and /health', async () => {
    await start({ METRICS_TOKEN: 'for-metrics' });
    await product.predict();
    await until(async () => latest((await overviewOf('defectoscopy')).queue.unfinished)).toBe(1);
    const seen = await snapshot();
    expect(Object.keys(seen.services[0].queue)).toEqual(['unfinished']);
    expect(seen).not.toHaveProperty('webhooks');
    const html = await page('defectoscopy');
    expect(html).toContain('METRICS_TOKEN is set');
    expect(html).toContain('Unfinished: 1 now');
    expect(html).not.toContain('Webhooks');
  });
});
