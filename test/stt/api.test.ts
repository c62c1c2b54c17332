import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { batchData } from '../../src/services/shared/batch-page.tsx';
import type { Job, Model } from '../../src/services/shared/service.ts';
import { FAILURES, failureTexts } from '../../src/services/stt/failures.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { uiTexts } from '../../src/ui/texts.ts';
import { codesWithoutText } from '../support/openapi/openapi.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createFakeSpeechModel, createSilence, TRANSCRIPT } from '../support/speech/fake-model.ts';

const URL = 'https://storage.example.com/calls/17.mp3';
const start = (env: Record<string, string | undefined> = {}, model?: Model) =>
  startProduct({ service: 'stt', env, ...(model && { model }) });

let product: Product;
const transcribe = (body: unknown, headers: Record<string, string> = {}, target = product) =>
  target.call('/transcribe/audio_url', { method: 'POST', body, headers });
const created = async (body: object = {}, target = product): Promise<string> => {
  const answer = await transcribe({ url: URL, ...body }, {}, target);
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data.task_id;
};

describe('POST /transcribe/audio_url', () => {
  beforeAll(async () => {
    product = await start({ STT_ALLOWED_URL_HOSTS: 'media.corp.internal:8443' });
  });
  afterAll(() => product.stop());

  it('returns 202 with a queued task and the estimated wait for a cold worker', async () => {
    const { status, body, headers } = await transcribe({ url: URL });
    expect(status).toBe(202);
    expect(body).toEqual({
      ok: true,
      data: {
        task_id: expect.stringMatching(/^[A-Za-z0-9_-]{20,64}$/),
        status: 'queued',
        status_url: `/result/${body.data.task_id}`,
        estimated_wait_seconds: 180,
      },
    });
    expect(headers.get('location')).toBe(body.data.status_url);
  });

  it.each<[string, unknown]>([
    ['a missing url', {}],
    ['an empty url', { url: '' }],
    ['an http url', { url: 'http://storage.example.com/a.mp3' }],
    ['an IP address', { url: 'https://93.184.216.34/a.mp3' }],
    ['a loopback address', { url: 'https://127.0.0.1/a.mp3' }],
    ['localhost', { url: 'https://localhost/a.mp3' }],
    ['a host without a dot', { url: 'https://intranet/a.mp3' }],
    ['a .local host', { url: 'https://nas.local/a.mp3' }],
    ['another port in the url', { url: 'https://storage.example.com:8443/a.mp3' }],
    ['user information in the url', { url: 'https://a:b@storage.example.com/a.mp3' }],
    ['a file url', { url: 'file:///etc/passwd' }],
    ['a very long url', { url: `https://storage.example.com/${'a'.repeat(2048)}` }],
    ['an unknown language', { url: URL, language: 'xx' }],
    ['a language name instead of its code', { url: URL, language: 'english' }],
    ['metadata that is a list', { url: URL, metadata: [1] }],
    ['metadata that is text', { url: URL, metadata: 'call 17' }],
    ['metadata over 16 KiB', { url: URL, metadata: { a: 'x'.repeat(16_384) } }],
    ['metadata nested too deep', `{"url":"${URL}","metadata":${'{"a":'.repeat(9)}1${'}'.repeat(9)}}`],
    ['metadata nested 90 levels deep', `{"url":"${URL}","metadata":{"a":${'['.repeat(90)}${']'.repeat(90)}}}`],
    [
      'metadata with too many keys',
      { url: URL, metadata: Object.fromEntries([...Array(201).keys()].map((n) => [n, 1])) },
    ],
    ['a webhook without url', { url: URL, webhook: { secret: 'x' } }],
    ['a webhook that is text', { url: URL, webhook: 'https://receiver.example.com/' }],
    ['an http webhook', { url: URL, webhook: { url: 'http://receiver.example.com/hook' } }],
    ['a webhook to localhost', { url: URL, webhook: { url: 'https://localhost/hook' } }],
    ['an http webhook to a loopback address', { url: URL, webhook: { url: 'http://127.0.0.1:9999/hook' } }],
    ['an empty secret', { url: URL, webhook: { url: 'https://receiver.example.com/hook', secret: '' } }],
    [
      'a very long secret',
      { url: URL, webhook: { url: 'https://receiver.example.com/hook', secret: 'x'.repeat(513) } },
    ],
    ['a body that is a list', []],
    ['a body that is null', 'null'],
    ['malformed JSON', '{"url":'],
    ['an empty body', ''],
  ])('rejects %s with 422 VALIDATION_ERROR', async (_, body) => {
    const answer = await transcribe(body);
    expect(answer).toMatchObject({ status: 422, body: { ok: false, error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.text).not.toContain('a:b');
  });

  it.each(['whsec_', 'whsec_!!!', 'whsec_=', 'whsec_MfKQ!9r8', 'whsec_MfKQ9', 'whsec_MfKQ\n'])(
    'rejects the secret %j, whose key would be empty or shortened',
    async (secret) => {
      const { status, text, body } = await transcribe({
        url: URL,
        webhook: { url: 'https://receiver.example.com/hook', secret },
      });
      expect([status, body.error?.code]).toEqual([422, 'VALIDATION_ERROR']);
      expect(body.error.message).toMatch(/^`webhook.secret` has an invalid format/);
      expect(text).not.toContain(JSON.stringify(secret));
    },
  );

  it('names the setting that allows loopback webhooks', async () => {
    const { body } = await transcribe({ url: URL, webhook: { url: 'http://127.0.0.1:9999/hook' } });
    expect(body.error.message).toBe(
      'webhook.url: The URL must begin with https://. URLs at 127.0.0.1 need the setting STT_WEBHOOK_ALLOW_LOOPBACK=true.',
    );
  });

  it.each<[string, object]>([
    ['unknown keys', { something: 'else' }],
    ['null as metadata', { metadata: null }],
    ['metadata nested 8 levels deep', { metadata: JSON.parse(`${'{"a":'.repeat(8)}1${'}'.repeat(8)}`) }],
    ['metadata with 200 keys', { metadata: Object.fromEntries([...Array(200).keys()].map((n) => [n, 1])) }],
    ['a language in upper case', { language: 'RU' }],
    ['the language auto', { language: 'auto' }],
    ['a host in STT_ALLOWED_URL_HOSTS', { url: 'https://media.corp.internal:8443/a.mp3' }],
    ['an uploaded file', { url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' }],
    ['internationalized host names', { url: 'https://хранилище.example.com/запись.mp3' }],
    ['a secret of any characters', { webhook: { url: 'https://receiver.example.com/hook', secret: 'п' } }],
    ['a secret of one byte', { webhook: { url: 'https://receiver.example.com/hook', secret: 'whsec_AA==' } }],
  ])('accepts %s', async (_, more) => {
    expect(await transcribe({ url: URL, ...more })).toMatchObject({ status: 202 });
  });

  it('returns metadata byte for byte in every response', async () => {
    const metadata =
      '{ "big": 12345678901234567890123, "tiny": 1e-400, "nul": "\\u0000", "one": 1.0, "b": 1, "a": [ {} ], "__proto__": {"x": 1}, "text": "}\\"," }';
    const { status, text } = await transcribe(`{"metadata" : ${metadata} , "url":"${URL}"}`);
    expect(status).toBe(202);
    expect(text).toContain(`"metadata":${metadata}`);
    const id = JSON.parse(text).data.task_id;
    expect((await product.call(`/result/${id}`)).text).toContain(`"metadata":${metadata}`);
    const cancelled = await product.call(`/result/${id}/cancel`, { method: 'POST' });
    expect(cancelled.text).toContain(`"metadata":${metadata}`);
    expect((await product.call(`/result/${id}`)).text).toBe(cancelled.text);
  });

  it('returns the webhook state if there is a webhook, and never its secret', async () => {
    const secret = 'a-secret-of-the-client';
    const { text, body } = await transcribe({
      url: URL,
      webhook: { url: 'https://receiver.example.com/hook', secret },
    });
    expect(body.data.webhook).toEqual({ configured: true, status: 'pending' });
    expect((await transcribe({ url: URL })).body.data).not.toHaveProperty('webhook');
    const polled = await product.call(`/result/${body.data.task_id}`);
    expect(polled.body.data.webhook).toMatchObject({ configured: true, status: 'pending' });
    expect(text + polled.text).not.toContain(secret);
    const { rows } = await product.database.db.query<{ task: string; delivery: string }>(
      `select row_to_json(t)::text as task, row_to_json(d)::text || encode(d.secret, 'escape') as delivery
         from tasks t join deliveries d on d.task_id = t.id where t.id = $1`,
      [body.data.task_id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.task + rows[0]!.delivery).not.toContain(secret);
  });

  it('replays the task for a repeated Idempotency-Key and rejects another body with the same key', async () => {
    const key = { 'idempotency-key': 'call-17' };
    const body = (number: string) => `{"url":"${URL}","metadata":{"n":${number}}}`;
    const first = await transcribe(body('12345678901234567890'), key);
    const again = await transcribe(body('12345678901234567890'), key);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await transcribe(body('12345678901234567891'), key)).toMatchObject({
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });

  it.each([101, 5000])('returns 413 for a body with %s levels, also with an idempotency key', async (levels) => {
    const body = `{"url":"${URL}","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    for (const headers of [{}, { 'idempotency-key': `${levels} levels` }]) {
      const refused = await transcribe(body, headers);
      expect(refused).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    }
  });

  it('returns 413 for a body over 64 KiB and 415 for another content type', async () => {
    expect(await transcribe({ url: URL, x: 'x'.repeat(70_000) })).toMatchObject({ status: 413 });
    expect(await transcribe('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
      status: 415,
    });
  });
});

describe('Speech-to-text tasks', () => {
  beforeAll(async () => {
    product = await start();
  });
  afterAll(() => product.stop());
  const work = async (over: Partial<Model>) => onTestFinished(await product.startWorker(createFakeSpeechModel(over)));

  it('are queued, processing with progress, and done with a transcription', async () => {
    const id = await created({ language: 'en', metadata: { call: 17 } });
    const queued = await product.call(`/result/${id}`);
    expect(queued).toMatchObject({ status: 202 });
    expect(queued.body).toEqual({ ok: true, data: { task_id: id, status: 'queued', metadata: { call: 17 } } });
    expect(Number(queued.headers.get('retry-after'))).toBeGreaterThan(0);

    let release: () => void = () => {};
    const run = async ({ report, input }: Job) => {
      expect(input).toMatchObject({ url: URL, language: 'en' });
      report(0.41999);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { result: TRANSCRIPT as never };
    };
    await work({ run });
    const progress = async () => (await product.call(`/result/${id}`)).body.data;
    await expect
      .poll(progress, { timeout: 8000 })
      .toEqual({ task_id: id, status: 'processing', progress: 0.42, metadata: { call: 17 } });
    release();
    expect(await product.waitForResult(id)).toEqual({
      task_id: id,
      status: 'done',
      result: TRANSCRIPT,
      processing_time_ms: expect.any(Number),
      completed_at: expect.stringMatching(/^\d{10}$/),
      metadata: { call: 17 },
    });
  });

  it('that failed have a message, a code and a time, and no result', async () => {
    await work({ run: () => Promise.reject(new TaskFailure(FAILURES.corrupt)) });
    const id = await created();
    expect(await product.waitForResult(id)).toEqual({
      task_id: id,
      status: 'failed',
      error: FAILURES.corrupt.message,
      error_code: 'AUDIO_CORRUPT',
      failed_at: expect.stringMatching(/^\d{10}$/),
      processing_time_ms: expect.any(Number),
    });
  });

  it('without speech are done with an empty transcription', async () => {
    const nothing = { transcription: '', service: 'local', duration_seconds: 1, segments: [] };
    await work({ run: async () => ({ result: nothing }) });
    expect((await product.waitForResult(await created()))['result']).toEqual(nothing);
  });

  it('are distributed with one recording per worker', async () => {
    const running = new Set<string>();
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const run = async ({ id }: Job) => {
      running.add(id);
      await released;
      return { result: TRANSCRIPT as never };
    };
    await work({ run });
    await work({ run });
    const ids = [await created(), await created(), await created()];
    await expect.poll(() => running.size, { timeout: 8000 }).toBe(2);
    expect((await product.call(`/result/${ids[2]}`)).body.data.status).toBe('queued');
    release();
    for (const id of ids) expect(await product.waitForResult(id)).toMatchObject({ status: 'done' });
  });

  it('that are cancelled stop, and the worker continues with the next task', async () => {
    const stopped: unknown[] = [];
    const run = ({ input, signal }: Job) => {
      if ((input as { url: string }).url !== URL) return Promise.resolve({ result: TRANSCRIPT as never });
      return new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped.push(signal.reason);
          reject(signal.reason as Error);
        });
      });
    };
    await work({ run });
    const long = await created();
    await expect.poll(async () => (await product.call(`/result/${long}`)).body.data.status).toBe('processing');
    const cancelled = await product.call(`/result/${long}/cancel`, { method: 'POST' });
    expect(cancelled.body.data).toMatchObject({
      task_id: long,
      status: 'failed',
      error: 'Cancelled by client',
      error_code: 'CANCELLED',
      failed_at: expect.stringMatching(/^\d{10}$/),
    });
    const next = await created({ url: `${URL}?next` });
    expect(await product.waitForResult(next)).toMatchObject({ status: 'done' });
    expect(stopped).toHaveLength(1);
    expect(await product.call(`/result/${long}/cancel`, { method: 'POST' })).toMatchObject({
      status: 409,
      body: { error: { code: 'TASK_ALREADY_FINISHED' } },
    });
  });

  it('are not found by an unknown id or an id of another service', async () => {
    const notFound = { status: 404, body: { ok: false, error: { code: 'TASK_NOT_FOUND' } } };
    expect(await product.call('/result/01KAF3M9WZ7Y5T2Q8C4N6B1D0E')).toMatchObject(notFound);
    expect(await product.call('/result/%00')).toMatchObject(notFound);
    const id = await created();
    await product.database.db.query(`update tasks set service = 'defectoscopy' where id = $1`, [id]);
    for (const path of [`/result/${id}`, `/result/${id}/transcript`]) {
      expect(await product.call(path)).toMatchObject(notFound);
    }
    await product.database.db.query('delete from tasks where id = $1', [id]);
  });

  it('have a transcript as text, SubRip, WebVTT and JSON when done', async () => {
    const id = await created();
    const read = (query = '') => product.call(`/result/${id}/transcript${query}`);
    expect(await read()).toMatchObject({ status: 409, body: { error: { code: 'TASK_NOT_READY' } } });
    await work({});
    await product.waitForResult(id);

    const plain = await read();
    expect(plain.text).toBe('The north wall shows a crack.\n');
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect((await read('?format=srt')).text).toBe('1\n00:00:00,300 --> 00:00:02,100\nThe north wall shows a crack.\n');
    const subtitles = await read('?format=vtt');
    expect(subtitles.text).toMatch(/^WEBVTT\n/);
    expect(subtitles.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
    expect(subtitles.headers.get('content-disposition')).toBe(`inline; filename="${id}.vtt"`);
    expect((await read('?format=json')).body).toEqual({ ok: true, data: TRANSCRIPT });
    expect(await read('?format=docx')).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
  });
});

describe('Speech-to-text webhooks', () => {
  let receiver: Receiver;
  afterEach(async () => {
    await receiver.close();
    await product.stop();
  });
  const open = async (over: Partial<Model> = {}) => {
    receiver = await startReceiver();
    product = await start({ STT_WEBHOOK_ALLOW_LOOPBACK: 'true' }, createFakeSpeechModel(over));
  };

  it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'plain words, ключ'])(
    'are signed with the secret %s and equal the poll response except for data.webhook',
    async (secret) => {
      await open();
      const id = await created({ metadata: { call: 17 }, webhook: { url: receiver.url, secret } });
      const [{ body, headers }] = (await receiver.waitForRequests(1)) as [Receiver['received'][number]];
      const format = secret.startsWith('whsec_') ? {} : { format: 'raw' as const };
      const key = format.format ? new TextEncoder().encode(secret) : secret;
      expect(() => new Webhook(key, format).verify(body, headers as Record<string, string>)).not.toThrow();
      expect(() => new Webhook(key, format).verify(`${body} `, headers as Record<string, string>)).toThrow();
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-service-event': 'stt.result.terminal',
        'x-service-task-id': id,
        'x-service-delivery-id': headers['webhook-id'],
      });

      await expect.poll(async () => (await product.waitForResult(id))['webhook'].status).toBe('delivered');
      const polled = await product.waitForResult(id);
      const sent = JSON.parse(body).data;
      expect(sent.webhook).toEqual({ configured: true, status: 'pending', delivery_id: headers['webhook-id'] });
      expect({ ...sent, webhook: undefined }).toEqual({ ...polled, webhook: undefined });
      expect(polled['webhook']).toEqual({
        configured: true,
        status: 'delivered',
        delivery_id: headers['webhook-id'],
        last_attempt_at: expect.stringMatching(/^\d{10}$/),
        delivered_at: expect.stringMatching(/^\d{10}$/),
      });
    },
  );

  it('omit a result of more than 256 KiB and set `truncated`', { tags: ['full'] }, async () => {
    const long = { ...TRANSCRIPT, transcription: 'crack '.repeat(50_000) };
    await open({ run: async () => ({ result: long as never }) });
    const id = await created({ metadata: { n: 1 }, webhook: { url: receiver.url } });
    const [request] = await receiver.waitForRequests(1);
    expect(JSON.parse(request!.body).data).toEqual({
      task_id: id,
      status: 'done',
      truncated: true,
      processing_time_ms: expect.any(Number),
      completed_at: expect.stringMatching(/^\d{10}$/),
      metadata: { n: 1 },
      webhook: { configured: true, status: 'pending', delivery_id: expect.stringMatching(/^whd_/) },
    });
    const polled = await product.waitForResult(id);
    expect(polled['result']).toEqual(long);
    expect(polled).not.toHaveProperty('truncated');
  });
});

describe('Speech-to-text access control', () => {
  afterEach(() => product.stop());

  it('returns 401 without a token and with a wrong token', async () => {
    product = await start();
    const unauthorized = { status: 401, body: { ok: false, error: { code: 'UNAUTHORIZED' } } };
    for (const token of [null, 'wrong']) {
      expect(await product.call('/result/x', { token })).toMatchObject(unauthorized);
      expect(await product.call('/result/x/transcript', { token })).toMatchObject(unauthorized);
      expect(await product.call('/transcribe/audio_url', { token, method: 'POST', body: {} })).toMatchObject(
        unauthorized,
      );
      expect(await product.call('/files', { token, method: 'POST', body: createSilence() })).toMatchObject(
        unauthorized,
      );
    }
    for (const path of ['/health', '/ready', '/livez', '/metrics', '/docs', '/swagger', '/redoc', '/openapi.json']) {
      expect((await product.call(path, { token: null })).status, path).not.toBe(401);
    }
  });

  it.each([
    ['not set', undefined],
    ['empty', ''],
  ])('returns 503 and is not ready when STT_API_TOKENS is %s', async (_, tokens) => {
    product = await start({ STT_API_TOKENS: tokens });
    const unavailable = { status: 503, body: { ok: false, error: { code: 'QUEUE_UNAVAILABLE' } } };
    expect(await transcribe({ url: URL })).toMatchObject(unavailable);
    expect(await product.call('/result/x')).toMatchObject(unavailable);
    expect(await product.call('/ready', { token: null })).toMatchObject(unavailable);
    expect(await product.call('/livez', { token: null })).toMatchObject({ status: 200 });
  });

  it('allows every token to read every task, unless TASK_VISIBILITY is `token`', async () => {
    const tokens = { STT_API_TOKENS: `${TOKEN},other` };
    const statuses = async () => {
      const id = await created();
      const paths = [`/result/${id}`, `/result/${id}/transcript`];
      return Promise.all(paths.map(async (path) => (await product.call(path, { token: 'other' })).status));
    };
    product = await start(tokens);
    expect(await statuses()).toEqual([202, 409]);
    await product.stop();
    product = await start({ ...tokens, TASK_VISIBILITY: 'token' });
    expect(await statuses()).toEqual([404, 404]);
  });

  it('returns a recording to its uploader, and no other client', async () => {
    product = await start({ STT_API_TOKENS: `${TOKEN},other` });
    const headers = { 'content-type': 'audio/wav' };
    const { url } = (await product.call('/files', { method: 'POST', body: createSilence(), headers })).body.data;
    const recordingOf = (id: string, token = TOKEN, method = 'GET') =>
      fetch(`${product.url}/result/${id}/recording`, { method, headers: { authorization: `Bearer ${token}` } });
    const id = await created({ url });
    const recording = await recordingOf(id);
    expect([recording.status, recording.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(recording.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await recording.arrayBuffer()).equals(createSilence())).toBe(true);
    const head = await recordingOf(id, TOKEN, 'HEAD');
    expect([head.status, Number(head.headers.get('content-length'))]).toEqual([200, createSilence().length]);
    for (const response of [await recordingOf(id, 'other'), await recordingOf(await created()), await recordingOf('x')])
      expect(response.status).toBe(404);
  });

  it('limits requests per token with Retry-After', async () => {
    product = await start({ STT_API_TOKENS: `${TOKEN},other`, STT_RATE_LIMIT_PER_MINUTE: '2' });
    expect((await transcribe({ url: URL })).status).toBe(202);
    expect((await product.call('/result/x')).status).toBe(404);
    for (const answer of [await transcribe({ url: URL }), await product.call('/result/x')]) {
      expect(answer).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect((await product.call('/result/x', { token: 'other' })).status).toBe(404);
  });
});

describe('Speech-to-text service', () => {
  beforeAll(async () => {
    product = await start();
  });
  afterAll(() => product.stop());

  it('accepts uploads that are recordings by their content', async () => {
    const upload = (body: Buffer) =>
      product.call('/files', { method: 'POST', body, headers: { 'content-type': 'image/png' } });
    const stored = await upload(createSilence());
    expect(stored).toMatchObject({ status: 201, body: { data: { content_type: 'audio/wav', size_bytes: 32_044 } } });
    expect((await transcribe({ url: stored.body.data.url })).status).toBe(202);
    for (const bytes of [Buffer.from('just text, no sound'), Buffer.alloc(0), Buffer.alloc(4000)]) {
      expect((await upload(bytes)).status).not.toBe(201);
    }
  });

  it('reports whether a model is loaded, and estimates the wait accordingly', async () => {
    expect(await product.call('/health', { token: null })).toMatchObject({
      status: 503,
      body: { error: { code: 'MODEL_NOT_READY' } },
    });
    expect((await product.call('/ready', { token: null })).body.data).toMatchObject({ ready: true, service: 'stt' });
    onTestFinished(await product.startWorker(createFakeSpeechModel()));
    expect((await product.call('/health', { token: null })).body.data).toMatchObject({
      model_loaded: true,
      model: 'whisper-base',
      providers: [{ name: 'local', model: 'whisper-base' }],
    });
    expect((await transcribe({ url: URL })).body.data.estimated_wait_seconds).toBe(60);
  });

  it('has only error codes with a Russian text for its pages', async () => {
    const document = (await product.call('/openapi.json', { token: null })).body;
    const shared = uiTexts.ru.refusals;
    expect(codesWithoutText(document, / \/batches/, batchData('ru', failureTexts.ru).errorTexts)).toEqual([]);
    expect(codesWithoutText(document, / \/deliveries/, shared)).toEqual([]);
    const ofUploads = / \/(files|result|transcribe|vocabulary)/;
    expect(codesWithoutText(document, ofUploads, { ...shared, ...failureTexts.ru })).toEqual([]);
  });

  it('has an OpenAPI document whose examples match their schemas', async () => {
    const { paths, webhooks } = (await product.call('/openapi.json', { token: null })).body;
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/transcribe/audio_url',
        '/result/{task_id}',
        '/result/{task_id}/cancel',
        '/result/{task_id}/recording',
        '/result/{task_id}/transcript',
        '/files',
        '/v1/audio/transcriptions',
        '/v1/audio/translations',
        '/v1/models',
        '/v1/models/{model}',
        '/health',
        '/ready',
        '/livez',
      ]),
    );
    expect(Object.keys(webhooks)).toEqual(['stt.result.terminal', 'batch.completed']);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    let exampleCount = 0;
    for (const each of objects({ paths, webhooks })) {
      if (each['schema'] === undefined) continue;
      for (const { value } of Object.values(each['examples'] ?? {}) as { value: unknown }[]) {
        expect(ajv.validate(each['schema'] as object, value), `${ajv.errorsText()} in ${JSON.stringify(value)}`).toBe(
          true,
        );
        exampleCount++;
      }
    }
    expect(exampleCount).toBeGreaterThan(20);
    const taskStates = paths['/result/{task_id}'].get.responses;
    expect(Object.keys(taskStates)).toEqual(
      expect.arrayContaining(['200', '202', '304', '401', '404', '422', '429', '500', '503']),
    );
    expect(Object.keys(paths['/v1/audio/transcriptions'].post.responses)).toEqual([
      '200',
      '400',
      '401',
      '404',
      '409',
      '413',
      '415',
      '429',
      '500',
      '503',
      '504',
    ]);
  });
});

function* objects(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  yield value as Record<string, unknown>;
  for (const part of Object.values(value)) yield* objects(part);
}
