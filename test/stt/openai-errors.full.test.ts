import { once } from 'node:events';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORS_OPTIONS } from '../../src/http/cors-options.ts';
import { type Product, TOKEN } from '../support/product.ts';
import { createSilence, TRANSCRIPT } from '../support/speech/fake-model.ts';
import { createOpenAi, newRecording, rejected, startOpenAi } from '../support/speech/openai-client.ts';

const TEXT = TRANSCRIPT.transcription;
const model = 'whisper-1';

let product: Product;
let openai: OpenAI;
let work: Awaited<ReturnType<typeof startOpenAi>>['work'];
let countOf: Awaited<ReturnType<typeof startOpenAi>>['countOf'];
let storedFiles: Awaited<ReturnType<typeof startOpenAi>>['storedFiles'];
const start = async (env: Record<string, string | undefined> = {}) => {
  ({ product, openai, work, countOf, storedFiles } = await startOpenAi(env));
};
const transcribe = async (more: Partial<OpenAI.Audio.TranscriptionCreateParamsNonStreaming> = {}) =>
  openai.audio.transcriptions.create({ file: await newRecording(), model, ...more });

describe('The openai client', () => {
  beforeAll(() => start());
  afterAll(() => product.stop());

  it.each<[string, object, object]>([
    ['an unknown response format', { response_format: 'docx' }, { param: 'response_format', code: 'invalid_value' }],
    ['diarized_json', { response_format: 'diarized_json' }, { param: 'response_format' }],
    ['a prompt longer than the context', { prompt: 'x'.repeat(897) }, { param: 'prompt', code: 'invalid_value' }],
    ['a prompt of 100 000 characters', { prompt: 'x'.repeat(100_000) }, { param: 'prompt' }],
    ['an unknown language', { language: 'english' }, { param: 'language' }],
    [
      'a temperature above 1',
      { temperature: 1.5 },
      { param: 'temperature', message: expect.stringMatching(/be between 0 and 1\.$/) },
    ],
    ['a temperature that is no number', { temperature: 'hot' }, { param: 'temperature' }],
    ['an unknown granularity', { timestamp_granularities: ['syllable'] }, { param: 'timestamp_granularities' }],
    ['word times without verbose_json', { timestamp_granularities: ['word'] }, { param: 'timestamp_granularities' }],
    ['a stream of subtitles', { stream: true, response_format: 'srt' }, { param: 'response_format' }],
    ['log probabilities', { include: ['logprobs'] }, { param: 'include', code: 'unsupported_parameter' }],
    ['known speakers', { known_speaker_names: ['a'] }, { code: 'unsupported_parameter' }],
    ['no model', { model: '' }, { param: 'model', code: 'missing_required_parameter' }],
    ['a file that is sent as text', { file: 'text' }, { param: 'file', code: 'missing_required_parameter' }],
    ['an empty file', { file: new File([], 'a.wav') }, { param: 'file', code: 'invalid_value' }],
    ['a file that is no recording', { file: new File(['text'], 'a.wav') }, { param: 'file', code: 'invalid_value' }],
  ])('is refused for %s, and nothing is stored', async (_, more, error) => {
    const stored = async () => [await countOf('tasks'), await countOf('files'), await storedFiles()];
    const before = await stored();
    const body = { file: await newRecording(), model, ...more } as OpenAI.Audio.TranscriptionCreateParamsNonStreaming;
    expect(await rejected(openai.audio.transcriptions.create(body))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      ...error,
    });
    expect(await stored()).toEqual(before);
  });

  it('is refused for word times and streams of translations', async () => {
    const translate = async (more: object) =>
      rejected(openai.audio.translations.create({ file: await newRecording(), model, ...more }));
    const word = { response_format: 'verbose_json', timestamp_granularities: ['word'] };
    expect(await translate(word)).toMatchObject({ status: 400, param: 'timestamp_granularities' });
    expect(await translate({ stream: 'true' })).toMatchObject({ status: 400, param: 'stream' });
  });

  it('gets 404 for an unknown model, and 401 for a wrong token', async () => {
    expect(await rejected(transcribe({ model: 'gpt-4o-transcribe' }))).toMatchObject({ code: 'model_not_found' });
    const wrong = createOpenAi(product.url, 'wrong').audio.transcriptions.create({ file: await newRecording(), model });
    expect(await rejected(wrong)).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(await rejected(wrong)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });
});

