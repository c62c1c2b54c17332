import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Assay, type AssayOptions, type TaskFailed, verifyWebhook } from '../../src/client/index.ts';
import { failure } from '../../src/services/passports/failures.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { type Catalog, MODERATOR, READER, startCatalog } from '../support/catalog.ts';
import { createFakeClock, readExamplePhoto, recordingFetch } from '../support/client.ts';
import { ADMIN_KEY, createFakeExtractionModel, createPdf } from '../support/passports.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';
import { startReceiver } from '../support/receiver.ts';
import { createFakeSpeechModel, createSilence, TRANSCRIPT } from '../support/speech/fake-model.ts';

describe('Speech-to-text client', () => {
  let product: Product;
  const client = () => new Assay({ stt: { url: product.url, token: TOKEN }, polling: 'local' }).stt;
  beforeAll(async () => {
    const env = { STT_WEBHOOK_ALLOW_LOOPBACK: 'true' };
    product = await startProduct({ service: 'stt', env, model: createFakeSpeechModel() });
  });
  afterAll(() => product.stop());

  it('transcribes bytes and returns the transcript in every format', async () => {
    const metadata = { note: 17 };
    const task = await client().transcribe(createSilence(), { language: 'en', metadata });
    expect(task).toMatchObject({ metadata });
    const done = await client().wait(task);
    expect(done).toMatchObject({ result: TRANSCRIPT, metadata });
    const { task_id } = task;
    expect(await client().transcript(task_id)).toBe(`${TRANSCRIPT.transcription}\n`);
    expect(await client().transcript(task_id, 'srt')).toContain('00:00:00,300 --> ');
    expect(await client().transcript(task_id, 'vtt')).toMatch(/^WEBVTT/);
    expect((await client().transcript(task_id, 'json')).transcription).toBe(TRANSCRIPT.transcription);
    expect(await client().health()).toMatchObject({ model: 'whisper-base' });
  });

  it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a plain secret, ключ'])(
    'verifies its callbacks with the secret %s',
    async (secret) => {
      const receiver = await startReceiver();
      const task = await client().transcribe(createSilence(), { webhook: { url: receiver.url, secret } });
      const [received] = await receiver.waitForRequests(1);
      await receiver.close();
      const { body, headers } = received!;
      const event = await verifyWebhook(body, headers, { secret });
      expect(event).toMatchObject({
        event: 'stt.result.terminal',
        task: { task_id: task.task_id, result: TRANSCRIPT },
      });
      const other = verifyWebhook(body, headers, { secret: 'another' });
      await expect(other).rejects.toMatchObject({ code: 'WEBHOOK_SIGNATURE' });
    },
  );

  it('creates batches, waits for them and reads their items and results', { tags: ['full'] }, async () => {
    const { batches } = client();
    const url = 'https://storage.example.com/a.mp3';
    const { batch_id: id, total } = await batches.create([{ url }, { url, language: 'ru' }]);
    expect(total).toBe(2);
    const batch = await batches.wait(id);
    expect(batch).toMatchObject({ status: 'completed', counts: { done: 2 } });
    for await (const listed of batches.list()) expect(listed).toEqual(batch);
    const positions: number[] = [];
    for await (const { position, status } of batches.items(id)) if (status === 'done') positions.push(position);
    expect(positions).toEqual([1, 2]);
    for await (const { summary } of batches.items(id, { summary: true })) expect(summary).toEqual(expect.any(String));
    const lines = new TextDecoder()
      .decode(await batches.results(id))
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).result.data.result)).toEqual([TRANSCRIPT, TRANSCRIPT]);
    expect([await batches.cancel(id), await batches.retry(id)]).toEqual([0, 0]);
    const invalid = batches.create(new Blob(['url\nnone']), { contentType: 'text/csv' });
    await expect(invalid).rejects.toMatchObject({
      name: 'ValidationProblem',
      message: expect.stringContaining('Line 2'),
    });
  });

  it('replaces the vocabulary unless it has changed', async () => {
    const { version } = await client().vocabulary();
    const written = await client().replaceVocabulary([{ term: 'shotcrete' }], { ifVersion: version });
    expect(await client().vocabulary()).toEqual(written);
    const late = client().replaceVocabulary([{ term: 'screed' }], { ifVersion: version });
    await expect(late).rejects.toMatchObject({ name: 'Conflict', code: 'VERSION_CONFLICT' });
    expect(await client().replaceVocabulary([])).toMatchObject({ terms: [] });
  });

  it('throws error classes for rejected requests', async () => {
    const language = client().transcribe('https://storage.example.com/a.mp3', { language: 'xx' });
    await expect(language).rejects.toMatchObject({ name: 'ValidationProblem', code: 'VALIDATION_ERROR' });
    const early = client().transcript('01KAF3M9WZ7Y5T2Q8C4N6B1D0E', 'srt');
    await expect(early).rejects.toMatchObject({ name: 'TaskNotFound' });
  });
});

