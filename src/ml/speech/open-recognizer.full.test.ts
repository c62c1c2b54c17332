import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BRIDGE, sampleWindow } from '../../../test/support/speech/sample-recordings.ts';
import { sleep } from '../../base/loop.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { createRandom } from '../../base/random.ts';
import { findInstalledFolder } from './installed-models.ts';
import { findSpeechModel, listSpeechModels } from './model-list.ts';
import { openRecognizer } from './open-recognizer.ts';
import { type Recognizer, RecognizerError, type VocabularyTerm, type Window } from './recognizer.ts';
import { countWordErrors } from './word-errors/word-errors.ts';

const signal = new AbortController().signal;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'assay-speech-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

describe('whisper-base', { timeout: 60_000 }, () => {
  let whisper: Recognizer;
  beforeAll(async () => {
    whisper = await openRecognizer('whisper-base', { dataDir, cores: 1 });
  });
  afterAll(() => whisper.close());

  test('detects the language and returns text with word times', async () => {
    const window = sampleWindow('bridge', 100);
    const segments = await whisper.recognize(window, { signal });
    expect(segments.map(({ text, language }) => ({ text, language }))).toEqual([{ text: BRIDGE, language: 'en' }]);
    const { start, end, words = [] } = segments[0]!;
    expect(words.map(({ text }) => text).join(' ')).toBe(BRIDGE);
    expect(start).toBeGreaterThanOrEqual(100);
    expect(end).toBeLessThanOrEqual(window.end);
    for (const [i, word] of words.entries()) {
      expect(word.end).toBeGreaterThanOrEqual(word.start);
      expect(word.start).toBeGreaterThanOrEqual(words[i - 1]?.end ?? start);
      expect(word.confidence).toBeGreaterThan(0.1);
      expect(word.confidence).toBeLessThanOrEqual(1);
    }
    expect(words[1]!.start).toBeLessThan(100.6);
    expect(words.at(-1)!.start).toBeGreaterThan(101.2);
  });

  test('detects French', async () => {
    const [first] = await whisper.recognize(sampleWindow('bonjour'), { signal });
    expect(first).toMatchObject({ language: 'fr' });
    expect(first!.text).toMatch(/^Bonjour/);
  });

  test('translates into English', async () => {
    const segments = await whisper.recognize(sampleWindow('bonjour'), { translate: true, signal });
    expect(segments[0]).toMatchObject({ language: 'en' });
    expect(segments[0]!.text).not.toMatch(/bonjour/i);
  });

  test('uses the language of the request', async () => {
    const segments = await whisper.recognize(sampleWindow('bridge'), { language: 'de', signal });
    expect(segments.every(({ language }) => language === 'de')).toBe(true);
  });

  test('writes words outside of a vocabulary of 1000 terms as before', async () => {
    const random = createRandom(3);
    const word = () => Array.from({ length: 9 }, () => 'aeioudlmnrst'[Math.floor(12 * random())]).join('');
    const vocabulary = Array.from({ length: 1000 }, () => ({ term: word() }));
    const [segment] = await whisper.recognize(sampleWindow('bridge'), { vocabulary, signal });
    expect(segment!.text).toBe(BRIDGE);
  });

  test('writes terms that were misheard', async () => {
    const random = createRandom(5);
    const { samples, ...rest } = sampleWindow('bridge');
    const count = async (vocabulary: readonly VocabularyTerm[], window: Window) => {
      const segments = await whisper.recognize(window, { language: 'en', vocabulary, signal });
      return segments.filter(({ text }) => /\bbridge\b/i.test(text)).length;
    };
    let [without, withTerm] = [0, 0];
    for (let i = 0; i < 5; i++) {
      const window = { ...rest, samples: samples.map((sample) => sample + 0.03 * (random() - 0.5)) };
      without += await count([], window);
      withTerm += await count([{ term: 'bridge' }], window);
    }
    expect(withTerm).toBeGreaterThan(without);
  });

  test('keeps words that were heard clearly', async () => {
    const vocabulary = ['britch', 'reparations', 'clothes'].map((term) => ({ term }));
    const [segment] = await whisper.recognize(sampleWindow('bridge'), { vocabulary, signal });
    expect(segment!.text).toBe(BRIDGE);
  });

  test('returns no text for silence, noise and music', async () => {
    const random = createRandom(7);
    const seconds = 6;
    const sounds = {
      silence: new Float32Array(16_000 * seconds),
      noise: Float32Array.from({ length: 16_000 * seconds }, () => 0.2 * random() - 0.1),
      melody: Float32Array.from({ length: 16_000 * seconds }, (_, i) => {
        const note = 220 * 2 ** ([0, 4, 7, 12][Math.floor(i / 8000) % 4]! / 12);
        return 0.2 * Math.sin((2 * Math.PI * note * i) / 16_000);
      }),
    };
    for (const [name, samples] of Object.entries(sounds)) {
      expect(await whisper.recognize({ start: 0, end: seconds, samples }, { signal }), name).toEqual([]);
    }
  });

  test('returns a segment without text for speech that it cannot recognize', async () => {
    const window = sampleWindow('bridge', 100);
    const samples = window.samples.toReversed();
    const [segment, ...rest] = await whisper.recognize({ ...window, samples }, { signal });
    expect(segment).toEqual({ start: 100, end: expect.closeTo(window.end, 3), text: '' });
    expect(rest).toEqual([]);
  });

  test('continues after a pause at which the model stops', async () => {
    const { samples } = sampleWindow('bridge');
    const twice = new Float32Array(3 * samples.length);
    for (const part of [0, 1, 2]) twice.set(samples, part * samples.length);
    const segments = await whisper.recognize({ start: 0, end: twice.length / 16_000, samples: twice }, { signal });
    const text = segments.map((segment) => segment.text).join(' ');
    expect(countWordErrors(`${BRIDGE} ${BRIDGE} ${BRIDGE}`, text).errors).toBeLessThanOrEqual(3);
  });

  test('does not transfer the window of its caller or block the event loop', async () => {
    const window = sampleWindow('bridge');
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await whisper.recognize(window, { language: 'en', signal });
    clearInterval(timer);
    expect(window.samples.length).toBeGreaterThan(0);
    expect(ticks).toBeGreaterThan(10);
  });

  test('rejects with the reason of the signal and recognizes the next window', async () => {
    const stop = new AbortController();
    const reason = new Error('Cancelled.');
    const running = whisper.recognize(sampleWindow('bridge'), { language: 'en', signal: stop.signal });
    const waiting = whisper.recognize(sampleWindow('bridge'), { language: 'en', signal: stop.signal });
    setTimeout(() => stop.abort(reason), 100);
    await expect(running).rejects.toBe(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await whisper.recognize(sampleWindow('bridge'), { language: 'en', signal })).toMatchObject([
      { text: BRIDGE },
    ]);
  });

  test('runs beside Moonshine, which loads another version of onnxruntime', async () => {
    const moonshine = await openRecognizer('moonshine-tiny', { dataDir, cores: 1 });
    try {
      const both = [whisper, moonshine].map((recognizer) => recognizer.recognize(sampleWindow('bridge'), { signal }));
      const results = await Promise.all(both);
      expect(results.map(([segment]) => segment?.text)).toEqual([BRIDGE, BRIDGE]);
    } finally {
      await moonshine.close();
    }
  });

  test('recognizes two windows at once, and more in turn, when it has two cores', async () => {
    const other = await openRecognizer('whisper-base', { dataDir, cores: 2 });
    try {
      expect(other.parallel).toBe(2);
      const windows = [sampleWindow('bridge', 10), sampleWindow('bonjour', 20), sampleWindow('bridge', 30)];
      const segments = await Promise.all(windows.map((window) => other.recognize(window, { signal })));
      expect(segments.map(([first]) => first!.language)).toEqual(['en', 'fr', 'en']);
      expect(segments.map(([first]) => Math.floor(first!.start / 10))).toEqual([1, 2, 3]);
      expect(segments[2]![0]!.text).toBe(BRIDGE);
    } finally {
      await other.close();
    }
  });

  test('ends the thread that is starting when it is closed', async () => {
    const other = await openRecognizer('whisper-base', { dataDir, cores: 2 });
    const both = [1, 2].map(() => other.recognize(sampleWindow('bridge'), { signal }));
    const settled = Promise.allSettled(both);
    await other.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('rejects with RecognizerError after it is closed', async () => {
    const other = await openRecognizer('whisper-base', { dataDir, cores: 1 });
    const underWay = other.recognize(sampleWindow('bridge'), { signal });
    underWay.catch(() => {});
    // Long enough to be inside a network run, which must not be terminated.
    await sleep(150);
    await other.close();
    await expect(underWay).rejects.toBeInstanceOf(RecognizerError);
    await expect(other.recognize(sampleWindow('bridge'), { signal })).rejects.toBeInstanceOf(RecognizerError);
  });
});

describe.each(['moonshine-tiny', 'moonshine-base'])('%s', (name) => {
  test('recognizes English and rejects other languages', async () => {
    const moonshine = await openRecognizer(name, { dataDir, cores: 1 });
    try {
      const window = sampleWindow('bridge', 50);
      const segments = await moonshine.recognize(window, { signal });
      expect(segments).toEqual([{ start: 50, end: window.end, text: BRIDGE, language: 'en' }]);
      await expect(moonshine.recognize(window, { translate: true, signal })).rejects.toBeInstanceOf(RecognizerError);
      const rejected = moonshine.recognize(window, { language: 'ru', signal });
      await expect(rejected).rejects.toMatchObject({ name: 'RecognizerError', transient: false });
    } finally {
      await moonshine.close();
    }
  });
});

test('openRecognizer lists the available models for an unknown name', async () => {
  const error = await openRecognizer('whisper-huge', { dataDir }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OperatorError);
  expect((error as Error).message).toMatch(/Unknown speech model whisper-huge\. .*whisper-base/);
});

test('openRecognizer explains how to install a missing model', async () => {
  await expect(openRecognizer('gigaam-v3', { dataDir })).rejects.toThrow(
    'Install it with `node scripts/assay.mjs models pull gigaam-v3`.',
  );
});

test('openRecognizer rejects a modified model file', async () => {
  const manifest = findSpeechModel('moonshine-tiny')!;
  const folder = join(dataDir, 'models/stt/moonshine-tiny');
  await cp(findInstalledFolder(manifest, join(dataDir, 'elsewhere'))!, folder, { recursive: true });
  const encoder = await readFile(join(folder, 'encoder_model.onnx'));
  encoder[encoder.length - 1]! ^= 1;
  await writeFile(join(folder, 'encoder_model.onnx'), encoder);
  await expect(openRecognizer('moonshine-tiny', { dataDir })).rejects.toThrow(
    'encoder_model.onnx does not match the model moonshine-tiny',
  );
});

test('every speech manifest has a source, and download URLs are pinned to a revision', () => {
  for (const { name, url, package: ofPackage } of listSpeechModels()) {
    expect(url ?? ofPackage?.name, name).toBeDefined();
    if (url !== undefined) expect(url, name).toMatch(/\/resolve\/[0-9a-f]{40}\/$/);
  }
});
