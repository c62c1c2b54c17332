import { once } from 'node:events';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Job, Model } from '../../src/services/shared/service.ts';
import { FAILURES } from '../../src/services/stt/failures.ts';
import type { Recorded, TranscribeInput } from '../../src/services/stt/result.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';
import { createFakeSpeechModel, createSilence, TRANSCRIPT } from '../support/speech/fake-model.ts';
import { createOpenAi, newRecording } from '../support/speech/openai-client.ts';

const OTHER_TOKEN = 'test-token-2';
const TEXT = TRANSCRIPT.transcription;
const model = 'whisper-1';

let product: Product;
let openai: OpenAI;
const start = async (env: Record<string, string | undefined> = {}) => {
  product = await startProduct({ service: 'stt', env: { STT_API_TOKENS: `${TOKEN},${OTHER_TOKEN}`, ...env } });
  openai = createOpenAi(product.url, TOKEN);
};

/** A worker with a fake model; `inputs` are those of its tasks. */
async function work(run: Model['run'] = async () => ({ result: TRANSCRIPT as never })) {
  const inputs: TranscribeInput[] = [];
  const recording: Model['run'] = (job) => {
    inputs.push(job.input as unknown as TranscribeInput);
    return run(job);
  };
  const stop = await product.startWorker(createFakeSpeechModel({ run: recording }));
  onTestFinished(stop);
  return { inputs, stop };
}

/** A model that waits in each task until `release`. */
function gate() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const run = async (): ReturnType<Model['run']> => {
    await released;
    return { result: TRANSCRIPT as never };
  };
  return { run, release: () => release() };
}

const rejected = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
  );
const countOf = async (table: 'tasks' | 'files', condition = 'true') => {
  const { rows } = await product.database.db.query<{ n: number }>(
    `select count(*)::int as n from ${table} where ${condition}`,
  );
  return rows[0]!.n;
};
const transcribe = async (more: Partial<OpenAI.Audio.TranscriptionCreateParamsNonStreaming> = {}) =>
  openai.audio.transcriptions.create({ file: await newRecording(), model, ...more });

