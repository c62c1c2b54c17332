import { afterEach, describe, expect, it, vi } from 'vitest';
import { archiveOf } from '../support/archive.ts';
import { measureRate } from '../support/measured-rate.ts';
import { ADMIN_KEY, createFakeExtractionModel, createPdf, SECRET, USER_KEY } from '../support/passports.ts';
import { waitUntil } from '../support/processes/until.ts';
import { type Product, startProduct } from '../support/product.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

vi.setConfig({ testTimeout: 120_000 });

let product: Product;
let receiver: Receiver | undefined;
afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
  await product.stop();
});

const start = (options: { isWorking?: boolean; env?: Record<string, string> } = {}) =>
  startProduct({
    service: 'passports',
    env: {
      PASSPORTS_API_TOKENS: undefined,
      PASSPORTS_API_KEYS: `admin:${ADMIN_KEY},clerk:${USER_KEY}:user`,
      PASSPORTS_JWT_SECRET: SECRET,
      PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0',
      ...options.env,
    },
    ...(options.isWorking && { model: createFakeExtractionModel() }),
  });

async function signIn(key = ADMIN_KEY): Promise<string> {
  const { body } = await product.call('/auth/token', { method: 'POST', body: { api_key: key }, token: null });
  return body.token;
}

const submit = (token: string, body: Buffer, { query = '', headers = {} }: { query?: string; headers?: object } = {}) =>
  product.call(`/batches${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/zip', ...headers },
    body,
    token,
  });
const pdf = () => Buffer.from(createPdf().bytes);
const count = async (table: string) =>
  (await product.database.db.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n;

describe('A batch of documents', () => {
  it('creates a task for each PDF of the archive, exports their fields and sends one webhook', async () => {
    receiver = await startReceiver();
    product = await start({ isWorking: true });
    const token = await signIn();
    const archive = await archiveOf([
      ['дом 1/паспорт.pdf', pdf()],
      ['b.pdf', pdf()],
      ['c.pdf', pdf()],
    ]);
    const query = `?name=shelf.zip&webhook_url=${encodeURIComponent(receiver.url)}`;
    const { status, body } = await submit(token, archive, { query });
    expect([status, body.data]).toEqual([
      202,
      {
        ...{ batch_id: expect.any(String), status: 'in_progress', status_url: expect.any(String), total: 3 },
        estimated_wait_seconds: expect.any(Number),
      },
    ]);
    const { batch_id: id, status_url: url } = body.data;
    const state = async () => (await product.call(url, { token })).body.data;
    await waitUntil(async () => (await state()).status === 'completed');
    expect((await state()).counts).toMatchObject({ done: 3, failed: 0 });
    const { items } = (await product.call(`${url}/items`, { token })).body.data;
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['дом 1/паспорт.pdf', 'b.pdf', 'c.pdf']);
    expect((await product.call(`/api/tasks`, { token })).body).toMatchObject({ total: 3 });
    const document = (await product.call(`/api/task/${items[0].task_id}/result`, { token })).body;
    expect(document).toMatchObject({ filename: 'паспорт.pdf', status: 'SUCCESS' });

    const response = await fetch(`${product.url}${url}/results`, { headers: { authorization: `Bearer ${token}` } });
    const lines = (await response.text()).trimEnd().split('\n');
    expect(JSON.parse(lines[0]!)).toEqual({ position: 1, name: 'дом 1/паспорт.pdf', result: document });
    const [header, first] = (await product.call(`${url}/results?format=csv`, { token })).text.split('\r\n');
    expect(header).toMatch(/^position,task_id,status,error_code,error,name,.*general:year_built/);
    expect(first).toContain('1978');
    expect((await product.call('/batches', { token })).body.data.batches).toMatchObject([
      { batch_id: id, total: 3, name: 'shelf.zip' },
    ]);
    await product.database.db.query(
      `update passport_documents set key_name = 'clerk', session = 'key:clerk' where id = $1`,
      [items[2].task_id],
    );
    const short = (await product.call(`${url}/items?summary=true`, { token })).body.data.items;
    expect(short.map(({ summary }: { summary?: string }) => summary)).toEqual([
      ...['Fields: 3, table rows: 2, to review: 7', 'Fields: 3, table rows: 2, to review: 7', undefined],
    ]);

    const [request] = await receiver.waitForRequests(1);
    expect(request!.headers).toMatchObject({ 'x-service-event': 'batch.completed', 'x-service-task-id': id });
    const { webhook: _, ...completed } = JSON.parse(request!.body).data;
    expect(completed).toMatchObject({ batch_id: id, status: 'completed', counts: { done: 3 } });
    const { events } = (await product.call('/events', { token })).body;
    const ofBatch = events.filter(({ type }: { type: string }) => type === 'batch.completed');
    expect(ofBatch).toEqual([
      { ...ofBatch[0], service: 'passports', task_id: id, created_at: expect.any(String), batch: completed },
    ]);
  });

  it('has the project and tags of the request, as have its items, documents and results', async () => {
    product = await start({ isWorking: true });
    const token = await signIn();
    const query = '?project=Bridge&tag=north&tag=2026';
    const { status_url: url } = (await submit(token, await archiveOf([['a.pdf', pdf()]]), { query })).body.data;
    const grouping = { project: 'Bridge', tags: ['north', '2026'] };
    const state = (await product.call(url, { token })).body.data;
    expect(state).toMatchObject({ ...grouping, estimated_wait_seconds: expect.any(Number) });
    expect((await product.call(`${url}/items`, { token })).body.data.items).toMatchObject([grouping]);
    expect((await product.call('/api/tasks', { token })).body.items).toMatchObject([grouping]);
    await waitUntil(async () => (await product.call(url, { token })).body.data.status === 'completed');
    const [header, first] = (await product.call(`${url}/results?format=csv`, { token })).text.split('\r\n');
    expect([header, first]).toEqual([
      expect.stringMatching(/,project,tags$/),
      expect.stringMatching(/,Bridge,north; 2026$/),
    ]);
  });

  it('is hidden from other keys, can be cancelled, and its failed documents can be retried', async () => {
    product = await start();
    const [token, other] = [await signIn(), await signIn(USER_KEY)];
    const { status_url: url } = (
      await submit(
        token,
        await archiveOf([
          ['a.pdf', pdf()],
          ['b.pdf', pdf()],
        ]),
      )
    ).body.data;
    expect((await product.call(url, { token: other })).body.error.code).toBe('BATCH_NOT_FOUND');
    expect((await product.call('/batches', { token: other })).body.data.batches).toEqual([]);
    const { rows } = await product.database.db.query(`select distinct priority from tasks where service = 'passports'`);
    expect(rows).toEqual([{ priority: 1 }]);
    const cancelled = await product.call(`${url}/cancel`, { method: 'POST', token });
    expect(cancelled.body.data.cancelled).toBe(2);
    await waitUntil(async () => (await product.call(url, { token })).body.data.status === 'completed');
    const { items } = (await product.call('/api/tasks', { token })).body;
    expect(items).toMatchObject([{ error_type: 'CANCELLED' }, { error_type: 'CANCELLED' }]);
    expect((await product.call(`${url}/retry`, { method: 'POST', token })).body.data.retried).toBe(0);
  });

  it('has an estimate at its acceptance from the measured rate, at least that of its state', {
    tags: ['full'],
  }, async () => {
    product = await start();
    const token = await signIn();
    await submit(token, await archiveOf([['a.pdf', pdf()]]));
    await measureRate(product, 'passports');
    const names = Array.from({ length: 80 }, (_, at) => `${at}.pdf`);
    const shelf = await archiveOf(names.map((name) => [name, Buffer.concat([pdf(), Buffer.from(name)])]));
    const { status, body } = await submit(token, shelf);
    expect(status).toBe(202);
    const state = (await product.call(body.data.status_url, { token })).body.data;
    expect(state.estimated_wait_seconds).toBeGreaterThan(60);
    expect(body.data.estimated_wait_seconds).toBeGreaterThanOrEqual(state.estimated_wait_seconds);
  });

  it('is kept as long as its documents and deleted with the last one by the cleanup', async () => {
    product = await start({ isWorking: true });
    const token = await signIn();
    const create = async () => (await submit(token, await archiveOf([['a.pdf', pdf()]]))).body.data.status_url;
    const [old, recent] = [await create(), await create()];
    await waitUntil(async () => (await product.call(old, { token })).body.data.status === 'completed');
    await waitUntil(async () => (await product.call(recent, { token })).body.data.status === 'completed');
    expect(await count(`tasks where service like 'passports%' and expires_at is null`)).toBe(4);
    const { db } = product.database;
    await db.query(`
      update passport_documents set created_at = now() - interval '50 days'
       where id in (select task_id from batch_items where batch_id = '${old.split('/').at(-1)}')`);
    await db.query(`update tasks set queued_at = queued_at - interval '50 days' where service = 'passports.batches'`);
    const { body } = await product.call('/admin/cleanup?days=30', { method: 'POST', token });
    expect(body).toMatchObject({ status: 'success', deleted_tasks: 1 });
    expect((await product.call(old, { token })).status).toBe(404);
    expect((await product.call(recent, { token })).body.data.counts).toMatchObject({ done: 1 });
  });

  it('retries the failed documents except those that cannot be read', async () => {
    product = await start();
    const token = await signIn();
    const archive = await archiveOf([
      ['a.pdf', pdf()],
      ['b.pdf', pdf()],
    ]);
    const { status_url: url } = (await submit(token, archive)).body.data;
    const { tasks } = product.context;
    const claim = { service: 'passports', worker: 'test', leaseMs: 600_000, limit: 2 };
    const { claimed } = await tasks.completeAndClaim([], claim);
    const codes = ['PDF_ENCRYPTED', 'INTERNAL_ERROR'];
    const endings = claimed.map(({ id, attempt }, at) => ({
      ...{ id, attempt, processingMs: 1, outcome: 'failed' as const },
      failure: { code: codes[at]!, message: 'Failed.' },
    }));
    await tasks.completeAndClaim(endings, { ...claim, limit: 0 });
    await waitUntil(async () => (await product.call(url, { token })).body.data.status === 'completed');
    const documents = async () =>
      Promise.all(claimed.map(async ({ id }) => (await product.call(`/api/task/${id}/result`, { token })).body));
    const [unreadable, failed] = await documents();
    expect((await product.call(`${url}/retry`, { method: 'POST', token })).body.data).toMatchObject({ retried: 1 });
    const [same, queued] = await documents();
    expect([same, queued]).toMatchObject([{ ...unreadable, status: 'PERMANENT_ERROR' }, { status: 'PENDING' }]);
    const { rows } = await product.database.db.query<{ changed: boolean }>(
      'select changed_at > $2 as changed from passport_documents where id = $1',
      [queued.id, failed.updated_at],
    );
    expect(rows).toEqual([{ changed: true }]);
    expect((await product.call(`${url}/retry`, { method: 'POST', token })).body.error.code).toBe('BATCH_NOT_COMPLETED');
  });

  it('is rejected completely above the limit of waiting tasks, and before a file is stored above the quota', async () => {
    product = await start({ env: { CLIENT_MAX_WAITING: '3', FILES_QUOTA_BYTES: '2000' } });
    const token = await signIn();
    const shelf = (...names: string[]) =>
      archiveOf(names.map((name) => [name, Buffer.concat([pdf(), Buffer.from(name)])]));
    expect((await submit(token, await shelf('a.pdf', 'b.pdf'))).status).toBe(202);
    const refused = await submit(token, await shelf('c.pdf', 'd.pdf'));
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(await count('passport_documents')).toBe(2);
    const put = vi.spyOn(product.gateway.files, 'put');
    const large = await archiveOf([['l.pdf', Buffer.concat([pdf(), Buffer.alloc(3000)])]]);
    expect((await submit(token, large)).body.error.code).toBe('QUOTA_EXCEEDED');
    expect(put).not.toHaveBeenCalled();
  });

  it('is rejected with fields of a form, which are query parameters', async () => {
    product = await start();
    const form = new FormData();
    form.set('project', 'bridge');
    form.set('file', new Blob([await archiveOf([['a.pdf', pdf()]])]), 'shelf.zip');
    const headers = { authorization: `Bearer ${await signIn()}` };
    const answer = await fetch(`${product.url}/batches`, { method: 'POST', headers, body: form });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('project: project, tag and webhook_url are query parameters.');
    expect(await count('passport_documents')).toBe(0);
  });

  it('is stored once per idempotency key, and not at all with a file that is no PDF or above the quota', async () => {
    product = await start({ env: { FILES_QUOTA_BYTES: '1000' } });
    const token = await signIn();
    const archive = await archiveOf([
      ['a.pdf', pdf()],
      ['b.pdf', pdf()],
    ]);
    const headers = { 'idempotency-key': 'shelf' };
    const [first, second] = [await submit(token, archive, { headers }), await submit(token, archive, { headers })];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body).toEqual(first.body);
    expect((await submit(token, await archiveOf([['c.pdf', pdf()]]), { headers })).body.error.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    const refused = await submit(
      token,
      await archiveOf([
        ['a.pdf', pdf()],
        ['b.txt', Buffer.from('b')],
      ]),
    );
    expect([refused.status, refused.body.error?.message]).toEqual([
      422,
      expect.stringContaining('b.txt: The file is not a PDF.'),
    ]);
    const large = Buffer.concat([pdf(), Buffer.alloc(2000)]);
    expect((await submit(token, await archiveOf([['l.pdf', large]]))).body.error.code).toBe('QUOTA_EXCEEDED');
    expect((await submit(token, Buffer.from('{}'), { headers: { 'content-type': 'text/csv' } })).status).toBe(415);
    expect([await count('tasks'), await count('passport_documents'), await count('batch_items')]).toEqual([3, 2, 2]);
  });
});
