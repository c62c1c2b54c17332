import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attendHouse } from '../src/compose.ts';
import { FAILURES } from '../src/services/defectoscopy/failures.ts';
import { TaskFailure } from '../src/tasks/task.ts';
import { MODERATOR, READER } from './helpers/catalog.ts';
import { type Client, newClient } from './helpers/passports.ts';
import { fakeModel, type Product, startProduct } from './helpers/product.ts';
import { until } from './processes/until.ts';

let product: Product;
let reader: Client;
let moderator: Client;
const stop = new AbortController();
let attending: Promise<void>;
let photoIs: 'sound' | 'broken' = 'sound';

beforeAll(async () => {
  product = await startProduct({
    model: fakeModel({
      run: async (job) => {
        if (photoIs === 'broken') throw new TaskFailure(FAILURES.corrupt);
        return fakeModel().run(job);
      },
    }),
    env: {
      SERVICES: 'defectoscopy,catalog',
      CATALOG_PORT: '0',
      REPORTS_API_TOKENS: READER,
      REPORTS_MODERATOR_TOKENS: MODERATOR,
    },
  });
  const url = product.addresses['catalog']!;
  reader = newClient(url, READER);
  moderator = newClient(url, MODERATOR);
  const { house } = product;
  const catalog = house.services.find(({ name }) => name === 'catalog')!;
  attending = catalog.attend!(await attendHouse(house), stop.signal);
});
afterAll(async () => {
  stop.abort();
  await attending;
  await product.stop();
});

const find = async (query: string, client = reader) =>
  (await client.get(`/search?${query}`)).body.items.map(({ record_id: id }: { record_id: string }) => id);

async function predicted(): Promise<string> {
  const photo = await readFile(new URL('../examples/wall.jpg', import.meta.url));
  const headers = { authorization: 'Bearer test-token-1', 'content-type': 'image/jpeg' };
  const upload = await fetch(`${product.url}/files`, { method: 'POST', headers, body: photo });
  const { data } = (await upload.json()) as { data: { url: string } };
  return product.predict({ image_url: data.url });
}

it('The catalog finds a completed task with its picture; an accepted report hides the record and reopening shows it again', async () => {
  const id = await predicted();
  const recordId = `defectoscopy:${id}`;
  const path = `/row/${encodeURIComponent(recordId)}`;
  await product.finished(id);
  const ended = performance.now();
  const query = new URLSearchParams({ q: 'трищина', service: 'defectoscopy', defect: 'crack', min_conf: '0.85' });
  await until(async () => (await find(String(query))).includes(recordId));
  console.log(`A finished task is found after ${Math.round(performance.now() - ended)} ms.`);

  await until(async () => (await reader.get(path)).body.image !== null);
  const { body } = await reader.get(path);
  expect(body).toMatchObject({
    record_id: recordId,
    service: 'defectoscopy',
    task_id: id,
    status: 'done',
    surface: 'concrete_wall',
    master: { name: 'cracking', conf: expect.closeTo(0.9) },
    defects: [{ name: 'crack', conf: expect.closeTo(0.9) }],
    open_reports: 0,
    hidden: false,
  });
  const picture = await reader.get(body.image.url);
  expect(picture.status).toBe(200);
  expect(await sharp(picture.bytes).metadata()).toMatchObject({ width: body.image.width, height: body.image.height });
  expect(Math.max(body.image.width, body.image.height)).toBeLessThanOrEqual(1024);
  expect((await reader.get(`/heatmap/${encodeURIComponent(recordId)}`)).body).toMatchObject({
    maps: { crack: 'ADNm/w==' },
  });

  const asked = { record_id: recordId, action_type: 'hide', description: 'a neighbour’s wall' };
  const report = (await reader.post('/reports', { json: asked })).body;
  expect(await find('has_report=true')).toEqual([recordId]);
  const decide = (json: object) => moderator.ask(`/reports/${report.id}`, { method: 'PATCH', json });

  expect((await decide({ status: 'accepted' })).status).toBe(200);
  expect(await find(String(query))).toEqual([]);
  expect((await reader.get(path)).status).toBe(404);
  expect((await reader.get(body.image.url)).status).toBe(410);
  expect(await find('hidden=true', moderator)).toEqual([recordId]);
  expect((await reader.get(`/reports/${report.id}?receipt=${report.receipt}`)).body.status).toBe('accepted');

  expect((await decide({ status: 'open', resolver_note: 'it is ours' })).status).toBe(200);
  expect(await find(String(query))).toEqual([recordId]);
  expect((await reader.get(body.image.url)).status).toBe(200);
  expect((await moderator.get(`/reports/${report.id}/events`)).body.items).toMatchObject([
    { action: 'created', to: 'open' },
    { action: 'changed', from: 'open', to: 'accepted' },
    { action: 'changed', from: 'accepted', to: 'open', note: 'it is ours' },
  ]);
});

it('The catalog finds a failed task with its error code', async () => {
  photoIs = 'broken';
  const id = await predicted();
  expect((await product.finished(id))['status']).toBe('failed');
  await until(async () => (await find('status=failed')).includes(`defectoscopy:${id}`));
  const { body } = await reader.get(`/row/${encodeURIComponent(`defectoscopy:${id}`)}`);
  expect(body).toMatchObject({ status: 'failed', surface: null, defects: [], result: { error_code: 'IMAGE_CORRUPT' } });
});