describe('The openai client', () => {
  beforeAll(() => start());
  afterAll(() => product.stop());

  it('lists and reads the models', async () => {
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(['whisper-base', 'whisper-1']);
    expect(await openai.models.retrieve('whisper-base')).toMatchObject({ object: 'model', owned_by: 'assay' });
    expect(await rejected(openai.models.retrieve('gpt-4o'))).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('receives every response format', async () => {
    await work();
    const file = await newRecording();
    const inFormat = (response_format: OpenAI.AudioResponseFormat) =>
      openai.audio.transcriptions.create({ file, model, response_format });
    expect(await openai.audio.transcriptions.create({ file, model })).toEqual({
      text: TEXT,
      usage: { type: 'duration', seconds: 2.4 },
    });
    expect(await inFormat('text')).toBe(`${TEXT}\n`);
    expect(await inFormat('srt')).toBe(`1\n00:00:00,300 --> 00:00:02,100\n${TEXT}\n`);
    expect(await inFormat('vtt')).toBe(`WEBVTT\nLanguage: en\n\n00:00:00.300 --> 00:00:02.100\n${TEXT}\n`);
    const verbose = { task: 'transcribe', language: 'english', duration: 2.4, text: TEXT };
    const unknown = { seek: null, tokens: null, temperature: null, avg_logprob: null };
    expect(await inFormat('verbose_json')).toEqual({
      ...verbose,
      segments: [
        { id: 0, start: 0.3, end: 2.1, text: TEXT, ...unknown, compression_ratio: null, no_speech_prob: null },
      ],
      usage: { type: 'duration', seconds: 2.4 },
    });
    const timed = { file, model, response_format: 'verbose_json' } as const;
    const words = await openai.audio.transcriptions.create({ ...timed, timestamp_granularities: ['word'] });
    expect(words.words?.map(({ word }) => word).join(' ')).toBe(TEXT);
    expect(words.words?.[0]).toEqual({ word: 'The', start: 0.3, end: 0.6 });
    expect(words).not.toHaveProperty('segments');
    const both = await openai.audio.transcriptions.create({ ...timed, timestamp_granularities: ['word', 'segment'] });
    expect([both.words, both.segments]).toEqual([words.words, [expect.objectContaining({ id: 0 })]]);
    expect(await countOf('tasks')).toBe(1);
  });

  it('passes language, prompt and temperature to the worker', async () => {
    const { inputs } = await work();
    await transcribe({ language: 'ru', prompt: 'Трещина, скол.', temperature: 0.4, chunking_strategy: 'auto' });
    await transcribe();
    await openai.audio.translations.create({ file: await newRecording(), model });
    const url = expect.stringMatching(/^https:\/\/files\.assay\.internal\//);
    expect(inputs).toEqual([
      { url, language: 'ru', prompt: 'Трещина, скол.', temperature: 0.4 },
      { url },
      { url, translate: true },
    ]);
  });

  it('streams the text while the task runs', async () => {
    const steps = [gate(), gate()];
    const parts = ['First window.', 'Second window.', 'Third window.'];
    const segments = parts.map((text, at) => ({ start: at * 30, end: at * 30 + 29, text }));
    const run = async ({ report }: Job) => {
      for (const [index, step] of steps.entries()) {
        report(index / 3, {
          provider: 'local',
          until: 30 * (index + 1),
          segments: segments.slice(0, index + 1),
        } as never);
        await step.run();
      }
      const result: Recorded = { ...TRANSCRIPT, transcription: parts.join(' '), segments };
      return { result: result as never };
    };
    await work(run);
    const stream = await openai.audio.transcriptions.create({ file: await newRecording(), model, stream: true });
    const deltas: string[] = [];
    for await (const event of stream) {
      if (event.type !== 'transcript.text.delta') {
        expect(event).toEqual({ type: 'transcript.text.done', text: 'First window. Second window. Third window.' });
        continue;
      }
      deltas.push(event.delta);
      steps[deltas.length - 1]?.release();
    }
    expect(deltas).toEqual(['First window.', ' Second window.', ' Third window.']);
  });

  it('receives the failure of a task as an event of the stream', async () => {
    await work(() => Promise.reject(new TaskFailure(FAILURES.corrupt)));
    const stream = await openai.audio.transcriptions.create({ file: await newRecording(), model, stream: true });
    const read = async () => {
      for await (const _ of stream) expect.unreachable();
    };
    expect(await rejected(read())).toMatchObject({ code: 'audio_corrupt', param: 'file' });
  });

  it('is answered from the task of an earlier request with the same file and options', async () => {
    const { inputs } = await work();
    const file = await newRecording();
    const once = { file, model, language: 'en' };
    await openai.audio.transcriptions.create(once);
    const { response } = await openai.audio.transcriptions.create({ ...once, stream: true }).withResponse();
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(await response.text()).toContain(TEXT);
    expect(inputs).toHaveLength(1);
    expect(await product.waitForResult(response.headers.get('x-service-task-id')!)).toMatchObject({ status: 'done' });

    await openai.audio.transcriptions.create({ ...once, language: 'ru' });
    await createOpenAi(product.url, OTHER_TOKEN).audio.transcriptions.create(once);
    expect(inputs).toHaveLength(3);
  });

  it('can choose the key of a request', async () => {
    const { inputs } = await work();
    const headers = { 'Idempotency-Key': 'call-17' };
    const file = await newRecording();
    await openai.audio.transcriptions.create({ file, model }, { headers });
    await openai.audio.transcriptions.create({ file, model }, { headers });
    await openai.audio.transcriptions.create({ file, model }, { headers: { 'Idempotency-Key': 'call-18' } });
    expect(inputs).toHaveLength(2);
    const other = openai.audio.transcriptions.create({ file: await newRecording(), model }, { headers });
    expect(await rejected(other)).toMatchObject({ status: 400, code: 'idempotency_key_reused' });
  });

  it('starts a new task for a recording whose task failed, unless the file is the reason', async () => {
    const failures = [FAILURES.providerFailed, FAILURES.corrupt];
    const { inputs } = await work(async () => {
      const failure = failures.shift();
      if (failure) throw new TaskFailure(failure);
      return { result: TRANSCRIPT as never };
    });
    const file = await newRecording();
    // Retries would repeat the request of a task that has used all of its attempts.
    const retrying = createOpenAi(product.url, TOKEN, { maxRetries: 2 });
    const request = () => rejected(retrying.audio.transcriptions.create({ file, model }));
    expect(await request()).toMatchObject({ status: 500, code: 'provider_failed', type: 'server_error' });
    expect(await request()).toMatchObject({ status: 400, code: 'audio_corrupt', param: 'file' });
    expect(await request()).toMatchObject({ status: 400, code: 'audio_corrupt' });
    expect(inputs).toHaveLength(2);
  });

  it('gets a clear error when word times do not exist, and the text from the same task', async () => {
    const { words: _, ...untimed } = TRANSCRIPT;
    const { inputs } = await work(async () => ({ result: untimed as never }));
    const file = await newRecording();
    const timed = { file, model, response_format: 'verbose_json' } as const;
    const words = openai.audio.transcriptions.create({ ...timed, timestamp_granularities: ['word'] });
    expect(await rejected(words)).toMatchObject({ status: 400, param: 'timestamp_granularities' });
    expect(await openai.audio.transcriptions.create(timed)).toMatchObject({ text: TEXT });
    expect(inputs).toHaveLength(1);
  });

  it.each<[string, object, object]>([
    ['an unknown response format', { response_format: 'docx' }, { param: 'response_format', code: 'invalid_value' }],
    ['diarized_json', { response_format: 'diarized_json' }, { param: 'response_format' }],
    ['a prompt longer than the context', { prompt: 'x'.repeat(897) }, { param: 'prompt', code: 'invalid_value' }],
    ['a prompt of 100 000 characters', { prompt: 'x'.repeat(100_000) }, { param: 'prompt' }],
    ['an unknown language', { language: 'english' }, { param: 'language' }],
    ['a temperature above 1', { temperature: 1.5 }, { param: 'temperature' }],
    ['a temperature that is no number', { temperature: 'hot' }, { param: 'temperature' }],
    ['an unknown granularity', { timestamp_granularities: ['syllable'] }, { param: 'timestamp_granularities' }],
    ['word times without verbose_json', { timestamp_granularities: ['word'] }, { param: 'timestamp_granularities' }],
    ['a stream of subtitles', { stream: true, response_format: 'srt' }, { param: 'response_format' }],
    ['log probabilities', { include: ['logprobs'] }, { param: 'include', code: 'unsupported_parameter' }],
    ['known speakers', { known_speaker_names: ['a'] }, { code: 'unsupported_parameter' }],
    ['no model', { model: '' }, { param: 'model', code: 'missing_required_parameter' }],
    ['no file', { file: 'text' }, { param: 'file', code: 'missing_required_parameter' }],
    ['an empty file', { file: new File([], 'a.wav') }, { param: 'file', code: 'invalid_value' }],
    ['a file that is no recording', { file: new File(['text'], 'a.wav') }, { param: 'file', code: 'invalid_value' }],
  ])('is refused for %s, and nothing is stored', async (_, more, error) => {
    const before = [await countOf('tasks'), await countOf('files')];
    const body = { file: await newRecording(), model, ...more } as OpenAI.Audio.TranscriptionCreateParamsNonStreaming;
    expect(await rejected(openai.audio.transcriptions.create(body))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      ...error,
    });
    expect([await countOf('tasks'), await countOf('files')]).toEqual(before);
  });

  it('gets 404 for an unknown model, and 401 for a wrong token', async () => {
    expect(await rejected(transcribe({ model: 'gpt-4o-transcribe' }))).toMatchObject({ code: 'model_not_found' });
    const wrong = createOpenAi(product.url, 'wrong').audio.transcriptions.create({ file: await newRecording(), model });
    expect(await rejected(wrong)).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(await rejected(wrong)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  it('that disconnects while it waits leaves the task, and a repeated request continues with it', async () => {
    const { run, release } = gate();
    const { inputs } = await work(run);
    const file = await newRecording();
    for (const stream of [false, true] as const) {
      const stop = new AbortController();
      const waiting = openai.audio.transcriptions.create({ file, model, stream } as never, { signal: stop.signal });
      await expect.poll(() => inputs.length, { timeout: 8000 }).toBe(1);
      stop.abort();
      if (!stream) expect(await rejected(waiting)).toBeInstanceOf(OpenAI.APIUserAbortError);
      else await waiting.catch(() => {});
    }
    release();
    expect(await openai.audio.transcriptions.create({ file, model })).toMatchObject({ text: TEXT });
    expect(inputs).toHaveLength(1);
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
  ])('returns 400 for a multipart body %s', async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect(await countOf('files')).toBe(0);
  });

  it('returns its own error format for every status', async () => {
    expect(await post('{}', 'application/json')).toMatchObject(shaped(415, 'unsupported_media_type'));
    expect(await product.call('/v1/audio/transcriptions')).toMatchObject(shaped(405, 'method_not_allowed'));
    const missing = await product.call('/v1/chat/completions', { method: 'POST', headers: { accept: 'text/html' } });
    expect(missing).toMatchObject(shaped(404, 'not_found'));
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
    expect([await countOf('tasks'), await countOf('files')]).toEqual([0, 0]);
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
