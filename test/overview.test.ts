import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../src/services/service.ts';
import { type Catalog, startCatalog } from './helpers/catalog.ts';
import { fakeModel, type Product, RESULT, startProduct, TOKEN } from './helpers/product.ts';

const env = { SERVICES: 'defectoscopy,stt', STT_PORT: '0', STT_API_TOKENS: TOKEN };
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 15_000, interval: 50 });

let product: Product;
const start = async (over: Record<string, string> = {}) => {
  product = await startProduct({ env: { ...env, ...over } });
};
afterEach(() => product.stop());

/** A model whose tasks wait until they are let go. */
function held() {
  const waiting: (() => void)[] = [];
  const run = () => new Promise<Outcome>((resolve) => waiting.push(() => resolve({ result: RESULT })));
  return { model: fakeModel({ run }), release: () => waiting.splice(0).map((go) => go()) };
}

const snapshot = async (service = 'defectoscopy') =>
  (await fetch(`${product.addresses[service]}/overview.json`)).json() as Promise<any>;
const of = async (name: string) => (await snapshot()).services.find((seen: any) => seen.service === name);
const now = (series: number[]) => series.at(-1);
const page = async (service: string, path = '/overview', headers: Record<string, string> = {}) =>
  (await fetch(product.addresses[service] + path, { headers })).text();
/** The links between the services, as `name href current`. */
const places = (html: string) => {
  const [nav = ''] = /<nav class="places"[\s\S]*?<\/nav>/.exec(html) ?? [];
  return [...nav.matchAll(/<a href="([^"]*)"(?: aria-current="(\w+)")?>([^<]*)/g)].map(([, href, current, title]) => ({
    title,
    href,
    ...(current && { current }),
  }));
};