const OTHER_KEY = 'a-key-of-another-user-0123456789';

describe('Passports client', () => {
  let product: Product;
  let readable = true;
  const client = (over: Partial<AssayOptions> = {}, apiKey = ADMIN_KEY) =>
    new Assay({ passports: { url: product.url, apiKey }, polling: 'local', ...over }).passports;
  beforeAll(async () => {
    const env = {
      PASSPORTS_API_KEYS: `admin:${ADMIN_KEY},other:${OTHER_KEY}:user`,
      PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0',
    };
    const reading = createFakeExtractionModel();
    const run: typeof reading.run = (job) => {
      if (readable) return reading.run(job);
      return Promise.reject(new TaskFailure(failure('NO_FIELDS_FOUND')));
    };
    product = await startProduct({ service: 'passports', env, model: { ...reading, run } });
  });
  afterAll(() => product.stop());
  const createPng = () =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
  const document = (name: string) => ({ name, data: new Blob([createPdf().bytes as string]) });

  it('uploads, waits for, edits, renames, exports and deletes a document', async () => {
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

  it('creates a document from images', { tags: ['full'] }, async () => {
    const assay = client();
    const { images } = await assay.uploadImages([
      { name: 'page 1.jpg', data: await readExamplePhoto() },
      new File([await readExamplePhoto()], 'page 2.jpg'),
    ]);
    expect(images.map(({ filename }) => filename)).toEqual(['page 1.jpg', 'page 2.jpg']);
    const [first, second] = images.map(({ image_id }) => image_id) as [string, string];
    expect(await assay.rotateImage(first, { direction: 'ccw' })).toMatchObject({ rotation: 270 });
    await assay.removeImage(second);
    expect((await assay.images()).image_ids).toEqual([first]);
    const read = await assay.wait(await assay.createPdf([first]));
    expect(read.status).toBe('SUCCESS');
  });

  it('uploads more images than one request may have, in order, and names the rejected ones', {
    tags: ['full'],
  }, async () => {
    const assay = client({}, OTHER_KEY);
    const png = await createPng();
    const page = (number: number, data: Uint8Array = png) => ({ name: `page ${number}.png`, data });
    const notes = { name: 'notes.txt', data: Buffer.from('no image') };
    const pages = Array.from({ length: 50 }, (_, index) => page(index + 1));

    const all = await assay.uploadImages([...pages, page(51)]);
    expect(all.images.map(({ filename }) => filename)).toEqual([...pages, page(51)].map(({ name }) => name));
    expect((await assay.images()).image_ids).toEqual(all.image_ids);
    expect(all.rejected).toEqual([]);
    expect(await assay.createPdf(all.image_ids)).toMatchObject({ status: 'PENDING' });

    // The service rejects the second request, which has no other file.
    const { images, rejected } = await assay.uploadImages([...pages, notes]);
    expect(images).toHaveLength(50);
    expect(rejected).toMatchObject([{ filename: 'notes.txt', error: { code: 'UNSUPPORTED_MEDIA_TYPE' } }]);
    await expect(assay.uploadImages([notes])).rejects.toMatchObject({ status: 415 });
    await expect(assay.uploadImages([])).rejects.toMatchObject({ status: 422 });
  });

  it('removes the uploaded images if a later request fails', { tags: ['full'] }, async () => {
    let requests = 0;
    const fetch = ((input: string, init) => {
      if (new URL(input).pathname !== '/api/v1/upload-images' || ++requests < 2) return globalThis.fetch(input, init);
      return Promise.reject(new TypeError('fetch failed'));
    }) as typeof globalThis.fetch;
    const png = await createPng();
    const assay = client({ fetch }, OTHER_KEY);
    const before = await assay.images();
    const pages = Array.from({ length: 51 }, () => new Blob([new Uint8Array(png)]));
    await expect(assay.uploadImages(pages)).rejects.toMatchObject({ name: 'NetworkProblem' });
    expect(requests).toBe(2);
    expect(await assay.images()).toEqual(before);
  });

  it('throws TaskFailed for a failed document and ValidationProblem for every invalid field', async () => {
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
    await expect(assay.upload(new Blob(['no PDF']))).rejects.toMatchObject({ name: 'FileRejected', status: 415 });
  });

  it('exchanges its key once, again before the token expires, and once more when the token is rejected', {
    tags: ['full'],
  }, async () => {
    const { requests, fetch } = recordingFetch();
    const exchanges = () => requests.filter((path) => path === 'POST /auth/token').length;
    const clock = createFakeClock();
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
    const capturing: typeof globalThis.fetch = (input, init) => {
      authorization = new Headers(init?.headers).get('authorization') ?? authorization;
      return fetch(input, init);
    };
    const another = client({ fetch: capturing, clock });
    await another.list();
    await globalThis.fetch(`${product.url}/logout`, { method: 'POST', headers: { authorization }, redirect: 'manual' });
    requests.length = 0;
    expect(await another.list()).toMatchObject({ page: 1 });
    expect(requests).toEqual(['GET /api/tasks', 'POST /auth/token', 'GET /api/tasks']);

    requests.length = 0;
    const unknownKey = client({ fetch, clock }, 'no such key').list();
    await expect(unknownKey).rejects.toMatchObject({ name: 'Unauthorized', code: 'INVALID_API_KEY' });
    expect(requests).toEqual(['POST /auth/token']);
  });
});

describe('Catalog client', () => {
  let product: Catalog;
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
      bytes: Buffer.from(await (await readExamplePhoto()).arrayBuffer()),
      width: 1,
      height: 1,
    });
    expect([...(await client().image('bridge/7', { width: 64, format: 'png' })).subarray(1, 4)]).toEqual([80, 78, 71]);
  });

  it('iterates over more matches than the search counts', { tags: ['full'] }, async () => {
    const records = Array.from({ length: 1050 }, (_, n) => ({ recordId: `tunnel/${n}`, text: 'tunnel' }));
    await product.seed(records);
    const ids: string[] = [];
    for await (const { record_id } of client().each({ q: 'tunnel' })) {
      ids.push(record_id);
      if (ids.length > records.length) break;
    }
    expect(new Set(ids).size).toBe(records.length);
  });

  it('creates reports and decides on them', async () => {
    const lost = recordingFetch((path, count) => (path === 'POST /reports' && count === 0 ? 'lost' : undefined));
    const input = { record_id: 'bridge/7', action_type: 'hide', description: 'Not ours.' } as const;
    const report = await client(READER, { ...lost, clock: createFakeClock() }).report(input);
    expect(lost.requests).toHaveLength(2);
    expect(report).toMatchObject({ ...input, status: 'open', receipt: expect.stringMatching(/./) });
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

  it('throws error classes for rejected requests', async () => {
    await expect(client().reports()).rejects.toMatchObject({ name: 'Forbidden' });
    await expect(client('nobody').search()).rejects.toMatchObject({ name: 'Unauthorized' });
    const wrong = client().search({ min_conf: 2 });
    await expect(wrong).rejects.toMatchObject({ name: 'ValidationProblem', details: [{ loc: ['query', 'min_conf'] }] });
  });
});