describe('The OpenAI-compatible API', () => {
  beforeAll(() => start({ STT_OPENAI_WAIT_SECONDS: '1', STT_RATE_LIMIT_PER_MINUTE: '60' }));
  afterAll(() => product.stop());

  const FIELD = '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n';
  const FILE = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  const post = (
    body: string | Uint8Array,
    type = 'multipart/form-data; boundary=x',
    path = '/v1/audio/transcriptions',
  ) => product.call(path, { method: 'POST', body, headers: { 'content-type': type } });
  const shaped = (status: number, code: string) => ({
    status,
    body: { error: { message: expect.any(String), type: expect.any(String), param: null, code } },
  });

  it.each([
    ['without an end', `${FIELD}${FILE}RIFF`],
    ['that ends in a part header', `${FIELD}--x\r\ncontent-dis`],
    ['with another boundary', `${FIELD}${FILE}RIFF\r\n--x--\r\n`.replaceAll('--x', '--y')],
    ['without content', ''],
    [
      'with the name of a property of all objects',
      `${FIELD}--x\r\ncontent-disposition: form-data; name="__proto__[]"\r\n\r\nx\r\n--x--\r\n`,
    ],
  ])('returns 400 for a multipart body %s', async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect(await countOf('files')).toBe(0);
  });

  it.each(['file', 'other'])('returns 400 for a second file part, named %s, and stores nothing', async (name) => {
    const part = (field: string) => `${FILE.replace('"file"', `"${field}"`)}RIFF\r\n`;
    expect(await post(`${FIELD}${part('file')}${part(name)}--x--\r\n`)).toMatchObject({
      status: 400,
      body: {
        error: {
          ...{ message: 'A request must contain exactly one file.', type: 'invalid_request_error' },
          ...{ param: 'file', code: 'invalid_value' },
        },
      },
    });
    expect([await countOf('tasks'), await countOf('files'), await storedFiles()]).toEqual([0, 0, []]);
  });

  it('returns its own error format for every status', async () => {
    expect(await post('{}', 'application/json')).toMatchObject(shaped(415, 'unsupported_media_type'));
    expect(await product.call('/v1/audio/transcriptions')).toMatchObject(shaped(405, 'method_not_allowed'));
    const missing = await product.call('/v1/chat/completions', { method: 'POST', headers: { accept: 'text/html' } });
    expect(missing).toMatchObject(shaped(404, 'not_found'));
    for (const path of ['/v1', '/v1/models/%zz'])
      expect(await product.call(path)).toMatchObject(shaped(404, 'not_found'));
    expect(await product.call('/v1/models', { token: null })).toMatchObject(shaped(401, 'invalid_api_key'));
    expect((await product.call('/transcribe/nothing')).body).toMatchObject({ ok: false });
  });

  it('returns 413 for a declared length above the limit, before the upload', async () => {
    const { hostname, port } = new URL(product.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${2 ** 31}\r\n\r\n`,
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413/);
    expect(answer.toString()).toContain('"code":"payload_too_large"');
    socket.destroy();
  });

  it('keeps nothing of an upload whose client disconnects', async () => {
    const { hostname, port } = new URL(product.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n${FIELD}${FILE}`,
    );
    socket.write(createSilence());
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([await countOf('tasks'), await countOf('files'), await storedFiles()]).toEqual([0, 0, []]);
  });

  it('returns 504 with the task id after the wait, and clients that retry continue to wait', async () => {
    const file = await newRecording();
    const timeout = await rejected(openai.audio.transcriptions.create({ file, model }));
    expect(timeout).toMatchObject({ status: 504, code: 'transcription_timeout', type: 'server_error' });
    const id = timeout.headers!.get('x-service-task-id')!;
    expect(timeout.message).toContain(id);
    const retrying = createOpenAi(product.url, TOKEN, { maxRetries: 3 });
    const waiting = retrying.audio.transcriptions.create({ file, model });
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await work();
    expect(await waiting).toMatchObject({ text: TEXT });
    expect(await countOf('tasks')).toBe(1);
  });

  it('returns 429 with Retry-After', async () => {
    let limited = await product.call('/v1/models');
    for (let i = 0; i < 70 && limited.status === 200; i++) limited = await product.call('/v1/models');
    expect(limited).toMatchObject(shaped(429, 'rate_limit_exceeded'));
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

it('The OpenAI-compatible API ends waiting requests and streams when the server stops, and the task remains', {
  tags: ['full'],
}, async () => {
  await start();
  const file = await newRecording();
  const waiting = rejected(openai.audio.transcriptions.create({ file, model }));
  const stream = await openai.audio.transcriptions.create({ file, model, stream: true });
  const reading = rejected(
    (async () => {
      for await (const _ of stream) expect.unreachable();
    })(),
  );
  await expect.poll(() => countOf('tasks'), { timeout: 8000 }).toBe(1);
  await product.stop();
  expect(await waiting).toMatchObject({ status: 503, code: 'gateway_stopping' });
  expect(await reading).toMatchObject({ code: 'gateway_stopping' });
});

it('The OpenAI-compatible API returns 503 without tokens, and refuses translations of a model that cannot translate', async () => {
  await start({ STT_API_TOKENS: undefined });
  expect(await product.call('/v1/models')).toMatchObject({ status: 503, body: { error: { type: 'server_error' } } });
  await product.stop();
  await start({ STT_MODEL: 'moonshine-base' });
  expect((await openai.models.list()).data[0]).toMatchObject({ id: 'moonshine-base' });
  const translation = openai.audio.translations.create({ file: await newRecording(), model });
  expect(await rejected(translation)).toMatchObject({ status: 400, code: 'translation_unsupported' });
  await product.stop();
});

it('Browsers may send the headers of the openai client to other origins', async () => {
  let sent: Headers | undefined;
  const fetch = (_: unknown, init?: RequestInit) => {
    sent = new Headers(init?.headers);
    return Promise.resolve(Response.json({ object: 'list', data: [] }));
  };
  await new OpenAI({ apiKey: 'x', fetch }).models.list();
  // Always allowed, or set by the browser.
  const others = new Set(['accept', 'user-agent']);
  const allowed = CORS_OPTIONS.allowedHeaders.toLowerCase().split(', ');
  expect([...sent!.keys()].filter((name) => !others.has(name) && !allowed.includes(name))).toEqual([]);
});
