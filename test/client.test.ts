import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Assay, type AssayOptions, type Clock, type Photo, TaskFailed, verifyWebhook } from '../src/client/index.ts';
import { failure } from '../src/services/passports/failures.ts';
import { TaskFailure } from '../src/tasks/task.ts';
import { type Catalog as CatalogProduct, MODERATOR, READER, startCatalog } from './helpers/catalog.ts';
import { ADMIN_KEY, fakeReading, pdf } from './helpers/passports.ts';
import { fakeModel, type Product, RESULT, startProduct, TOKEN } from './helpers/product.ts';
import { startReceiver } from './helpers/receiver.ts';
import { fakeHearing, HEARD, silence } from './helpers/speech.ts';
import { freePort } from './processes/assay.ts';

const wall = async () => new Blob([await readFile(new URL('../examples/wall.jpg', import.meta.url))]);
const REFERENCE = 'https://storage-1.example.com/photo.jpg';

/** The global `fetch`, seen: what was asked, and what becomes of each answer. */
function watched(then: (path: string, count: number) => 'lost' | undefined = () => undefined) {
  const asked: string[] = [];
  const watch: typeof fetch = async (input, init) => {
    const path = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`;
    const count = asked.filter((each) => each === path).length;
    asked.push(path);
    const response = await fetch(input, init);
    if (then(path, count) !== 'lost') return response;
    await response.arrayBuffer();
    throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
  };
  return { asked, fetch: watch };
}

/** Time that passes only while somebody sleeps. */
function clockOf(onSleep: (seconds: number) => Promise<void> | void = () => {}): Clock & { slept: number[] } {
  let now = Date.now();
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      now += ms;
      slept.push(ms / 1000);
      await onSleep(ms / 1000);
    },
  };
}

describe('the client of defectoscopy', () => {
  let product: Product;
  const client = (over: Partial<AssayOptions> = {}, token: string | undefined = TOKEN) =>
    new Assay({ defectoscopy: { url: `${product.url}/`, token }, polling: 'local', ...over }).defectoscopy;
  beforeAll(async () => {
    product = await startProduct({ model: fakeModel() });
  });
  afterAll(() => product.stop());

  it('uploads a photo, creates its task, waits, and answers the result', async () => {
    const task = await client().predict(await wall(), { priority: 'batch', modelVersion: 'own-2' });
    expect(task).toMatchObject({ status: 'queued', status_url: `/result/${task.task_id}`, estimated_wait_seconds: 90 });
    const seen: Photo[] = [];
    const done = await client().wait(task, { onState: (state) => seen.push(state) });
    const { model_version: _, ...result } = RESULT;
    expect(done).toMatchObject({ status: 'done', result, completed_at: expect.stringMatching(/^\d{10}$/) });
    expect(seen.at(-1)).toEqual(done);
    expect(await client().result(task.task_id)).toEqual(done);
  });

  it('takes bytes in any form, and a reference as it is', async () => {
    const bytes = new Uint8Array(await (await wall()).arrayBuffer());
    for (const image of [bytes, bytes.buffer, new URL(REFERENCE), REFERENCE]) {
      expect((await client().wait(await client().predict(image))).status).toBe('done');
    }
    expect(await client().upload(bytes)).toMatchObject({ content_type: 'image/jpeg', size_bytes: bytes.length });
  });

  it('asks for classes, heatmaps and health', async () => {
    expect(await client().classes()).toEqual({
      defects: ['crack', 'chip'],
      surfaces: ['concrete_wall', 'brick_wall'],
    });
    const { task_id } = await client().wait(await client().predict(REFERENCE));
    expect(await client().heatmap(task_id, 'crack')).toEqual({
      ...{ name: 'crack', width: 2, height: 2 },
      values: [0, 0.2, 0.4, 1],
    });
    expect(await client().health()).toMatchObject({ model_loaded: true });
  });

  it('throws refusals as classes with their code, their status and the id of the request', async () => {
    const requestId = expect.stringMatching(/./);
    const unknown = client().result('01KAF3M9WZ7Y5T2Q8C4N6B1D0E');
    await expect(unknown).rejects.toMatchObject({
      ...{ name: 'TaskNotFound', code: 'TASK_NOT_FOUND', status: 404 },
      requestId,
    });
    const { task_id } = await client().wait(await client().predict(REFERENCE));
    const refusals: [() => Promise<unknown>, string, string][] = [
      [() => client({}, 'wrong').classes(), 'Unauthorized', 'UNAUTHORIZED'],
      [() => client({}, 'wrong').predict(REFERENCE), 'Unauthorized', 'UNAUTHORIZED'],
      [() => client().predict('http://storage-1.example.com/a.jpg'), 'ValidationProblem', 'VALIDATION_ERROR'],
      [() => client().predict(REFERENCE, { modelVersion: 'none' }), 'ValidationProblem', 'VALIDATION_ERROR'],
      [() => client().predict(new Blob(['text'])), 'FileRefused', 'UNSUPPORTED_MEDIA_TYPE'],
      [() => client().cancel(task_id), 'Conflict', 'TASK_ALREADY_FINISHED'],
      [() => client().heatmap(task_id, 'none'), 'ValidationProblem', 'VALIDATION_ERROR'],
      [() => client().result('../metrics'), 'TaskNotFound', 'TASK_NOT_FOUND'],
    ];
    for (const [refused, name, code] of refusals) await expect(refused()).rejects.toMatchObject({ name, code });
  });

  it('says that nobody is there, and what answers is no service of ours', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const none = new Assay({ defectoscopy: { url: nowhere }, retries: 0 });
    await expect(none.defectoscopy.classes()).rejects.toMatchObject({
      ...{ name: 'NetworkProblem', status: 0, message: `${nowhere} cannot be reached (ECONNREFUSED).` },
    });
    const elsewhere = new Assay({ defectoscopy: { url: `${product.url}/docs?` } });
    await expect(elsewhere.defectoscopy.health()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
    expect(() => none.stt).toThrow('names no address of stt');
  });

  it('makes no second task where the answer of the first was lost', async () => {
    const { asked, fetch } = watched((path, count) => (path === 'POST /predict' && count < 2 ? 'lost' : undefined));
    const clock = clockOf();
    const count = async () => Number((await product.database.db.query('select count(*) from tasks')).rows[0]!['count']);
    const before = await count();
    const task = await client({ fetch, clock }).predict(REFERENCE);
    expect(asked).toEqual(['POST /predict', 'POST /predict', 'POST /predict']);
    expect(clock.slept).toEqual([0.5, 1]);
    expect(await count()).toBe(before + 1);
    expect((await client().wait(task)).status).toBe('done');

    const idempotencyKey = 'mine-1';
    const [first, again] = [
      await client().predict(REFERENCE, { idempotencyKey }),
      await client().predict(REFERENCE, { idempotencyKey }),
    ];
    expect(again.task_id).toBe(first.task_id);
    const other = client().predict(REFERENCE, { idempotencyKey, priority: 'batch' });
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('gives up after so many tries, and does not repeat what has no key', async () => {
    const lost = watched(() => 'lost');
    const clock = clockOf();
    await expect(client({ ...lost, clock, retries: 2 }).predict(REFERENCE)).rejects.toThrow('ECONNRESET');
    expect(lost.asked).toHaveLength(3);
    const { task_id } = await client().wait(await client().predict(REFERENCE));
    lost.asked.length = 0;
    await expect(client({ ...lost, clock }).cancel(task_id)).rejects.toMatchObject({ name: 'NetworkProblem' });
    expect(lost.asked).toHaveLength(1);
  });

  it('ends every call and every wait when its signal says so, with the reason of that', async () => {
    const reason = new Error('no longer wanted');
    await expect(client().predict(REFERENCE, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stop = new AbortController();
    const waiting = client({ polling: 'specification' }).wait(await client().predict(REFERENCE), stop);
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('verifies its callbacks by the keys of the service', async () => {
    const receiver = await startReceiver();
    const task = await client().predict(REFERENCE, { webhookUrl: receiver.url });
    const [{ body, headers }] = (await receiver.got(1)) as [Awaited<ReturnType<typeof receiver.got>>[number]];
    await receiver.close();
    const event = await verifyWebhook(body, headers, { publicKey: await client().webhookKeys() });
    expect(event).toMatchObject({ event: 'defectoscopy.result.terminal', attempt: 1 });
    expect(event.task).toMatchObject({ task_id: task.task_id, status: 'done' });
    expect(event.deliveryId).toMatch(/^whd_/);
  });
});

describe('a client that keeps to the specification', () => {
  let product: Product;
  const client = (over: Partial<AssayOptions> = {}) =>
    new Assay({ defectoscopy: { url: product.url, token: TOKEN }, ...over }).defectoscopy;
  /** For the service as much time passes as for the client, which gives the task up after so many pauses. */
  const ageing = (most = Number.POSITIVE_INFINITY) => {
    let task = '';
    const clock = clockOf(async (seconds) => {
      await product.age(task, seconds);
      if (clock.slept.length === most) await product.call(`/result/${task}/cancel`, { method: 'POST' });
    });
    return {
      clock,
      of(id: string) {
        task = id;
      },
    };
  };
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product.stop());

  it('asks first after the estimate, then every 30 to 60 seconds, until the task has ended', async () => {
    const time = ageing(60);
    const seen = watched();
    const assay = client({ clock: time.clock, fetch: seen.fetch });
    const task = await assay.predict(REFERENCE);
    time.of(task.task_id);
    expect(task.estimated_wait_seconds).toBe(300);
    const failed = await assay.wait(task).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TaskFailed);
    expect(failed).toMatchObject({ code: 'CANCELLED', taskId: task.task_id, state: { status: 'failed' } });
    const [first, ...rest] = time.clock.slept;
    expect(first).toBe(300);
    expect([Math.min(...rest), Math.max(...rest)]).toEqual([30, 60]);
    expect(rest).toHaveLength(59);
    expect(seen.asked).toHaveLength(1 + 60);
  });

  it('stops at 404, once the retention window has ended', async () => {
    const time = ageing();
    const assay = client({ clock: time.clock });
    const task = await assay.predict(REFERENCE);
    time.of(task.task_id);
    await product.age(task.task_id, 90_000);
    await expect(assay.wait(task)).rejects.toMatchObject({ name: 'TaskNotFound' });
  });

  it('goes on with a task that it kept, and with less patience when told so', async () => {
    const task = await client().predict(REFERENCE);
    const kept = JSON.parse(JSON.stringify(task));
    const clock = clockOf();
    const later = client({ clock }).wait(
      { ...kept, accepted_at_ms: kept.accepted_at_ms - 1000_000 },
      { timeoutSeconds: 45 },
    );
    await expect(later).rejects.toMatchObject({ name: 'Timeout' });
    expect(clock.slept).toEqual([45]);
    await client().cancel(task.task_id);
    await expect(client({ polling: 'local' }).wait(task)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('waits out Retry-After of 429 and 503, and tells it when that does not help', async () => {
    const limited = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '2' } });
    const clock = clockOf();
    const assay = new Assay({ defectoscopy: { url: limited.url, token: TOKEN }, clock, retries: 2 }).defectoscopy;
    for (let i = 0; i < 2; i++) await assay.predict(REFERENCE);
    const error = await assay.predict(REFERENCE).catch((refused: unknown) => refused);
    await limited.stop();
    expect(error).toMatchObject({ name: 'RateLimited', code: 'RATE_LIMIT_EXCEEDED' });
    expect(clock.slept).toHaveLength(2);
    for (const seconds of clock.slept) expect(seconds).toBeGreaterThan(30);
    expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(30);

    const down = clockOf();
    await expect(client({ clock: down, retries: 1 }).classes()).rejects.toMatchObject({
      ...{ name: 'Unavailable', code: 'MODEL_NOT_READY' },
    });
    expect(down.slept).toEqual([5, 5]);
  });
});

describe('the client of speech to text', () => {
  let product: Product;
  const client = () => new Assay({ stt: { url: product.url, token: TOKEN }, polling: 'local' }).stt;
  beforeAll(async () => {
    const env = { STT_WEBHOOK_ALLOW_LOOPBACK: 'true' };
    product = await startProduct({ service: 'stt', env, model: fakeHearing() });
  });
  afterAll(() => product.stop());

  it('transcribes bytes, and gives the text in every format', async () => {
    const metadata = { note: 17 };
    const task = await client().transcribe(silence(), { language: 'en', metadata });
    expect(task).toMatchObject({ metadata });
    const done = await client().wait(task);
    expect(done).toMatchObject({ result: HEARD, metadata });
    const { task_id } = task;
    expect(await client().transcript(task_id)).toBe(`${HEARD.transcription}\n`);
    expect(await client().transcript(task_id, 'srt')).toContain('00:00:00,300 --> ');
    expect(await client().transcript(task_id, 'vtt')).toMatch(/^WEBVTT/);
    expect((await client().transcript(task_id, 'json')).transcription).toBe(HEARD.transcription);
    expect(await client().health()).toMatchObject({ model: 'whisper-base' });
  });

  it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a plain secret, ключ'])(
    'verifies its callbacks by the secret %s',
    async (secret) => {
      const receiver = await startReceiver();
      const task = await client().transcribe(silence(), { webhook: { url: receiver.url, secret } });
      const [received] = await receiver.got(1);
      await receiver.close();
      const { body, headers } = received!;
      const event = await verifyWebhook(body, headers, { secret });
      expect(event).toMatchObject({ event: 'stt.result.terminal', task: { task_id: task.task_id, result: HEARD } });
      const other = verifyWebhook(body, headers, { secret: 'another' });
      await expect(other).rejects.toMatchObject({ code: 'WEBHOOK_SIGNATURE' });
    },
  );

  it('throws refusals as classes', async () => {
    const language = client().transcribe('https://storage.example.com/a.mp3', { language: 'xx' });
    await expect(language).rejects.toMatchObject({ name: 'ValidationProblem', code: 'VALIDATION_ERROR' });
    const early = client().transcript('01KAF3M9WZ7Y5T2Q8C4N6B1D0E', 'srt');
    await expect(early).rejects.toMatchObject({ name: 'TaskNotFound' });
  });
});

describe('the client of passports', () => {
  let product: Product;
  let readable = true;
  const client = (over: Partial<AssayOptions> = {}, apiKey = ADMIN_KEY) =>
    new Assay({ passports: { url: product.url, apiKey }, polling: 'local', ...over }).passports;
  beforeAll(async () => {
    const env = { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}`, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' };
    const reading = fakeReading();
    const run: typeof reading.run = (job) => {
      if (readable) return reading.run(job);
      return Promise.reject(new TaskFailure(failure('NO_FIELDS_FOUND')));
    };
    product = await startProduct({ service: 'passports', env, model: { ...reading, run } });
  });
  afterAll(() => product.stop());
  const document = (name: string) => ({ name, data: new Blob([pdf().bytes as string]) });

  it('uploads a document, waits, corrects and renames it, and takes it away', async () => {
    const assay = client();
    const { items, rejected } = await assay.upload([document('a.pdf'), { name: 'b.txt', data: new Blob(['text']) }]);
    expect(items).toMatchObject([{ filename: 'a.pdf', status: 'PENDING' }]);
    expect(rejected).toMatchObject([{ filename: 'b.txt', error: { code: 'UNSUPPORTED_MEDIA_TYPE' } }]);
    const { id } = items[0]!;
    const read = await assay.wait(items[0]!);
    expect(read.fields['general:year_built']).toMatchObject({ value: 1978, source: 'text' });

    const fields = { 'general:year_built': 1987, 'areas:total_area': '54,5', 'general:address': null };
    expect(await assay.update(id, fields, { ifVersion: read.version })).toMatchObject({
      id,
      version: read.version + 1,
    });
    const stale = assay.update(id, fields, { ifVersion: read.version });
    await expect(stale).rejects.toMatchObject({ name: 'Conflict', code: 'VERSION_CONFLICT' });
    const now = await assay.result(id, { language: 'ru' });
    expect(now).toMatchObject({ data: { general: { year_built: 1987, address: null }, areas: { total_area: 54.5 } } });
    expect((await assay.history(id)).items).toHaveLength(3);

    await assay.rename(id, 'Дом на Южной');
    expect((await assay.list({ limit: 1 })).items).toMatchObject([{ id, filename: 'Дом на Южной' }]);
    const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes.subarray(0, 4));
    expect(text(await assay.exportExcel(id, { layout: 'wide' }))).toBe('PK\u0003\u0004');
    expect(text(await assay.exportSession())).toBe('PK\u0003\u0004');
    expect(text(await assay.exportAll({ from: '2020-01-01' }))).toBe('PK\u0003\u0004');
    expect(text(await assay.exportPdf(id, { language: 'ru' }))).toBe('%PDF');
    expect(await assay.cleanup({ days: 30, dryRun: true })).toMatchObject({ deleted_tasks: 0 });
    expect(await assay.deepHealth()).toMatchObject({ ok: true });
    expect(await assay.failedStatistics({ windowSeconds: 60 })).toMatchObject({ window_seconds: 60 });
    await assay.remove(id);
    await expect(assay.status(id)).rejects.toMatchObject({ name: 'TaskNotFound' });
  });

  it('makes a document of images', async () => {
    const assay = client();
    const { images } = await assay.uploadImages([
      { name: 'page 1.jpg', data: await wall() },
      new File([await wall()], 'page 2.jpg'),
    ]);
    expect(images.map(({ filename }) => filename)).toEqual(['page 1.jpg', 'page 2.jpg']);
    const [first, second] = images.map(({ image_id }) => image_id) as [string, string];
    expect(await assay.rotateImage(first, { direction: 'ccw' })).toMatchObject({ rotation: 270 });
    await assay.removeImage(second);
    expect((await assay.images()).image_ids).toEqual([first]);
    const read = await assay.wait(await assay.createPdf([first]));
    expect(read.status).toBe('SUCCESS');
  });

  it('throws what a document fails with, and every fault of a request', async () => {
    readable = false;
    const assay = client();
    const { items } = await assay.upload(document('empty.pdf'));
    const failed = await assay.wait(items[0]!).catch((error: unknown) => error);
    readable = true;
    expect(failed).toMatchObject({
      name: 'TaskFailed',
      code: 'NO_FIELDS_FOUND',
      state: { status: 'FAILED', data: null },
    });
    const id = (failed as TaskFailed).taskId;
    expect(await assay.retry(id)).toMatchObject({ id, status: 'PENDING' });

    const read = await assay.wait(id);
    const wrong = assay.update(read.id, { 'general:no_such': 1, 'general:year_built': 'soon' });
    await expect(wrong).rejects.toMatchObject({
      ...{ name: 'ValidationProblem', status: 422 },
      details: [{ loc: ['body', 'general:no_such'] }, { loc: ['body', 'general:year_built'] }],
    });
    await expect(assay.upload(new Blob(['no PDF']))).rejects.toMatchObject({ name: 'FileRefused', status: 415 });
  });

  it('exchanges its key once, again when the token grows old, and once more when it was refused', async () => {
    const { asked, fetch } = watched();
    const exchanges = () => asked.filter((path) => path === 'POST /auth/token').length;
    const clock = clockOf();
    const assay = client({ fetch, clock });
    await Promise.all([assay.list(), assay.images(), assay.list()]);
    await assay.list();
    expect(exchanges()).toBe(1);
    await clock.sleep(86_300_000);
    await assay.list();
    expect(exchanges()).toBe(1);
    await clock.sleep(100_000);
    await Promise.all([assay.list(), assay.list()]);
    expect(exchanges()).toBe(2);

    let authorization = '';
    const listening: typeof globalThis.fetch = (input, init) => {
      authorization = new Headers(init?.headers).get('authorization') ?? authorization;
      return fetch(input, init);
    };
    const another = client({ fetch: listening, clock });
    await another.list();
    await globalThis.fetch(`${product.url}/logout`, { method: 'POST', headers: { authorization }, redirect: 'manual' });
    asked.length = 0;
    expect(await another.list()).toMatchObject({ page: 1 });
    expect(asked).toEqual(['GET /api/tasks', 'POST /auth/token', 'GET /api/tasks']);

    asked.length = 0;
    const stranger = client({ fetch, clock }, 'no such key').list();
    await expect(stranger).rejects.toMatchObject({ name: 'Unauthorized', code: 'INVALID_API_KEY' });
    expect(asked).toEqual(['POST /auth/token']);
  });
});

