import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  concatenate,
  isSame,
  join16k,
  noise,
  silence,
  tones,
  voicePath,
} from '../../../test/support/audio/recordings.ts';
import type { Window } from '../speech/recognizer.ts';
import { openAudio } from './open-audio.ts';
import { cutWindows, openSpeechDetector, type SpeechDetector } from './windows.ts';

const { signal } = new AbortController();
let detector: SpeechDetector;
let voice: Float32Array;
beforeAll(async () => {
  detector = await openSpeechDetector();
  const audio = await openAudio(voicePath('flac'), { signal, maxSeconds: 60, decoder: 'wasm' });
  voice = await join16k(audio.pieces({ signal }));
});
afterAll(() => detector.close());

type Output = Window | { processedUntil: number };
async function* inChunks(samples: Float32Array, length = 5000): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += length) yield samples.subarray(at, at + length);
}
async function cut(samples: Float32Array, options: { maxSeconds?: number; fromSeconds?: number; piece?: number } = {}) {
  const { maxSeconds = 30, fromSeconds = 0, piece } = options;
  const made: Output[] = [];
  const pieces = inChunks(samples.subarray(Math.round(fromSeconds * 16_000)), piece);
  for await (const one of cutWindows(pieces, { detector, maxSeconds, fromSeconds, signal })) made.push(one);
  return { made, windows: made.filter((one): one is Window => 'samples' in one) };
}
const summary = (made: readonly Output[]) =>
  made.map((one) =>
    'samples' in one ? { ...one, samples: one.samples.reduce((sum, v, i) => sum + v * (i % 97), 0) } : one,
  );
const speechSeconds = (windows: readonly Window[]) => windows.reduce((sum, { start, end }) => sum + end - start, 0);

describe('cutWindows with speech', () => {
  test('finds speech and returns the samples of its time range', async () => {
    const recording = concatenate(silence(5), voice, silence(6), voice, silence(4));
    const { windows, made } = await cut(recording);
    expect(windows).toHaveLength(2);
    for (const [i, begins] of [5, 5 + voice.length / 16_000 + 6].entries()) {
      const { start, end, samples } = windows[i]!;
      expect(Math.abs(start - begins)).toBeLessThan(0.5);
      expect(Math.abs(end - (begins + voice.length / 16_000))).toBeLessThan(0.5);
      expect(isSame(samples, recording.subarray(Math.round(start * 16_000), Math.round(end * 16_000)))).toBe(true);
    }
    expect(made.at(-1)).toEqual({ processedUntil: recording.length / 16_000 });
  });

  test('cuts unbroken speech into windows within the limit without losing samples', async () => {
    const recording = concatenate(...Array.from({ length: 8 }, () => voice));
    const { windows } = await cut(recording, { maxSeconds: 5 });
    expect(windows.length).toBeGreaterThan(6);
    for (const window of windows) expect(window.end - window.start).toBeLessThanOrEqual(5);
    expect(speechSeconds(windows)).toBeGreaterThan((recording.length / 16_000) * 0.97);
  });

  test('returns the same windows for any chunk size', async () => {
    const recording = concatenate(silence(2), voice, silence(3), voice, voice);
    const { made } = await cut(recording, { maxSeconds: 6 });
    for (const piece of [333, 100_000]) {
      expect(summary((await cut(recording, { maxSeconds: 6, piece })).made)).toEqual(summary(made));
    }
  });

  test('returns the same windows when it resumes from a cut', async () => {
    const recording = concatenate(
      silence(35),
      voice,
      silence(0.4),
      voice,
      silence(3),
      voice,
      voice,
      silence(40),
      voice,
    );
    const { made } = await cut(recording, { maxSeconds: 6 });
    expect(made.length).toBeGreaterThan(6);
    for (const [i, one] of made.entries()) {
      const fromSeconds = 'samples' in one ? one.end : one.processedUntil;
      expect(summary((await cut(recording, { maxSeconds: 6, fromSeconds })).made)).toEqual(summary(made.slice(i + 1)));
    }
  });
});

