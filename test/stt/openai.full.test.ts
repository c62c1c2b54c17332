import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { toFile } from 'openai';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Job } from '../../src/services/shared/service.ts';
import { cleanUp, signalTo } from '../support/processes/assay.ts';
import { TOKEN } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { type Product, startProduct } from '../support/product.ts';
import { createFakeSpeechModel, TRANSCRIPT, wavHead } from '../support/speech/fake-model.ts';
import { createOpenAi, newRecording } from '../support/speech/openai-client.ts';
import { BRIDGE, sampleWindow } from '../support/speech/sample-recordings.ts';
import { expectResumed, plain, startedWindows, startSpeech } from '../support/speech/start-speech.ts';

vi.setConfig({ testTimeout: 900_000 });
afterEach(cleanUp);

const NOTE = new URL('../../examples/voice-note.mp3', import.meta.url);
const model = 'whisper-base';

let product: Product;
/** Takes longer than the listener keeps idle connections. It begins first, so that the other tests run meanwhile. */
let waiting: Promise<unknown>;

beforeAll(async () => {
  const run = async ({ signal }: Job) => {
    // An attempt whose lease was lost, on a busy machine, ends at once: otherwise the worker would be stuck.
    await delay(70_000, undefined, { signal });
    return { result: TRANSCRIPT as never };
  };
  product = await startProduct({ service: 'stt', model: createFakeSpeechModel({ run, timeLimitMs: 300_000 }) });
  const file = await newRecording();
  waiting = (async () => createOpenAi(product.url, TOKEN).audio.transcriptions.create({ file, model }))();
  waiting.catch(() => {});
});
afterAll(() => product.stop());

it('The openai client transcribes, streams and translates with the shipped model', async () => {
  const assay = await startSpeech();
  const openai = createOpenAi(assay.url, TOKEN, { timeout: 600_000 });
  const note = await toFile(await readFile(NOTE), 'note.mp3');
  const { words, segments, language } = await openai.audio.transcriptions.create({
    ...{ file: note, model, response_format: 'verbose_json' },
    timestamp_granularities: ['word', 'segment'],
  });
  const text = segments!.map((segment) => segment.text).join(' ');
  expect(plain(text)).toContain('the inspection of the north stairwell is finished');
  expect(words!.map(({ word }) => word).join(' ')).toBe(text);
  expect(language).toBe('english');

  let streamed = '';
  for await (const event of await openai.audio.transcriptions.create({ file: note, model, stream: true })) {
    if (event.type === 'transcript.text.delta') streamed += event.delta;
    if (event.type === 'transcript.text.done') expect(event.text).toBe(streamed);
  }
  expect(streamed).toBe(text);

  const bonjour = readFileSync(new URL('../support/speech/bonjour.wav', import.meta.url));
  const file = await toFile(bonjour, 'bonjour.wav');
  expect((await openai.audio.transcriptions.create({ file, model })).text).toMatch(/^Bonjour/);
  const translation = await openai.audio.translations.create({ file, model, response_format: 'verbose_json' });
  expect(translation).toMatchObject({ task: 'translate', language: 'english' });
  expect(translation.text).not.toMatch(/bonjour/i);
});

it('The openai client gets a recording of two hours, waiting and streaming, whose worker is killed', async () => {
  const assay = await startSpeech({ LOG_LEVEL: 'debug', STT_OPENAI_WAIT_SECONDS: '20' });
  const openai = createOpenAi(assay.url, TOKEN, { timeout: 800_000, maxRetries: 100 });
  const file = await toFile(twoHours(), 'two-hours.wav');
  const waiting = openai.audio.transcriptions.create({ file, model, language: 'en' });
  let streamed = '';
  let whole: string | undefined;
  let killed = false;
  for await (const event of await openai.audio.transcriptions.create({ file, model, language: 'en', stream: true })) {
    if (event.type === 'transcript.text.done') whole = event.text;
    if (event.type !== 'transcript.text.delta') continue;
    streamed += event.delta;
    if (!killed) {
      killed = true;
      await waitUntil(() => startedWindows(assay).length >= 2, 60_000);
      signalTo(await assay.child('work'), 'SIGKILL');
    }
  }
  const expected = Array(SENTENCES).fill(BRIDGE).join(' ');
  expect([streamed, whole, (await waiting).text]).toEqual([expected, expected, expected]);
  expectResumed(assay, SENTENCES);
});

const SENTENCES = 9;

/** Two hours of 8-bit sound with a sentence every 15 minutes. */
function twoHours(): Buffer {
  const rate = 16_000;
  const samples = Buffer.alloc(rate * 7200, 128);
  const sentence = sampleWindow('bridge').samples;
  for (let n = 0; n < SENTENCES; n++) {
    const from = Math.min((n * 900 + 1) * rate, samples.length - sentence.length - rate);
    for (const [i, sample] of sentence.entries()) samples[from + i] = 128 + Math.round(sample * 127);
  }
  return Buffer.concat([wavHead({ rate, bytesPerSample: 1, bytes: samples.length }), samples]);
}

it('A request of the OpenAI-compatible API may wait longer than the listener keeps idle connections', async () => {
  expect(await waiting).toMatchObject({ text: TRANSCRIPT.transcription });
});