describe('the client of the catalog', () => {
  let product: CatalogProduct;
  const client = (token = READER, over: Partial<AssayOptions> = {}) =>
    new Assay({ catalog: { url: product.url, token }, ...over }).catalog;
  beforeAll(async () => {
    product = await startCatalog();
  });
  afterAll(() => product.stop());

  it('indexes, searches, reads and exports records', async () => {
    const records = Array.from({ length: 205 }, (_, number) => ({
      record_id: `bridge/${number}`,
      title: `Bridge ${number}`,
      text: number === 7 ? 'rust in the third beam' : 'sound',
      attributes: { km: number },
    }));
    const wrong = { record_id: 'bridge/x', created_at: 'yesterday' };
    expect(await client(MODERATOR).index([...records, wrong])).toMatchObject({
      indexed: 205,
      failed: [{ row: 206, record_id: 'bridge/x' }],
    });
    await product.index();
    expect(await client().indexState()).toMatchObject({ documents: 205, rebuilding: false });

    const { items, total, facets } = await client().search({ q: 'rust', service: 'import', limit: 10 });
    expect({ total, found: items.map(({ record_id }) => record_id) }).toEqual({ total: 1, found: ['bridge/7'] });
    expect(facets.service).toMatchObject([{ value: 'import', count: 1 }]);
    expect(await client().row('bridge/7')).toMatchObject({ title: 'Bridge 7', reports: [], image: null });
    const ids = new Set<string>();
    for await (const { record_id } of client().each({ sort: 'oldest' })) ids.add(record_id);
    expect(ids.size).toBe(205);
    const lines = new TextDecoder().decode(await client().export('jsonl', { q: 'rust' }));
    expect(lines.trim().split('\n')).toHaveLength(1);

    await product.seedPicture('bridge/7', {
      bytes: Buffer.from(await (await wall()).arrayBuffer()),
      width: 1,
      height: 1,
    });
    expect([...(await client().image('bridge/7', { width: 64, format: 'png' })).subarray(1, 4)]).toEqual([80, 78, 71]);
  });

  it('reports records, and decides on reports', async () => {
    const lost = watched((path, count) => (path === 'POST /reports' && count === 0 ? 'lost' : undefined));
    const asked = { record_id: 'bridge/7', action_type: 'hide', description: 'Not ours.' } as const;
    const report = await client(READER, { ...lost, clock: clockOf() }).report(asked);
    expect(lost.asked).toHaveLength(2);
    expect(report).toMatchObject({ ...asked, status: 'open', receipt: expect.stringMatching(/./) });
    const moderator = client(MODERATOR);
    expect(await moderator.reports({ status: 'open' })).toMatchObject({ total: 1, items: [{ id: report.id }] });
    const decided = await moderator.decide(
      report.id,
      { status: 'accepted', resolver_note: 'Right.' },
      { ifVersion: 1 },
    );
    expect(decided).toMatchObject({ status: 'accepted', version: 2 });
    const again = moderator.decide(report.id, { status: 'rejected' }, { ifVersion: 1 });
    await expect(again).rejects.toMatchObject({ name: 'Conflict', status: 412 });
    expect((await moderator.reportEvents(report.id)).items.map(({ action }) => action)).toContain('changed');
    const { receipt } = report;
    const reporter = new Assay({ catalog: { url: product.url } }).catalog;
    expect(await reporter.readReport(report.id, { receipt: receipt! })).toMatchObject({ status: 'accepted' });
    await expect(client().row('bridge/7')).rejects.toMatchObject({ name: 'NotFound', code: 'RECORD_NOT_FOUND' });
  });

  it('throws refusals as classes', async () => {
    await expect(client().reports()).rejects.toMatchObject({ name: 'Forbidden' });
    await expect(client('nobody').search()).rejects.toMatchObject({ name: 'Unauthorized' });
    const wrong = client().search({ min_conf: 2 });
    await expect(wrong).rejects.toMatchObject({ name: 'ValidationProblem', details: [{ loc: ['query', 'min_conf'] }] });
  });
});

