import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { findSpeechModel } from '../../ml/speech/model-list.ts';
import { measurementLines, measurementsAsJson } from './format-measurements.ts';
import { measureModel } from './measure.ts';
import { bundledRecordings, findRecordings } from './recordings.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-try-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const options = () => ({ dataDir: join(folder, 'data'), signal: new AbortController().signal, onProgress() {} });

it('findRecordings returns recordings with a text beside them and names the others', async () => {
  for (const name of ['a.mp3', 'sub/b.ogg', 'c.wav']) {
    await mkdir(join(folder, 'sub'), { recursive: true });
    await writeFile(join(folder, name), 'sound');
  }
  await writeFile(join(folder, 'a.txt'), '\uFEFFHello.');
  await writeFile(join(folder, 'sub/b.txt'), 'Good bye.');
  const { recordings, skipped } = await findRecordings(folder);
  expect(recordings.map(({ name, reference }) => [name, reference])).toEqual([
    ['a.mp3', 'Hello.'],
    ['sub/b.ogg', 'Good bye.'],
  ]);
  expect(skipped).toEqual(['c.wav']);
});

it.each([
  ['missing', /^There is no folder/],
  ['empty', /has no recordings/],
  ['texts-missing', /^None of the 1 recordings in .* has a text file beside it/],
  ['long', /a\.txt is larger than 1 MiB\.$/],
  ['windows-1251', /a\.txt is not UTF-8\.$/],
])('findRecordings rejects a folder: %s', async (name, message) => {
  await mkdir(join(folder, 'empty'));
  for (const each of ['texts-missing', 'long', 'windows-1251']) {
    await mkdir(join(folder, each));
    await writeFile(join(folder, each, 'a.mp3'), 'sound');
  }
  await writeFile(join(folder, 'long/a.txt'), Buffer.alloc(2 ** 20 + 1, 'a'));
  await writeFile(join(folder, 'windows-1251/a.txt'), Buffer.from([0xcf, 0xf0, 0xe8]));
  await expect(findRecordings(join(folder, name))).rejects.toThrow(message);
});

it('the bundled clips are English and Russian', async () => {
  const recordings = await bundledRecordings();
  expect(new Set(recordings.map(({ language }) => language))).toEqual(new Set(['en', 'ru']));
});

it('measureModel counts word errors, reports a broken recording and continues', { timeout: 120_000 }, async () => {
  const [clip] = await bundledRecordings();
  const broken = join(folder, 'broken.ogg');
  await writeFile(broken, 'not a recording');
  const recordings = [{ name: 'broken.ogg', path: broken, reference: 'lost' }, clip!];
  const progress: number[] = [];
  const measured = await measureModel('moonshine-tiny', recordings, {
    ...options(),
    onProgress: (done) => progress.push(done),
  });
  expect(progress).toEqual([1, 2]);
  const [first, second] = measured.results;
  expect(first).toMatchObject({ broken: 'The file is not an audio recording in a supported format.' });
  if (!second || 'broken' in second) return expect.unreachable();
  expect(second.words).toBeGreaterThan(40);
  expect(second.errors).toBeLessThan(0.2 * second.words);
  expect(second.cpuSeconds).toBeGreaterThan(0);
  expect(measured.peakBytes).toBeGreaterThan(50e6);
});

it.each([
  ['garbage', /^whisper-large-v3-turbo: /],
  ['no files', /^gigaam-v3: The speech model gigaam-v3 is not installed\./],
])('measureModel rejects a model with %s', { timeout: 60_000 }, async (kind, message) => {
  const name = kind === 'garbage' ? 'whisper-large-v3-turbo' : 'gigaam-v3';
  if (kind === 'garbage') {
    for (const file of Object.keys(findSpeechModel(name)!.files)) {
      const path = join(folder, 'data/models/stt', name, file);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, '{}');
    }
  }
  await expect(measureModel(name, await bundledRecordings(), options())).rejects.toThrow(message);
});

it('measureModel stops when it is interrupted', { timeout: 60_000 }, async () => {
  const stop = new AbortController();
  const measuring = measureModel('moonshine-tiny', await bundledRecordings(), { ...options(), signal: stop.signal });
  stop.abort();
  await expect(measuring).rejects.toThrow('Stopped.');
});

it('the table has a column for each model and the errors of each recording', () => {
  const recording = (name: string, language?: string) => ({ name, path: name, language, reference: '' });
  const result = (errors: number) => ({ errors, words: 50, seconds: 10, elapsedSeconds: 2, cpuSeconds: 3, text: 'a' });
  const measurements = [
    {
      model: 'whisper-base',
      peakBytes: 700e6,
      results: [
        { recording: recording('a.ogg', 'en'), ...result(5) },
        { recording: recording('b.ogg'), broken: 'The file is empty.' },
      ],
    },
    { model: 'gigaam-v3', peakBytes: 900e6, results: [{ recording: recording('b.ogg'), ...result(1) }] },
  ];
  expect(measurementLines(measurements, 'whisper-base')).toEqual([
    '                        whisper-base (current)  gigaam-v3',
    'Wrong words, English    10.0 % (5 of 50)        –',
    'Wrong words, folder     –                       2.0 % (1 of 50)',
    'Real-time factor        0.20                    0.20',
    'CPU-seconds per second  0.30                    0.30',
    'Peak memory             700 MB                  900 MB',
    '',
    'a.ogg                   5 of 50                 –',
    'b.ogg                   failed                  1 of 50',
  ]);
  expect(measurementsAsJson(measurements, { current: 'whisper-base', skipped: [] }).models).toMatchObject([
    { model: 'whisper-base', current: true, errors: 5, words: 50, recordings: [{}, { error: 'The file is empty.' }] },
    { model: 'gigaam-v3', current: false, real_time_factor: 0.2, peak_memory_bytes: 900e6 },
  ]);
});
