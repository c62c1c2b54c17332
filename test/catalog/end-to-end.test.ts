import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBackgroundContext } from '../../src/role-contexts.ts';
import { FAILURES } from '../../src/services/defectoscopy/failures.ts';
import type { BackgroundService } from '../../src/services/shared/service.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { MODERATOR, READER } from '../support/catalog.ts';
import { type Client, createClient } from '../support/passports.ts';
import { waitUntil } from '../support/processes/until.ts';
import { createFakeModel, type Product, startProduct } from '../support/product.ts';

let product: Product;
let reader: Client;
let moderator: Client;
const stop = new AbortController();
let catalogWorker: Promise<void>;
let photoState: 'sound' | 'broken' = 'sound';

beforeAll(async () => {
  product = await startProduct({
    model: createFakeModel({
      run: async (job) => {
        if (photoState === 'broken') throw new TaskFailure(FAILURES.corrupt);
        return createFakeModel().run(job);
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
  reader = createClient(url, READER);
  moderator = createClient(url, MODERATOR);
  const { context } = product;
  const catalog = context.services.find(({ name }) => name === 'catalog') as BackgroundService;
  catalogWorker = catalog.runBackgroundJob(await createBackgroundContext(context), stop.signal);
});
afterAll(async () => {
  stop.abort();
  await catalogWorker;
  await product.stop();
});

const search = async (query: string, client = reader) =>
  (await client.get(`/search?${query}`)).body.items.map(({ record_id: id }: { record_id: string }) => id);

async function createPrediction(): Promise<string> {
  const photo = await readFile(new URL('../../examples/wall.jpg', import.meta.url));
  const headers = { authorization: 'Bearer test-token-1', 'content-type': 'image/jpeg' };
  const upload = await fetch(`${product.url}/files`, { method: 'POST', headers, body: photo });
  const { data } = (await upload.json()) as { data: { url: string } };
  return product.predict({ image_url: data.url });
}

it('The catalog finds a completed task with its picture; an accepted report hides the record and reopening shows it again', async () => {
  const id = await createPrediction();
  const recordId = `defectoscopy:${id}`;
  const path = `/row/${encodeURIComponent(recordId)}`;
  await product.waitForResult(id);
  const ended = performance.now();
  const query = new URLSearchParams({ q: 'трищина', service: 'defectoscopy', defect: 'crack', min_conf: '0.85' });
  await waitUntil(async () => (await search(String(query))).includes(recordId));
  console.log(`A finished task is found after ${Math.round(performance.now() - ended)} ms.`);

  await waitUntil(async () => (await reader.get(path)).body.image !== null);
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

  const reportInput = { record_id: recordId, action_type: 'hide', description: 'a neighbour’s wall' };
  const report = (await reader.post('/reports', { json: reportInput })).body;
  expect(await search('has_report=true')).toEqual([recordId]);
  const decide = (json: object) => moderator.request(`/reports/${report.id}`, { method: 'PATCH', json });

  expect((await decide({ status: 'accepted' })).status).toBe(200);
  expect(await search(String(query))).toEqual([]);
  expect((await reader.get(path)).status).toBe(404);
  expect((await reader.get(body.image.url)).status).toBe(410);
  expect(await search('hidden=true', moderator)).toEqual([recordId]);
  expect((await reader.get(`/reports/${report.id}?receipt=${report.receipt}`)).body.status).toBe('accepted');

  expect((await decide({ status: 'open', resolver_note: 'it is ours' })).status).toBe(200);
  expect(await search(String(query))).toEqual([recordId]);
  expect((await reader.get(body.image.url)).status).toBe(200);
  expect((await moderator.get(`/reports/${report.id}/events`)).body.items).toMatchObject([
    { action: 'created', to: 'open' },
    { action: 'changed', from: 'open', to: 'accepted' },
    { action: 'changed', from: 'accepted', to: 'open', note: 'it is ours' },
  ]);
});

it('The catalog finds a failed task with its error code', async () => {
  photoState = 'broken';
  const id = await createPrediction();
  expect((await product.waitForResult(id))['status']).toBe('failed');
  await waitUntil(async () => (await search('status=failed')).includes(`defectoscopy:${id}`));
  const { body } = await reader.get(`/row/${encodeURIComponent(`defectoscopy:${id}`)}`);
  expect(body).toMatchObject({ status: 'failed', surface: null, defects: [], result: { error_code: 'IMAGE_CORRUPT' } });
});
