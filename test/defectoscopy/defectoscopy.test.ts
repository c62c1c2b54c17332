import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deleteOldCorrections } from '../../src/services/defectoscopy/corrections/store.ts';
import { createFakeModel, MODEL_DETAILS, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';

const PHOTO = 'https://storage-1.example.com/photo.jpg';

describe('POST /predict', () => {
  let product: Product;
  beforeAll(async () => {
    const hosts = 'storage-1.example.com,storage-2.example.com,Хранилище.example.com';
    product = await startProduct({ env: { DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: hosts } });
  });
  afterAll(() => product.stop());
  const predict = (body: unknown, headers = {}) => product.call('/predict', { method: 'POST', body, headers });

  it('returns 202 with an opaque id, status queued, a relative status URL and an estimate', async () => {
    const { status, headers, body } = await predict({ image_url: PHOTO });
    expect(status).toBe(202);
    expect(body).toEqual({
      ok: true,
      data: {
        task_id: expect.stringMatching(/^[A-Za-z0-9_-]{20,64}$/),
        status: 'queued',
        status_url: `/result/${body.data.task_id}`,
        estimated_wait_seconds: 300,
      },
    });
    expect(headers.get('location')).toBe(body.data.status_url);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['a missing image_url', {}],
    ['an http image', { image_url: 'http://storage-1.example.com/photo.jpg' }],
    ['an image host that is not allowed', { image_url: 'https://example.org/photo.jpg' }],
    ['a host with an allowed host as prefix', { image_url: 'https://storage-1.example.com.evil.example/x' }],
    ['user information in the URL', { image_url: 'https://storage-1.example.com@evil.example/x' }],
    ['another port in the URL', { image_url: 'https://storage-1.example.com:8443/x' }],
    ['a fragment in the URL', { image_url: `${PHOTO}#x` }],
    ['an unknown priority', { image_url: PHOTO, priority: 'urgent' }],
    ['a priority that is not a string', { image_url: PHOTO, priority: 1 }],
    ['an http webhook to another host', { image_url: PHOTO, webhook_url: 'http://example.org/hook' }],
    ['a webhook to a private address', { image_url: PHOTO, webhook_url: 'https://192.168.1.5/hook' }],
    ['a loopback webhook in short notation', { image_url: PHOTO, webhook_url: 'http://127.1/hook' }],
    ['a model version that is not installed', { image_url: PHOTO, model_version: '9.9.9' }],
    ['a body that is an array', []],
    ['malformed JSON', '{"image_url":'],
    ['an empty body', ''],
    ['a __proto__ member', '{"image_url":"https://storage-1.example.com/x","__proto__":{"a":1}}'],
  ])('rejects %s with 422 VALIDATION_ERROR', async (_, body) => {
    const answer = await predict(body);
    expect(answer).toMatchObject({ status: 422, body: { ok: false, error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.body.error.message.length).toBeGreaterThan(10);
  });

  it.each([
    ['the priority batch', { priority: 'batch' }],
    ['unknown keys', { something: 'else' }],
    ['http webhooks to loopback hosts', { webhook_url: 'http://[::1]:9999/hook' }],
    ['https webhooks', { webhook_url: 'https://receiver.example.com:8443/hook?a=1' }],
    ['images from the second allowed host', { image_url: 'https://storage-2.example.com/photo.jpg' }],
    ['internationalized host names', { image_url: 'https://хранилище.example.com/стена.jpg' }],
    ['the same host in Punycode', { image_url: 'https://xn--80akiaokt3b4b.example.com/%D1%81.jpg' }],
  ])('accepts %s', async (_, more) => {
    expect((await predict({ image_url: PHOTO, ...more })).status).toBe(202);
  });

  it('treats a task without a priority as realtime', async () => {
    const ids: string[] = [];
    for (const more of [{ priority: 'batch' }, {}, { priority: 'realtime' }]) {
      ids.push((await predict({ image_url: PHOTO, ...more })).body.data.task_id);
    }
    const { rows } = await product.database.db.query('select id, priority from tasks where id = any($1)', [ids]);
    const priorities = new Map(rows.map(({ id, priority }) => [id, priority]));
    expect(priorities.get(ids[1]!)).toBe(priorities.get(ids[2]!));
    expect(priorities.get(ids[1]!)).not.toBe(priorities.get(ids[0]!));
  });

  it('stores a valid traceparent header for the callback and ignores an invalid one', async () => {
    const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const storedTraceparent = async (traceparent: string) => {
      const { body } = await predict({ image_url: PHOTO }, { traceparent });
      const { rows } = await product.database.db.query('select traceparent from tasks where id = $1', [
        body.data.task_id,
      ]);
      return rows[0]!['traceparent'];
    };
    expect(await storedTraceparent(good)).toBe(good);
    expect(await storedTraceparent('any text at all')).toBeNull();
    expect(await storedTraceparent(good.replace(/4bf\w+/, '0'.repeat(32)))).toBeNull();
  });

  it('returns 413 for a body over 64 KiB and 415 for another content type', async () => {
    expect(await predict({ image_url: PHOTO, x: 'x'.repeat(70_000) })).toMatchObject({
      status: 413,
      body: { error: { code: 'PAYLOAD_TOO_LARGE' } },
    });
    expect(await predict('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
      status: 415,
      body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } },
    });
  });

  it('replays the task for a repeated Idempotency-Key and rejects another body with the same key', async () => {
    const key = { 'idempotency-key': '"order-17"' };
    const first = await predict({ image_url: PHOTO, priority: 'batch' }, key);
    const again = await predict({ priority: 'batch', image_url: PHOTO }, { 'idempotency-key': 'order-17' });
    expect(again.body).toEqual(first.body);
    expect(again.status).toBe(202);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(await predict({ image_url: `${PHOTO}?2` }, key)).toMatchObject({
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
    expect((await predict({ image_url: PHOTO }, { 'idempotency-key': '"no end' })).status).toBe(422);
    expect((await predict({ image_url: PHOTO })).body).not.toEqual((await predict({ image_url: PHOTO })).body);
  });
});

describe('GET /result/{task_id}', () => {
  let product: Product;
  beforeEach(async () => {
    product = await startProduct();
  });
  afterEach(() => product.stop());

  it('returns 202 while queued and 200 when done, with exactly the fields of each state', async () => {
    const id = await product.predict();
    const queued = await product.call(`/result/${id}`);
    expect(queued.status).toBe(202);
    expect(queued.body).toEqual({ ok: true, data: { task_id: id, status: 'queued', message: expect.any(String) } });
    expect(Number(queued.headers.get('retry-after'))).toBeGreaterThan(290);

    await product.startWorker(createFakeModel());
    await product.waitForResult(id);
    const done = await product.call(`/result/${id}`);
    expect(done.status).toBe(200);
    expect(done.body).toEqual({
      ok: true,
      data: {
        task_id: id,
        status: 'done',
        result: {
          surface: 'concrete_wall',
          masters: [
            { name: 'cracking', conf: 0.9 },
            { name: 'sound', conf: 0.1 },
          ],
          defects: [{ name: 'crack', conf: 0.9 }],
        },
        processing_time_ms: expect.any(Number),
        completed_at: expect.stringMatching(/^\d{10,}$/),
        model_version: '1.0.0',
      },
    });
  });

  it('returns 202 while processing, with a message and Retry-After and no other field', async () => {
    const id = await product.predict();
    let finish = () => {};
    const run = () =>
      new Promise<{ result: typeof RESULT }>((resolve) => {
        finish = () => resolve({ result: RESULT });
      });
    await product.startWorker(createFakeModel({ run }));
    let state = await product.call(`/result/${id}`);
    for (let i = 0; i < 200 && state.body.data.status === 'queued'; i++) state = await product.call(`/result/${id}`);
    expect(state.status).toBe(202);
    expect(state.body).toEqual({ ok: true, data: { task_id: id, status: 'processing', message: expect.any(String) } });
    expect(state.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await product.backdate(id, 300);
    const late = Number((await product.call(`/result/${id}`)).headers.get('retry-after'));
    expect(late).toBeGreaterThanOrEqual(30);
    expect(late).toBeLessThanOrEqual(60);
    finish();
  });

  it('returns 404 TASK_NOT_FOUND for an unknown id and after the retention period, counted from queueing', async () => {
    const id = await product.predict();
    await product.backdate(id, 86_390);
    // The worker may have ended it.
    expect([200, 202]).toContain((await product.call(`/result/${id}`)).status);
    await product.backdate(id, 11);
    const notFound = { status: 404, body: { ok: false, error: { code: 'TASK_NOT_FOUND' } } };
    expect(await product.call(`/result/${id}`)).toMatchObject(notFound);
    expect(await product.call('/result/nothing')).toMatchObject(notFound);
    expect(await product.call('/result/%00')).toMatchObject({ status: 404 });
    expect(await product.call(`/result/${'x'.repeat(5000)}`)).toMatchObject({ status: 404 });
  });

  it('returns 422 for NUL in a filter of GET /batches, and an empty list for other unknown values', async () => {
    for (const query of ['project=%00', 'tag=a%00', 'before=%00']) {
      const refused = await product.call(`/batches?${query}`);
      expect(refused).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
    }
    for (const query of ['project=%01', 'tag=a%01', 'before=%01']) {
      const found = await product.call(`/batches?${query}`);
      expect(found).toMatchObject({ status: 200, body: { data: { batches: [] } } });
    }
  });

  it('fails an unfinished task at its deadline while the result can still be read', { tags: ['full'] }, async () => {
    const id = await product.predict();
    await product.backdate(id, 82_801);
    expect(await product.waitForResult(id)).toEqual({
      task_id: id,
      status: 'failed',
      error: expect.any(String),
      error_code: 'DEADLINE_EXCEEDED',
    });
  });

  it('delays the response with Prefer: wait until the task ends or the time is over', { tags: ['full'] }, async () => {
    const id = await product.predict();
    const begun = Date.now();
    const longPoll = product.call(`/result/${id}`, { headers: { prefer: 'wait=20' } });
    const short = await product.call(`/result/${id}`, { headers: { prefer: 'wait=1' } });
    expect(short.status).toBe(202);
    expect(short.headers.get('preference-applied')).toBe('wait=1');
    expect(Date.now() - begun).toBeGreaterThan(900);
    await product.startWorker(createFakeModel());
    expect((await longPoll).status).toBe(200);
    expect(Date.now() - begun).toBeLessThan(10_000);
  });

  it('returns 304 for a matching If-None-Match', async () => {
    const id = await product.predict();
    const etag = (await product.call(`/result/${id}`)).headers.get('etag')!;
    const again = await product.call(`/result/${id}`, { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it('stops reading the task of a request with Prefer: wait when its client disconnects', async () => {
    const id = await product.predict();
    const read = vi.spyOn(product.context.tasks, 'read');
    onTestFinished(() => read.mockRestore());
    const readsOf = () => read.mock.calls.filter(([, task]) => task === id).length;
    const client = new AbortController();
    const headers = { authorization: `Bearer ${TOKEN}`, prefer: 'wait=20' };
    const waiting = fetch(`${product.url}/result/${id}`, { headers, signal: client.signal });
    // It reads at least once a second.
    await expect.poll(readsOf, { timeout: 5000 }).toBeGreaterThan(1);
    client.abort();
    await expect(waiting).rejects.toThrow();
    await setTimeout(500);
    const before = readsOf();
    await setTimeout(2500);
    expect(readsOf()).toBe(before);
  });

  it('returns a Russian message when Accept-Language prefers Russian', async () => {
    const id = await product.predict();
    const { body } = await product.call(`/result/${id}`, { headers: { 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.8' } });
    expect(body.data.message).toMatch(/[а-я]/);
  });

  it('cancels a task on request and returns 409 when it has already finished', async () => {
    const id = await product.predict();
    const cancel = () => product.call(`/result/${id}/cancel`, { method: 'POST' });
    expect(await cancel()).toMatchObject({
      status: 200,
      body: { data: { status: 'failed', error: 'Cancelled by client', error_code: 'CANCELLED' } },
    });
    expect(await cancel()).toMatchObject({ status: 409, body: { error: { code: 'TASK_ALREADY_FINISHED' } } });
    expect(await product.call(`/result/${id}/heatmap?class=crack`)).toMatchObject({
      status: 409,
      body: { error: { code: 'TASK_NOT_READY', message: expect.stringContaining('has failed') } },
    });
    expect(await product.call('/result/none/cancel', { method: 'POST' })).toMatchObject({ status: 404 });
  });

  it.each([
    ['an empty body with a JSON content type', { headers: { 'content-type': 'application/json' } }],
    ['a form body', { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['malformed JSON', { body: '{' }],
    ['an invalid content type', { body: 'x', headers: { 'content-type': 'nonsense' } }],
    ['binary data', { body: Buffer.alloc(1000), headers: { 'content-type': 'image/jpeg' } }],
  ])('ignores %s in a cancel request', { tags: ['full'] }, async (_, init) => {
    const id = await product.predict();
    expect(await product.call(`/result/${id}/cancel`, { method: 'POST', ...init })).toMatchObject({ status: 200 });
  });

  it('rejects an ignored body over the size limit with 413', { tags: ['full'] }, async () => {
    const id = await product.predict();
    const cancel = (body: Uint8Array) => product.call(`/result/${id}/cancel`, { method: 'POST', body });
    expect(await cancel(Buffer.alloc(70_000))).toMatchObject({ status: 413 });
    expect(await cancel(Buffer.alloc(60_000))).toMatchObject({ status: 200 });
  });

  it('returns the heatmap of a class, 409 before the task is done, and 422 for an unknown class', async () => {
    const id = await product.predict();
    const heatmap = (name: string) => product.call(`/result/${id}/heatmap?class=${name}`);
    expect(await heatmap('crack')).toMatchObject({ status: 409, body: { error: { code: 'TASK_NOT_READY' } } });
    await product.startWorker(createFakeModel());
    await product.waitForResult(id);
    expect((await heatmap('crack')).body).toEqual({
      ok: true,
      data: { name: 'crack', width: 2, height: 2, values: [0, 0.2, 0.4, 1] },
    });
    expect((await heatmap('mould')).status).toBe(422);
    expect((await heatmap('__proto__')).status).toBe(422);
    expect((await product.call(`/result/${id}/heatmap`)).status).toBe(422);
    expect((await product.call('/result/none/heatmap?class=crack')).status).toBe(404);
    // The task expires between the two reads.
    vi.spyOn(product.context.tasks, 'readAttachment').mockResolvedValueOnce(undefined);
    expect(await heatmap('crack')).toMatchObject({ status: 404, body: { error: { code: 'TASK_NOT_FOUND' } } });
  });
});

describe('PUT /result/{task_id}/correction', () => {
  const REVIEWER = 'a-reviewer-of-the-photos';
  const OTHER = 'another-reviewer-of-photos';
  const LABELS = { surface: 'brick_wall', master: 'mechanical', defects: ['chip', 'crack'] };
  const FEATURES = Buffer.from([0, 0, 128, 63, 1, 0, 2, 0]);
  let product: Product;
  let id: string;
  beforeAll(async () => {
    const model = createFakeModel();
    product = await startProduct({
      env: { DEFECTOSCOPY_REVIEWER_TOKENS: `${REVIEWER},${OTHER}`, TASK_VISIBILITY: 'token' },
      model: {
        ...model,
        async run(job) {
          const outcome = await model.run(job);
          const training = { network: 'f'.repeat(64), features: FEATURES.toString('base64') };
          return { ...outcome, attachment: { ...(outcome.attachment as object), training } };
        },
      },
    });
  });
  afterAll(() => product.stop());
  beforeEach(async () => {
    id = await product.predict();
    await product.waitForResult(id);
  });
  const correct = (body: unknown, { token = REVIEWER, headers = {} } = {}) =>
    product.call(`/result/${id}/correction`, { method: 'PUT', body, token, headers });
  const read = (token = TOKEN) => product.call(`/result/${id}/correction`, { token });

  it('keeps the corrections of all reviewers with the features of the photo, and the last one is current', async () => {
    expect((await read()).body.data).toEqual({ version: 0, may_correct: false, history: [] });
    const first = await correct(LABELS);
    expect(first).toMatchObject({ status: 200, body: { data: { version: 1, may_correct: true } } });
    await correct(LABELS);
    const confirmed = await correct(
      { surface: 'concrete_wall', master: 'cracking', defects: ['crack'] },
      { token: OTHER, headers: { 'if-match': first.headers.get('etag')! } },
    );
    expect(confirmed.body.data).toMatchObject({
      version: 2,
      history: [
        { ...LABELS, confirmed: false, corrected_at: expect.stringMatching(/^\d{10}$/) },
        { surface: 'concrete_wall', defects: ['crack'], confirmed: true },
      ],
    });
    const [one, two] = confirmed.body.data.history;
    expect(one.corrected_by).toMatch(/^token-[0-9a-f]{12}$/);
    expect(two.corrected_by).not.toBe(one.corrected_by);
    expect((await read()).body.data.version).toBe(2);
    const { rows } = await product.database.db.query(
      'select network, features, model_version, version from defectoscopy_corrected_photos where task_id = $1',
      [id],
    );
    expect(rows).toEqual([{ network: 'f'.repeat(64), features: FEATURES, model_version: '1.0.0', version: 2 }]);
    // The result itself does not change.
    expect((await product.call(`/result/${id}`)).body.data.result).toMatchObject({ surface: 'concrete_wall' });
  });

  it('accepts only one of two concurrent corrections of the same version', async () => {
    const answers = await Promise.all(
      [REVIEWER, OTHER].map((token) => correct(LABELS, { token, headers: { 'if-match': '"0"' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await read()).body.data.version).toBe(1);
  });

  it('adds the event defectoscopy.result.corrected to the feed', async () => {
    await correct(LABELS);
    await expect
      .poll(async () =>
        (await product.call('/events?limit=1000')).body.data.events.map(({ type, task_id }: Record<string, string>) => [
          type,
          task_id,
        ]),
      )
      .toContainEqual(['defectoscopy.result.corrected', id]);
  });

  it.each([
    ['an unknown surface', { ...LABELS, surface: 'wood' }],
    ['an unknown group', { ...LABELS, master: 'rot' }],
    ['a name of Object.prototype', { ...LABELS, master: 'constructor' }],
    ['an unknown defect', { ...LABELS, defects: ['mould'] }],
    ['a repeated defect', { ...LABELS, defects: ['chip', 'chip'] }],
    ['a group without the main defect', { ...LABELS, defects: ['crack'] }],
    ['no defects in a group of defects', { ...LABELS, defects: [] }],
    ['a missing surface', { master: 'mechanical', defects: ['chip'] }],
    ['a text in place of the defects', { ...LABELS, defects: 'chip' }],
    ['too many defects', { ...LABELS, defects: Array.from({ length: 21 }, (_, i) => `d${i}`) }],
  ])('rejects %s with 422', async (_, body) => {
    expect(await correct(body)).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect((await read()).body.data.version).toBe(0);
  });

  it('confirms a result whose group is not the group of its first defect', async () => {
    const masters = [{ name: 'mechanical', conf: 0.6 }];
    const result = JSON.stringify({ ...RESULT, masters });
    await product.database.db.query('update tasks set result = $2 where id = $1', [id, result]);
    const confirmed = await correct({ surface: 'concrete_wall', master: 'mechanical', defects: ['crack'] });
    expect(confirmed).toMatchObject({ status: 200, body: { data: { history: [{ confirmed: true }] } } });
  });

  it('returns 403 without the role reviewer, 404 for another task and 409 for an unfinished one', async () => {
    expect(await correct(LABELS, { token: TOKEN })).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN' } },
    });
    expect((await correct(LABELS, { token: 'wrong' })).status).toBe(401);
    const missing = await product.call('/result/none/correction', { method: 'PUT', body: LABELS, token: REVIEWER });
    expect(missing.status).toBe(404);
    await product.database.db.query("update tasks set status = 'processing', finished_at = null where id = $1", [id]);
    expect(await correct(LABELS)).toMatchObject({ status: 409, body: { error: { code: 'TASK_NOT_READY' } } });
  });

  it('keeps the correction after its task was deleted, until its retention time has passed', async () => {
    await correct(LABELS);
    await product.database.db.query('delete from tasks where id = $1', [id]);
    const count = async () => {
      await deleteOldCorrections(product.database.db, 365);
      const { rows } = await product.database.db.query('select from defectoscopy_corrections where task_id = $1', [id]);
      return rows.length;
    };
    expect(await count()).toBe(1);
    await product.database.db.query(
      "update defectoscopy_corrected_photos set corrected_at = now() - interval '366 days' where task_id = $1",
      [id],
    );
    expect(await count()).toBe(0);
  });
});

it('corrections on a local installation without reviewers are open to every token, but only for its own tasks', async () => {
  const product = await startProduct({
    env: { APP_ENV: 'local', DEFECTOSCOPY_API_TOKENS: `${TOKEN},other`, TASK_VISIBILITY: 'token' },
    model: createFakeModel(),
  });
  onTestFinished(() => product.stop());
  const id = await product.predict();
  await product.waitForResult(id);
  const body = { surface: 'brick_wall', master: 'cracking', defects: ['crack'] };
  const correction = `/result/${id}/correction`;
  expect((await product.call(correction, { token: 'other' })).status).toBe(404);
  expect((await product.call(correction, { method: 'PUT', body, token: 'other' })).status).toBe(404);
  expect((await product.call(correction, { method: 'PUT', body })).status).toBe(200);
});

describe('Model endpoints', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product.stop());

  const UNDEPLOYED = { pinned: false, may_deploy: false, problems: [], history: [] };

  it('return 503 MODEL_NOT_READY while no worker has loaded the model, although the service is ready', async () => {
    const notReady = { status: 503, body: { ok: false, error: { code: 'MODEL_NOT_READY' } } };
    expect(await product.call('/health', { token: null })).toMatchObject(notReady);
    expect(await product.call('/classes/defects')).toMatchObject(notReady);
    expect(await product.call('/classes/surfaces')).toMatchObject(notReady);
    expect((await product.call('/models')).body).toEqual({ ok: true, data: { ...UNDEPLOYED, models: [] } });
    const ready = await product.call('/ready', { token: null });
    expect(ready).toMatchObject({
      status: 200,
      body: { data: { worker_state: 'cold', workers_online: 0, queue: 'ok', image_hosts: 'configured' } },
    });
  });

  it("return the worker's data once its model is loaded, and the estimate decreases", async () => {
    await product.startWorker(createFakeModel());
    expect((await product.call('/health', { token: null })).body).toEqual({
      ok: true,
      data: {
        model_loaded: true,
        worker_id: expect.stringMatching(/^[a-z0-9-]{5,40}$/),
        model_version: '1.0.0',
        gpu: { name: 'cpu', vram_used_mb: 0, vram_total_mb: 0 },
      },
    });
    // The id reveals no host name.
    expect(product.context.id).toMatch(/^[0-9a-z]{12}$/);
    expect((await product.call('/classes/defects')).body).toEqual({ ok: true, data: ['crack', 'chip'] });
    expect((await product.call('/classes/surfaces')).body).toEqual({ ok: true, data: ['concrete_wall', 'brick_wall'] });
    const models = [{ version: '1.0.0', details: MODEL_DETAILS }, { version: 'own-2' }];
    await expect
      .poll(async () => (await product.call('/models')).body)
      .toEqual({ ok: true, data: { ...UNDEPLOYED, default: '1.0.0', models } });
    const predicted = await product.call('/predict', {
      method: 'POST',
      body: { image_url: PHOTO, model_version: 'own-2' },
    });
    expect(predicted.body.data.estimated_wait_seconds).toBe(90);
  });

  it('serve metrics without a token', async () => {
    const { status, headers, text } = await product.call('/metrics', { token: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('assay_workers_online{service="defectoscopy"} 1');
    expect(text).not.toContain(TOKEN);
  });
});

describe('POST /files', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product.stop());

  const JPEG = Buffer.concat([Buffer.from('ffd8ffe000104a46494600', 'hex'), Buffer.alloc(2000)]);
  const upload = (body: Uint8Array, type = 'image/jpeg') =>
    product.call('/files', { method: 'POST', body, headers: { 'content-type': type } });

  it('stores the bytes and returns a URL for use in tasks', async () => {
    const { status, body } = await upload(JPEG, 'application/octet-stream');
    expect(status).toBe(201);
    expect(body.data).toEqual({
      url: expect.stringMatching(/^https:\/\/files\.assay\.internal\/[A-Za-z0-9_-]{20,}$/),
      size_bytes: JPEG.length,
      content_type: 'image/jpeg',
      expires_at: expect.stringMatching(/^\d{10,}$/),
    });
    expect((await product.call('/predict', { method: 'POST', body: { image_url: body.data.url } })).status).toBe(202);
    expect((await product.context.files.get(body.data.url.split('/').at(-1)))?.equals(JPEG)).toBe(true);
  });

  it('lets the uploader read the photo of a task with its name, and no other client', async () => {
    const two = await startProduct({ env: { DEFECTOSCOPY_API_TOKENS: `${TOKEN},other` } });
    onTestFinished(() => two.stop());
    const headers = { 'content-type': 'image/jpeg' };
    const { url } = (await two.call('/files', { method: 'POST', body: JPEG, headers })).body.data;
    const taskOf = async (token: string): Promise<string> => {
      const body = { image_url: url, file_name: 'стена 7.jpg' };
      const { task_id: id } = (await two.call('/predict', { method: 'POST', body, token })).body.data;
      expect((await two.call(`/result/${id}`, { token })).body.data.file_name).toBe('стена 7.jpg');
      return id;
    };
    const photoOf = (id: string, token: string) =>
      fetch(`${two.url}/result/${id}/photo`, { headers: { authorization: `Bearer ${token}` } });
    const task = await taskOf(TOKEN);
    const photo = await photoOf(task, TOKEN);
    expect(photo.headers.get('content-type')).toBe('image/jpeg');
    expect(photo.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await photo.arrayBuffer()).equals(JPEG)).toBe(true);
    expect((await photoOf(task, 'other')).status).toBe(404);
    expect((await photoOf(await taskOf('other'), 'other')).status).toBe(404);
  });

  it.each([
    ['line breaks and direction controls', ' a\r\n\u202eb\u0000.jpg ', 'ab.jpg'],
    ['half a surrogate pair', '\udfe0.jpg', '.jpg'],
    ['no visible character', ' \u200f\n', undefined],
  ])('stores a file name with %s without them', async (_, name, stored) => {
    const request = { method: 'POST', body: { image_url: PHOTO, file_name: name } };
    const { status, body } = await product.call('/predict', request);
    expect(status).toBe(202);
    expect((await product.call(`/result/${body.data.task_id}`)).body.data.file_name).toBe(stored);
  });

  it('accepts one multipart part named file, and stores nothing of a form with two files', async () => {
    const form = new FormData();
    const send = async () => {
      form.append('file', new Blob([JPEG], { type: 'image/jpeg' }), 'wall.jpg');
      const headers = { authorization: `Bearer ${TOKEN}` };
      const response = await fetch(`${product.url}/files`, { method: 'POST', headers, body: form });
      const { rows } = await product.database.db.query<{ count: number }>('select count(*)::int from files');
      return [response.status, rows[0]!.count];
    };
    const [status, count] = await send();
    expect(status).toBe(201);
    expect(await send()).toEqual([422, count]);
  });

  it('rejects other media types, empty and oversized files and requests without a token', async () => {
    expect((await upload(Buffer.from('just text'))).status).toBe(415);
    const empty = {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: expect.stringMatching(/^The file must be .*, but it is empty\.$/),
    };
    expect(await upload(new Uint8Array(0))).toMatchObject({ status: 415, body: { error: empty } });
    expect((await upload(Buffer.concat([JPEG, Buffer.alloc(21 * 1024 * 1024)]))).status).toBe(413);
    expect((await product.call('/files', { method: 'POST', body: JPEG, token: null })).status).toBe(401);
  });

  it('enforces the storage quota per credential', { tags: ['full'] }, async () => {
    const small = await startProduct({ env: { FILES_QUOTA_BYTES: '3000', DEFECTOSCOPY_API_TOKENS: `${TOKEN},other` } });
    const send = (token: string) =>
      small.call('/files', { method: 'POST', body: JPEG, headers: { 'content-type': 'image/jpeg' }, token });
    expect((await send(TOKEN)).status).toBe(201);
    expect(await send(TOKEN)).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    expect((await send('other')).status).toBe(201);
    // Refused by its declared length, before the file arrives.
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'image/jpeg', 'content-length': '2900' };
    const unfinished = httpRequest(`${small.url}/files`, { method: 'POST', headers });
    unfinished.write(JPEG.subarray(0, 10));
    const [response] = await once(unfinished, 'response');
    expect(response.statusCode).toBe(413);
    unfinished.destroy();
    await small.stop();
  });

  it('counts the uploads that are arriving in the storage quota, until they end', { tags: ['full'] }, async () => {
    // Room for files that are stored before the unfinished upload arrives.
    const quota = 10 * JPEG.length;
    const small = await startProduct({ env: { FILES_QUOTA_BYTES: `${quota}` } });
    onTestFinished(() => small.stop());
    const send = () => small.call('/files', { method: 'POST', body: JPEG, headers: { 'content-type': 'image/jpeg' } });
    for (const length of [{ 'content-length': `${quota - 10}` }, { 'transfer-encoding': 'chunked' }]) {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'image/jpeg', ...length };
      const unfinished = httpRequest(`${small.url}/files`, { method: 'POST', headers });
      unfinished.on('error', () => {});
      unfinished.write(JPEG.subarray(0, 10));
      await vi.waitFor(async () => expect((await send()).status).toBe(413));
      unfinished.destroy();
      await vi.waitFor(async () => expect((await send()).status).toBe(201));
    }
  });

  it('returns 404 without FILES_HOST', async () => {
    const without = await startProduct({ env: { FILES_HOST: undefined } });
    expect((await without.call('/files', { method: 'POST', body: JPEG })).status).toBe(404);
    await without.stop();
  });
});

describe('Defectoscopy authorization', () => {
  const PROTECTED = ['/models', '/classes/defects', '/classes/surfaces', '/result/x'];
  const OPEN = ['/health', '/metrics', '/docs', '/swagger', '/redoc', '/openapi.json', '/ready', '/livez'];

  it('is required exactly for the endpoints in the specification', async () => {
    const product = await startProduct();
    for (const token of [null, 'wrong']) {
      for (const path of PROTECTED) {
        const answer = await product.call(path, { token });
        expect(answer, path).toMatchObject({ status: 401, body: { ok: false, error: { code: 'UNAUTHORIZED' } } });
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
      expect((await product.call('/predict', { method: 'POST', body: {}, token })).status).toBe(401);
    }
    for (const path of OPEN) expect((await product.call(path, { token: null })).status, path).not.toBe(401);
    await product.stop();
  });

  it('accepts a single token from DEFECTOSCOPY_API_TOKEN', async () => {
    const product = await startProduct({ env: { DEFECTOSCOPY_API_TOKENS: undefined, DEFECTOSCOPY_API_TOKEN: 'only' } });
    expect((await product.call('/result/x', { token: 'only' })).status).toBe(404);
    expect((await product.call('/result/x', { token: 'other' })).status).toBe(401);
    expect((await product.call('/result/x', { token: null })).status).toBe(401);
    await product.stop();
  });

  it('is disabled when both settings are empty, and returns 503 when none is defined', { tags: ['full'] }, async () => {
    const disabled = await startProduct({ env: { DEFECTOSCOPY_API_TOKENS: '', DEFECTOSCOPY_API_TOKEN: '' } });
    expect((await disabled.call('/result/x', { token: null })).status).toBe(404);
    await disabled.stop();
    const unconfigured = await startProduct({ env: { DEFECTOSCOPY_API_TOKENS: undefined } });
    const unavailable = { status: 503, body: { error: { code: 'QUEUE_UNAVAILABLE' } } };
    expect(await unconfigured.call('/result/x')).toMatchObject(unavailable);
    expect(await unconfigured.call('/predict', { method: 'POST', body: {} })).toMatchObject(unavailable);
    expect((await unconfigured.call('/classes/defects')).status).toBe(401);
    await unconfigured.stop();
  });

  it('allows every valid token to read every task, unless TASK_VISIBILITY is `token`', async () => {
    for (const [visibility, status] of [
      ['service', 202],
      ['token', 404],
    ] as const) {
      const product = await startProduct({
        env: { DEFECTOSCOPY_API_TOKENS: `${TOKEN},other`, TASK_VISIBILITY: visibility },
      });
      const id = await product.predict();
      const begun = Date.now();
      expect((await product.call(`/result/${id}`, { token: 'other' })).status).toBe(status);
      // Waiting would reveal that the task exists.
      const headers = { prefer: `wait=${status === 404 ? 20 : 0}` };
      expect((await product.call(`/result/${id}`, { token: 'other', headers })).status).toBe(status);
      expect(Date.now() - begun).toBeLessThan(10_000);
      expect((await product.call(`/result/${id}`)).status).toBe(202);
      await product.stop();
    }
  });
});

describe('Rate limits and error responses', () => {
  it('return 429 with Retry-After above the limit, counted per token over both endpoints', async () => {
    const env = { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '5', DEFECTOSCOPY_API_TOKENS: `${TOKEN},other` };
    const product = await startProduct({ env });
    for (let i = 0; i < 4; i++) expect((await product.call('/result/x')).status).toBe(404);
    expect((await product.call('/result/x', { token: 'wrong' })).status).toBe(401);
    await product.predict();
    const refused = await product.call('/predict', { method: 'POST', body: {} });
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const unread = await product.call('/result/x');
    expect(unread).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    expect(Number(unread.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await product.call('/result/x', { token: 'other' })).status).toBe(404);
    await product.stop();
  });

  it('allow 1000 requests per 60 seconds by default', { tags: ['full'], timeout: 55_000 }, async () => {
    const product = await startProduct();
    const first = await product.call('/result/x');
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=1000;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=999;/);
    for (let i = 1; i < 1000; i += 37) {
      const some = Array.from({ length: Math.min(37, 1000 - i) }, () => product.call('/result/x'));
      for (const { status } of await Promise.all(some)) expect(status).toBe(404);
    }
    expect((await product.call('/result/x')).status).toBe(429);
    await product.stop();
  });

  it('have CORS headers for an allowed origin on every error', async () => {
    const origin = 'https://app.example.com';
    const product = await startProduct({ env: { CORS_ALLOW_ORIGINS: origin } });
    for (const [path, status] of [
      ['/nothing', 404],
      ['/predict', 405],
      ['/%zz', 404],
      ['/result/x', 404],
    ] as const) {
      const answer = await product.call(path, { headers: { origin } });
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get('access-control-allow-origin'), path).toBe(origin);
      const other = await product.call(path, { headers: { origin: 'https://other.example.com' } });
      expect(other.headers.get('access-control-allow-origin'), path).toBeNull();
    }
    await product.stop();
  });

  it('return 404 for an unknown path and 405 with Allow for another method', async () => {
    const product = await startProduct();
    expect(await product.call('/nothing')).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    const wrong = await product.call('/predict');
    expect(wrong).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED' } } });
    expect(wrong.headers.get('allow')).toContain('POST');
    await product.stop();
  });
});
