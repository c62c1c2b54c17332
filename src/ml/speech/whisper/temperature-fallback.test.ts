import { expect, test } from 'vitest';
import { fakeDecoder, LETTERS, logitsFor } from '../../../../test/support/speech/fake-decoder.ts';
import type { Transcript } from './decode.ts';
import { compressionRatio, transcribeWithFallback } from './temperature-fallback.ts';

const options = {
  vocabulary: LETTERS,
  language: 'en',
  probability: 1,
  seconds: 10,
  noSpeech: 0,
  throwIfStopped: () => {},
};
const END = LETTERS.endOfText;
const spells = (text: string) => [...text].map((letter) => letter.charCodeAt(0) - 97);
const says = (text: string, probability: number) => {
  const tokens = [...spells(text), END];
  return fakeDecoder((text) => logitsFor(tokens[Math.min(text.length, tokens.length - 1)]!, probability)).encoded;
};
const textOf = (transcript: Transcript | undefined) =>
  transcript && LETTERS.text(transcript.tokens.map(({ token }) => token));

test('transcribeWithFallback returns a confident transcript', async () => {
  expect(textOf(await transcribeWithFallback(says('hello', 0.9), options))).toBe('hello');
});

test('transcribeWithFallback requires high confidence when the no-speech probability is high', async () => {
  expect(textOf(await transcribeWithFallback(says('you', 0.5), { ...options, noSpeech: 0.9 }))).toBe('');
  expect(textOf(await transcribeWithFallback(says('you', 0.95), { ...options, noSpeech: 0.9 }))).toBe('you');
});

test('transcribeWithFallback accepts low confidence only with a certain language', async () => {
  expect(textOf(await transcribeWithFallback(says('hello', 0.3), options))).not.toBe('');
  expect(textOf(await transcribeWithFallback(says('hello', 0.3), { ...options, probability: 0.4 }))).toBeUndefined();
});

test('transcribeWithFallback returns undefined for very low confidence', async () => {
  expect(await transcribeWithFallback(says('hello', 0.1), options)).toBeUndefined();
});

test('transcribeWithFallback retries a loop with sampling and drops it if it remains', async () => {
  const stuck = fakeDecoder(() => logitsFor(3, 0.999999)).encoded;
  expect(await transcribeWithFallback(stuck, options)).toBeUndefined();
  const target = spells('onceagain');
  const torn = fakeDecoder((text) => {
    const isStuck = text.every((token) => token === 3);
    if (isStuck && text.length > 0)
      return logitsFor(3, 0.5).map((logit, token) => (token === END ? Math.log(0.45) : logit));
    return logitsFor(text.length === 0 ? 3 : (target[text.length] ?? END), 0.9);
  }).encoded;
  const transcript = (await transcribeWithFallback(torn, options))!;
  expect(transcript.stopped).toBe('end');
  expect(transcript.tokens.length).toBeGreaterThan(0);
});

test('transcribeWithFallback keeps a confident repetition of a sentence but not a loop', async () => {
  const once = 'onthenorthsidethewallisdryandthefloorhascracks';
  const resultFor = async (speech: string, probability: number) =>
    textOf(await transcribeWithFallback(says(speech, probability), { ...options, seconds: 30 }));
  expect(compressionRatio(once.repeat(3))).toBeGreaterThan(2.4);
  expect(await resultFor(once.repeat(3), 0.999)).toBe(once.repeat(3));
  expect(await resultFor(once.repeat(3), 0.5)).not.toBe(once.repeat(3));
  expect(await resultFor('thewallisdry'.repeat(10), 0.999)).toBeUndefined();
});

test('transcribeWithFallback is reproducible', async () => {
  const vague = fakeDecoder((text) => logitsFor(text.length < 8 ? text.length : END, 0.25)).encoded;
  const first = textOf(await transcribeWithFallback(vague, options));
  expect(textOf(await transcribeWithFallback(vague, options))).toBe(first);
});

test('compressionRatio is high for repetitive text', () => {
  expect(compressionRatio('And so, my fellow Americans: ask not what your country can do for you.')).toBeLessThan(1.5);
  expect(compressionRatio('Thank you for watching. '.repeat(10))).toBeGreaterThan(2.4);
});