describe('the overview', () => {
  beforeEach(() => start());

  it('shows a task wait, be worked on and be done, and no other service move', async () => {
    const { model, release } = held();
    const id = await product.predict();
    await product.predict({ priority: 'batch' });
    await until(async () => (await of('defectoscopy')).queue.waiting_now).toEqual({ realtime: 1, batch: 1 });
    await until(async () => now((await of('defectoscopy')).queue.waiting)).toBe(2);
    expect(await of('defectoscopy')).toMatchObject({ worker_state: 'cold', workers: [] });

    await product.startWorker(model);
    await until(async () => now((await of('defectoscopy')).queue.processing)).toBe(2);
    const { queue, ...busy } = await of('defectoscopy');
    expect(busy).toMatchObject({ worker_state: 'warm', workers: [{ state: 'warm', model: '1.0.0' }] });
    expect(now(queue.waiting)).toBe(0);
    // What was, is still to be seen.
    expect(Math.max(...queue.waiting)).toBe(2);

    release();
    await product.finished(id);
    await until(async () => now((await of('defectoscopy')).queue.done_last_minute)).toBe(2);
    await until(async () => now((await of('defectoscopy')).queue.unfinished)).toBe(0);
    const other = await of('stt');
    expect(other).toMatchObject({ worker_state: 'cold', workers: [] });
    for (const series of Object.values<any>(other.queue).filter(Array.isArray)) expect(Math.max(...series)).toBe(0);
  });

  it('is the same at every listener', async () => {
    await until(async () => (await snapshot()).services[0].queue.waiting.length).toBeGreaterThan(1);
    const [here, there] = await Promise.all([snapshot('defectoscopy'), snapshot('stt')]);
    expect(here.services.map(({ service }: any) => service)).toEqual(['defectoscopy', 'stt']);
    expect(there.services.map(({ service }: any) => service)).toEqual(['defectoscopy', 'stt']);
    expect(here.reachable).toBe(true);
    expect(Date.parse(here.at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('counts what a client has cancelled as failed, and a worker that ends takes nothing back', async () => {
    const stop = await product.startWorker(fakeModel());
    await product.finished(await product.predict());
    await until(async () => now((await of('defectoscopy')).queue.done_last_minute)).toBe(1);
    await stop();
    const id = await product.predict();
    expect((await product.call(`/result/${id}/cancel`, { method: 'POST' })).status).toBe(200);
    await until(async () => now((await of('defectoscopy')).queue.failed_last_minute)).toBe(1);
    expect(now((await of('defectoscopy')).queue.done_last_minute)).toBe(1);
  });

  it('tells nothing of tasks, clients, tokens or machines', async () => {
    const info = { model_version: '1.0.0', host: 'secret-host', pid: 4242, classes: { defects: ['secret-class'] } };
    const beat = { id: 'secret-worker', role: 'work', service: 'defectoscopy', state: 'warm' as const };
    await product.house.workers.beat({ ...beat, info, metrics: [] });
    const id = await product.predict({ image_url: 'https://storage-1.example.com/secret-photo.jpg' });
    await until(async () => (await of('defectoscopy')).workers.length).toBe(1);
    await until(async () => now((await of('defectoscopy')).queue.waiting)).toBe(1);
    const told = JSON.stringify(await snapshot()) + (await page('defectoscopy')) + (await page('stt'));
    for (const secret of [id, TOKEN, 'secret', '4242', 'storage-1']) expect(told).not.toContain(secret);
    expect(told).toContain('1.0.0');
  });

  it('shows what a worker works with, and the memory of its GPU', async () => {
    const gpu = { name: 'H200', vram_used_mb: 2048, vram_total_mb: 8192 };
    await product.house.workers.beat({
      ...{ id: 'w', role: 'work', service: 'stt', state: 'warm' },
      info: { model: 'whisper', gpu, running: 1 },
      metrics: [],
    });
    await until(async () => (await of('stt')).workers).toEqual([
      { state: 'warm', model: 'whisper', running: 1, gpu: { name: 'H200', used_mb: 2048, total_mb: 8192 } },
    ]);
    expect(await page('stt')).toContain('ready, whisper, 1 in progress, H200, 2 of 8 GB');
  });

  it('speaks the language of its reader, says each chart in words, and needs no script', async () => {
    await until(async () => (await snapshot()).at).not.toBeNull();
    const english = await page('defectoscopy');
    expect(english).toMatch(/role="img" aria-label="Queued: 0 now, maximum 0"/);
    expect(english).toContain('<noscript><a href="overview">');
    const russian = await page('defectoscopy', '/overview', { 'accept-language': 'ru' });
    expect(russian).toContain('<html lang="ru">');
    expect(places(russian).map(({ title }) => title)).toEqual(['Дефектоскопия', 'Речь в текст', 'Обзор']);
  });

  it('stands in no reference, since it is no contract', async () => {
    const { paths } = (await product.call('/openapi.json')).body;
    expect(Object.keys(paths).filter((path) => path.includes('overview'))).toEqual([]);
  });
});

describe('the overview at the catalog', () => {
  let catalog: Catalog;
  beforeEach(async () => {
    await start();
    catalog = await startCatalog();
  });
  afterEach(() => catalog.stop());

  it('shows how many records can be found, and how far behind they are', async () => {
    const text = 'crack in the third beam';
    await catalog.seed([{ recordId: 'bridge-7', title: 'Bridge 7', text }]);
    const records = async () => {
      const { services } = (await (await fetch(`${catalog.url}/overview.json`)).json()) as any;
      const { queue, documents = [], lag_seconds: lag = [] } = services.find((it: any) => it.service === 'catalog');
      return [queue, now(documents), now(lag)];
    };
    await until(records).toEqual([undefined, 1, 0]);
    const html = await (await fetch(`${catalog.url}/overview`)).text();
    expect(html).toContain('Searchable records: 1 now');
    expect(places(html).map(({ title }) => title)).toEqual([
      ...['Defectoscopy', 'Speech to text', 'Passports', 'Catalog', 'Overview'],
    ]);
  });
});

describe('the links between the services', () => {
  it('lead to where each listens, and mark the page that is open', async () => {
    await start();
    const { defectoscopy, stt } = product.addresses;
    expect(places(await page('defectoscopy', '/'))).toEqual([
      { title: 'Defectoscopy', href: './', current: 'true' },
      { title: 'Speech to text', href: `${stt}/` },
      { title: 'Overview', href: 'overview' },
    ]);
    expect(places(await page('stt'))).toEqual([
      { title: 'Defectoscopy', href: `${defectoscopy}/` },
      { title: 'Speech to text', href: './' },
      { title: 'Overview', href: 'overview', current: 'page' },
    ]);
  });

  it('lead to the public address where one is set, and stay on the host that was asked for otherwise', async () => {
    await start({ DEFECTOSCOPY_PUBLIC_URL: 'https://assay.example.com/photos', STT_PUBLIC_URL: '' });
    expect(places(await page('stt'))[0]!.href).toBe('https://assay.example.com/photos/');
    const { port } = new URL(product.addresses['stt']!);
    const asked = product.addresses['defectoscopy']!.replace('127.0.0.1', 'localhost');
    const html = await (await fetch(`${asked}/`)).text();
    expect(places(html)[1]!.href).toBe(`http://localhost:${port}/`);
  });

  it('know of a service that another process listens for, and of none that SERVICES leaves out', async () => {
    await start({ SERVICES: 'defectoscopy,passports', PASSPORTS_PORT: '18003' });
    const names = places(await page('defectoscopy')).map(({ title }) => title);
    expect(names).toEqual(['Defectoscopy', 'Passports', 'Overview']);
  });
});

describe('the overview where METRICS_TOKEN closes /metrics', () => {
  it('shows what /ready and /health tell, and no more', async () => {
    await start({ METRICS_TOKEN: 'for-metrics' });
    await product.predict();
    await until(async () => now((await of('defectoscopy')).queue.unfinished)).toBe(1);
    const seen = await snapshot();
    expect(Object.keys(seen.services[0].queue)).toEqual(['unfinished']);
    expect(seen).not.toHaveProperty('webhooks');
    const html = await page('defectoscopy');
    expect(html).toContain('METRICS_TOKEN is set');
    expect(html).toContain('Unfinished: 1 now');
    expect(html).not.toContain('Webhooks');
  });
});