describe('cutWindows without speech', () => {
  test('returns no window for ten minutes of silence and reports the position regularly', async () => {
    const { made, windows } = await cut(silence(600));
    expect(windows).toEqual([]);
    expect(made.length).toBeGreaterThan(15);
    expect(made.at(-1)).toEqual({ processedUntil: 600 });
  });

  test('returns no window for a minute of white noise at any volume', async () => {
    for (const loud of [0.5, 0.05, 0.002]) {
      const { windows } = await cut(noise(60 * 16_000).map((value) => value * loud));
      expect(windows).toEqual([]);
    }
  });

  test('returns no window for a minute of pink noise', async () => {
    let low = 0;
    const pink = noise(60 * 16_000, 5).map((value) => {
      low = 0.97 * low + 0.03 * value;
      return low * 2 + value * 0.1;
    });
    expect((await cut(pink)).windows).toEqual([]);
  });

  test('finds less than six seconds of speech in a minute of music', async () => {
    expect(speechSeconds((await cut(arpeggios(60))).windows)).toBeLessThan(6);
    expect(speechSeconds((await cut(tones(60, 16_000))).windows)).toBeLessThan(6);
  });

  test('returns nothing for an empty recording', async () => {
    expect((await cut(silence(0))).made).toEqual([]);
  });
});

test('cutWindows ends its source when the consumer stops', async () => {
  let ended = false;
  const pieces = async function* () {
    try {
      for (;;) yield voice;
    } finally {
      ended = true;
    }
  };
  for await (const _ of cutWindows(pieces(), { detector, maxSeconds: 10, signal })) break;
  expect(ended).toBe(true);
});

test('cutWindows rejects after the signal has aborted', async () => {
  const stop = new AbortController();
  const windows = cutWindows(inChunks(concatenate(voice, voice, voice)), {
    detector,
    maxSeconds: 5,
    signal: stop.signal,
  });
  await windows.next();
  stop.abort(new Error('cancelled'));
  await expect(windows.next()).rejects.toThrow('cancelled');
});

test('the speech detector keeps the state of concurrent streams apart', async () => {
  const frames = voice.slice(0, 512 * 100);
  const alone = await detector.createStream().detect(frames);
  const [one, other] = [detector.createStream(), detector.createStream()];
  const halves: Float32Array[] = [];
  for (const from of [0, 512 * 50]) {
    halves.push(await one.detect(frames.slice(from, from + 512 * 50)));
    await other.detect(noise(512 * 10));
  }
  expect(concatenate(...halves)).toEqual(alone);
});

test('a closed speech detector rejects pending and later requests', async () => {
  const closed = await openSpeechDetector();
  const [started, queued] = [1, 2].map(() =>
    expect(closed.createStream().detect(noise(512 * 1000))).rejects.toThrow(/ended|closed/),
  );
  await nextTurn();
  await closed.close();
  await started;
  await queued;
  await expect(closed.createStream().detect(noise(512))).rejects.toThrow('closed');
});

/** Two voices in a minor scale with four overtones per note and a volume envelope. */
function arpeggios(seconds: number): Float32Array {
  const scale = [0, 2, 3, 5, 7, 8, 10, 12].map((step) => 220 * 2 ** (step / 12));
  const noteSamples = 4800;
  return Float32Array.from({ length: seconds * 16_000 }, (_, i) => {
    const note = Math.floor(i / noteSamples);
    const within = (i % noteSamples) / noteSamples;
    const swell = Math.min(1, within * 12, (1 - within) * 12) * 0.15;
    const voices = [scale[(note * 3) % 8]!, scale[(note * 5 + 2) % 8]! / 2];
    let sum = 0;
    for (const hertz of voices) {
      for (let overtone = 1; overtone <= 4; overtone++)
        sum += Math.sin((2 * Math.PI * hertz * overtone * i) / 16_000) / overtone;
    }
    return sum * swell;
  });
}
