import { expect, test } from 'vitest';
import { fakeDecoder, LETTERS, logitsFor } from '../../../../test/support/speech/fake-decoder.ts';
import { detectLanguage, noSpeechProbability, type Transcript, transcribe } from './decode.ts';

const throwIfStopped = () => {};
const END = LETTERS.endOfText;
const spells = (text: string) => [...text].map((letter) => letter.charCodeAt(0) - 97);
const says = (text: string, probability = 0.9) => {
  const tokens = [...spells(text), END];
  return fakeDecoder((text) => logitsFor(tokens[text.length]!, probability));
};
const textOf = ({ tokens: spoken }: Transcript) => LETTERS.text(spoken.map(({ token }) => token));

test('transcribe decodes greedily to the end token', async () => {
  const { encoded, steps } = says('hello');
  const transcript = await transcribe(encoded, LETTERS, 'ru', { maxTokens: 50, throwIfStopped });
  expect(textOf(transcript)).toBe('hello');
  expect(transcript.stopped).toBe('end');
  expect(steps[2]).toEqual([32, LETTERS.transcribe, LETTERS.noTimestamps]);
  for (const { logProbability } of transcript.tokens) expect(logProbability).toBeCloseTo(Math.log(0.9), 1);
});

test('transcribe starts with the token of the task', async () => {
  const { encoded, steps } = says('hello');
  await transcribe(encoded, LETTERS, 'ru', { task: LETTERS.translate, maxTokens: 50, throwIfStopped });
  expect(steps[2]).toEqual([32, LETTERS.translate, LETTERS.noTimestamps]);
});

test('transcribe never chooses suppressed tokens, nor the end token first', async () => {
  const { encoded } = fakeDecoder((text) => {
    const logits = logitsFor(text.length === 0 ? 7 : END, 0.1);
    if (text.length === 0) for (const token of [END, LETTERS.noSpeech, 31, 25]) logits[token] = 5;
    return logits;
  });
  expect(textOf(await transcribe(encoded, LETTERS, 'en', { maxTokens: 50, throwIfStopped }))).toBe('h');
});

test('transcribe stops a repeating model', async () => {
  const one = fakeDecoder(() => logitsFor(3, 0.99));
  const stuck = await transcribe(one.encoded, LETTERS, 'en', { maxTokens: 200, throwIfStopped });
  expect(stuck).toMatchObject({ stopped: 'loop' });
  expect(stuck.tokens.length).toBeLessThan(20);
  const phrase = spells('abcdefghij');
  const many = fakeDecoder((text) => logitsFor(phrase[text.length % phrase.length]!, 0.99));
  const looping = await transcribe(many.encoded, LETTERS, 'en', { maxTokens: 200, throwIfStopped });
  expect(looping).toMatchObject({ stopped: 'loop' });
  expect(looping.tokens.length).toBeLessThanOrEqual(40);
});

test('transcribe does not treat natural repetition as a loop', async () => {
  const phrase = 'hahaha'.concat('nonono', 'verywell', 'verywell', 'goodbye');
  const transcript = await transcribe(says(phrase).encoded, LETTERS, 'en', { maxTokens: 200, throwIfStopped });
  expect([transcript.stopped, textOf(transcript)]).toEqual(['end', phrase]);
});

test('transcribe stops at the token limit', async () => {
  const { encoded } = fakeDecoder((text) => logitsFor((text.length * 7) % 25, 0.9));
  const transcript = await transcribe(encoded, LETTERS, 'en', { maxTokens: 10, throwIfStopped });
  expect([transcript.stopped, transcript.tokens.length]).toEqual(['length', 10]);
});

test('transcribe samples at a temperature above 0', async () => {
  const { encoded } = fakeDecoder((text) => logitsFor(text.length === 0 ? 0 : END, 0.5));
  const sampled = async (chance: number) =>
    textOf(
      await transcribe(encoded, LETTERS, 'en', { maxTokens: 1, temperature: 1, random: () => chance, throwIfStopped }),
    );
  expect(await sampled(0)).toBe('a');
  expect(await sampled(0.9999)).toBe('y');
});

test('transcribe stops when throwIfStopped throws', async () => {
  const { encoded } = says('hello');
  const stopped = transcribe(encoded, LETTERS, 'en', {
    maxTokens: 50,
    throwIfStopped: () => {
      throw new Error('Enough.');
    },
  });
  await expect(stopped).rejects.toThrow('Enough.');
});

test('detectLanguage returns the most likely language of the vocabulary', () => {
  const logits = logitsFor(32, 0.6);
  logits[31] = logits[32]! - Math.log(3);
  const { language, probability } = detectLanguage({ ...says('').encoded, logits }, LETTERS);
  expect(language).toBe('ru');
  expect(probability).toBeCloseTo(0.75, 5);
});

test('noSpeechProbability is the probability among all tokens', () => {
  expect(noSpeechProbability({ ...says('').encoded, logits: logitsFor(LETTERS.noSpeech, 0.8) }, LETTERS)).toBeCloseTo(
    0.8,
    5,
  );
});