describe('the package', () => {
  const ROOT = fileURLToPath(new URL('../', import.meta.url));
  /** What is wrong with files of this folder; the library's own need no check. */
  const complaints = (program: ts.Program, folder: string) =>
    program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(folder))
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);

  it('has types that a strict project of somebody else compiles against, and code that needs nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-client-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.client.json'), ts.sys.readFile);
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    const made = ts.createProgram(fileNames, { ...options, outDir: folder });
    expect(fileNames.length).toBeGreaterThan(10);
    expect(complaints(made, join(ROOT, 'src/client'))).toEqual([]);
    made.emit();

    await writeFile(join(folder, 'consumer.ts'), CONSUMER);
    for (const module of [ts.ModuleKind.NodeNext, ts.ModuleKind.Preserve]) {
      const moduleResolution =
        module === ts.ModuleKind.NodeNext ? ts.ModuleResolutionKind.NodeNext : ts.ModuleResolutionKind.Bundler;
      const strict = { strict: true, noEmit: true, exactOptionalPropertyTypes: true, types: [] };
      const lib = ['lib.es2023.d.ts', 'lib.dom.d.ts'];
      const consumer = ts.createProgram([join(folder, 'consumer.ts')], { ...strict, module, moduleResolution, lib });
      expect(complaints(consumer, folder)).toEqual([`${folder}/consumer.ts: ${EXPECTED}`]);
    }
    for (const file of ts.sys.readDirectory(folder, ['.js'])) {
      for (const [, imported] of (await readFile(file, 'utf8')).matchAll(/from '([^']+)'/g)) {
        expect(imported, file).toMatch(/^\.\/[a-z-]+\.js$/);
      }
    }
  });
});

const EXPECTED = `Type 'string' is not assignable to type 'number'.`;
/** One line of it is wrong, so that types which are worth nothing are found out. */
const CONSUMER = `
import { Assay, TaskFailed, type DonePhoto } from './client/index.js';
export async function look(image: Blob, signal: AbortSignal): Promise<readonly string[]> {
  const assay = new Assay({ defectoscopy: { url: 'https://photos.example.com', token: 'secret' } });
  try {
    const done: DonePhoto = await assay.defectoscopy.wait(await assay.defectoscopy.predict(image, { signal }), { signal });
    const surface: number = done.result.surface;
    return done.result.defects.map(({ name, conf }) => name + conf.toFixed(2) + surface);
  } catch (error) {
    if (error instanceof TaskFailed) return [error.code];
    throw error;
  }
}
export async function told(id: string): Promise<string> {
  const recording = await new Assay({ stt: { url: '' } }).stt.result(id);
  switch (recording.status) {
    case 'queued':
    case 'processing':
      return String(recording.progress ?? 0);
    case 'done':
      return recording.result.transcription;
    case 'failed':
      return recording.error_code;
  }
}
`;
