import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCatalog } from '../support/catalog.ts';
import { testDatabase } from '../support/database.ts';
import { createLossyProxy, type LossyProxy } from '../support/lossy-proxy.ts';
import { createPdf, type HttpResponse, startPassports } from '../support/passports.ts';
import { startProduct } from '../support/product.ts';

async function lossyDatabase() {
  const { db, url, drop } = await testDatabase();
  onTestFinished(drop);
  const lossy = await createLossyProxy(url);
  onTestFinished(() => lossy.close());
  return { db, lossy };
}

const picture = () =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: '#808080' } })
    .jpeg()
    .toBuffer();

it('An upload whose commit result is unknown returns 503 and keeps its file', async () => {
  const { db, lossy } = await lossyDatabase();
  const product = await startProduct({ env: { DATABASE_URL: lossy.url } });
  onTestFinished(() => product.stop());
  const send = async () => product.call('/files', { method: 'POST', body: await picture() });
  expect((await send()).status).toBe(201);
  lossy.dropsCommits = true;
  expect(await send()).toMatchObject({ status: 503, body: { error: { code: 'QUEUE_UNAVAILABLE' } } });
  lossy.dropsCommits = false;
  const { rows } = await db.query<{ key: string }>('select key from files');
  expect(rows).toHaveLength(2);
  for (const { key } of rows) expect(await product.context.files.get(key)).toEqual(await picture());
});

it('Image uploads whose commit result is unknown keep the files of committed rows and delete the others', async () => {
  const { db, lossy } = await lossyDatabase();
  const passports = await startPassports({ DATABASE_URL: lossy.url });
  onTestFinished(() => passports.stop());
  const put: string[] = [];
  const { files } = passports.context;
  const { put: store } = files;
  files.put = async (...args) => {
    const stored = await store.call(files, ...args);
    put.push(stored.key);
    return stored;
  };
  const client = passports.client();
  const upload = async (count: number) => {
    const bytes = await picture();
    return client.post('/api/v1/upload-images', { files: Array(count).fill({ name: 'a.jpg', bytes }) });
  };
  expect((await upload(1)).status).toBe(201);
  lossy.dropsCommits = true;
  expect((await upload(3)).status).toBe(503);
  lossy.dropsCommits = false;
  const { rows } = await db.query<{ file_key: string }>('select file_key from passport_images');
  const keptKeys = rows.map(({ file_key }) => file_key);
  expect(keptKeys.sort()).toEqual(put.slice(0, 2).sort());
  const there = await Promise.all(put.map(async (key) => (await files.get(key)) !== undefined));
  expect(there).toEqual([true, true, false, false]);
});

/** Sends a request whose commit gets no response, then repeats it like a client after a 503. */
async function sendTwice(lossy: LossyProxy, lostCommit: LossyProxy['lostCommit'], send: () => Promise<HttpResponse>) {
  Object.assign(lossy, { dropsCommits: true, lostCommit } satisfies Partial<LossyProxy>);
  const first = await send();
  lossy.dropsCommits = false;
  return { first, second: await send() };
}

const key = { 'idempotency-key': 'b1946ac9-2492-4f0d-9f3b-2a7d5c1e8f60' };

describe.each<[LossyProxy['lostCommit'], replayed: string | null]>([
  ['at-once', 'true'],
  ['late', 'true'],
  ['never', null],
])('A request repeated with its Idempotency-Key after an unknown commit result (commit: %s)', (fate, replayed) => {
  it('creates the documents of POST /upload once', async () => {
    const { db, lossy } = await lossyDatabase();
    const passports = await startPassports({ DATABASE_URL: lossy.url });
    onTestFinished(() => passports.stop());
    const client = passports.client();
    await client.upload(createPdf('warm-up.pdf'));
    const files = [createPdf('a.pdf'), createPdf('b.pdf')];
    const headers = { accept: 'application/json', ...key };
    const { first, second } = await sendTwice(lossy, fate, () => client.post('/upload', { files, headers }));
    expect([first.status, second.status]).toEqual([503, 202]);
    const { rows } = await db.query<{ id: string; file_key: string }>(
      `select id, file_key from passport_documents where filename in ('a.pdf', 'b.pdf') order by filename`,
    );
    expect(rows.map(({ id }) => id)).toEqual(second.body.items.map(({ id }: { id: string }) => id));
    for (const { file_key } of rows) expect(await passports.context.files.get(file_key)).toBeDefined();
    expect(second.headers.get('idempotency-replayed')).toBe(replayed);
  });

  it('creates the document of POST /api/v1/create-pdf once and removes its images', async () => {
    const { db, lossy } = await lossyDatabase();
    const passports = await startPassports({ DATABASE_URL: lossy.url });
    onTestFinished(() => passports.stop());
    const client = passports.client();
    const uploaded = await client.post('/api/v1/upload-images', { files: [{ name: 'a.jpg', bytes: await picture() }] });
    const json = { image_ids: uploaded.body.image_ids };
    const create = () => client.post('/api/v1/create-pdf', { json, headers: key });
    const { first, second } = await sendTwice(lossy, fate, create);
    expect([first.status, second.status]).toEqual([503, 202]);
    const { rows } = await db.query<{ id: string; file_key: string }>('select id, file_key from passport_documents');
    expect(rows.map(({ id }) => id)).toEqual([second.body.task_id]);
    expect(await passports.context.files.get(rows[0]!.file_key)).toBeDefined();
    expect((await client.get('/api/v1/images')).body.images).toEqual([]);
    expect(second.headers.get('idempotency-replayed')).toBe(replayed);
  });

  it('creates the report of POST /reports once and returns its receipt', async () => {
    const { db, lossy } = await lossyDatabase();
    const catalog = await startCatalog({ DATABASE_URL: lossy.url });
    onTestFinished(() => catalog.stop());
    const json = { record_id: 'bridge-7', action_type: 'delete' };
    const report = () => catalog.reader.post('/reports', { json, headers: key });
    const { first, second } = await sendTwice(lossy, fate, report);
    expect([first.status, second.status]).toEqual([503, 201]);
    const { rows } = await db.query<{ id: string }>('select id from reports');
    expect(rows).toEqual([{ id: second.body.id }]);
    const { id, receipt } = second.body;
    expect((await catalog.client().get(`/reports/${id}?receipt=${receipt}`)).body.id).toBe(id);
    expect(second.headers.get('idempotency-replayed')).toBe(replayed);
  });
});
