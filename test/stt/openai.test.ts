import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Job } from '../../src/services/shared/service.ts';
import { FAILURES } from '../../src/services/stt/failures.ts';
import type { Recorded } from '../../src/services/stt/result.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { type Product, TOKEN } from '../support/product.ts';
import { TRANSCRIPT } from '../support/speech/fake-model.ts';
import {
  createOpenAi,
  gate,
  newRecording,
  OTHER_TOKEN,
  rejected,
  startOpenAi,
} from '../support/speech/openai-client.ts';

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

  it('streams the text of a finished task of hours, which exceeds the limit of other event streams', {
    tags: ['full'],
  }, async () => {
    const segments = Array.from({ length: 20_000 }, (_, at) => ({
      start: at,
      end: at + 1,
      text: `Предложение номер ${at}.`,
    }));
    const transcription = segments.map(({ text }) => text).join(' ');
    await work(async () => ({ result: { ...TRANSCRIPT, transcription, segments } as never }));
    const file = await newRecording();
    await openai.audio.transcriptions.create({ file, model });
    let streamed = '';
    for await (const event of await openai.audio.transcriptions.create({ file, model, stream: true })) {
      if (event.type === 'transcript.text.delta') streamed += event.delta;
      if (event.type === 'transcript.text.done') expect(event.text).toBe(streamed);
    }
    expect(streamed).toBe(transcription);
  });

  it('receives an error of the service as an event of the stream', async () => {
    const { run, release } = gate();
    await work(run);
    vi.spyOn(product.context.tasks, 'readCheckpoint').mockRejectedValueOnce(new Error('torn'));
    const stream = await openai.audio.transcriptions.create({ file: await newRecording(), model, stream: true });
    const read = async () => {
      for await (const _ of stream) expect.unreachable();
    };
    expect(await rejected(read())).toMatchObject({ code: 'internal_error', type: 'server_error' });
    release();
  });

  it('is answered with 401, in the response or the stream, when its token is revoked while it waits', async () => {
    const { run, release } = gate();
    await work(run);
    const token = 'issued-token-1';
    const { db } = product.database;
    const digest = hash('sha256', token, 'hex');
    await db.query(`insert into access_tokens (service, name, role, digest) values ('stt', 'issued', 'user', $1)`, [
      digest,
    ]);
    const isKnown = async () => (await product.call('/v1/models', { token })).status;
    await expect.poll(isKnown, { timeout: 10_000 }).toBe(200);
    const issued = createOpenAi(product.url, token);
    const file = await newRecording();
    const waiting = issued.audio.transcriptions.create({ file, model });
    const read = async () => {
      for await (const _ of await issued.audio.transcriptions.create({ file, model, stream: true }))
        expect.unreachable();
    };
    const refusals = [rejected(waiting), rejected(read())];
    await expect.poll(() => countOf('tasks'), { timeout: 8000 }).toBeGreaterThan(0);
    await setTimeout(500);
    await db.query(`delete from access_tokens where name = 'issued'`);
    for (const refusal of refusals) expect(await refusal).toMatchObject({ code: 'invalid_api_key' });
    release();
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

  it('has one task for concurrent requests with the same file, and one stored file', async () => {
    const { inputs } = await work();
    const file = await newRecording();
    const before = await countOf('files', 'expires_at > now()');
    const requests = Array.from({ length: 6 }, () => openai.audio.transcriptions.create({ file, model }));
    expect(new Set((await Promise.all(requests)).map(({ text }) => text))).toEqual(new Set([TEXT]));
    expect(inputs).toHaveLength(1);
    expect(await countOf('files', 'expires_at > now()')).toBe(before + 1);
    expect(await storedFiles()).not.toEqual([]);
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

  it('receives the warnings of the result in a header', async () => {
    const warnings = ['SPEECH_NOT_RECOGNIZED'];
    const warned = { ...TRANSCRIPT, warnings, unrecognized: [{ start: 1, end: 2 }] };
    const results: unknown[] = [warned, TRANSCRIPT];
    await work(async () => ({ result: results.shift() as never }));
    for (const expected of ['SPEECH_NOT_RECOGNIZED', null]) {
      const request = { file: await newRecording(), model: 'whisper-1', response_format: 'srt' } as const;
      const { response } = await openai.audio.transcriptions.create(request).withResponse();
      expect(response.headers.get('x-service-warnings')).toBe(expected);
    }
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
