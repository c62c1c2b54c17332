import { expect, test } from 'vitest';
import { LETTERS, likely, speaker } from '../testing/heard.ts';
import { hearLanguage, noSpeechProbability, transcribe } from './decode.ts';

const throwIfStopped = () => {};
const END = LETTERS.endOfText;
const spells = (text: string) => [...text].map((letter) => letter.charCodeAt(0) - 97);
const says = (text: string, probability = 0.9) => {
  const tokens = [...spells(text), END];
  return speaker((said) => likely(tokens[said.length]!, probability));
};
const textOf = ({ spoken }: { spoken: readonly { token: number }[] }) => LETTERS.text(spoken.map(({ token }) => token));

test('a transcript is what the model finds likeliest, letter by letter, until it ends', async () => {
  const { heard, told } = says('hello');
  const transcript = await transcribe(heard, LETTERS, 'ru', { most: 50, throwIfStopped });
  expect(textOf(transcript)).toBe('hello');
  expect(transcript.stopped).toBe('end');
  // The language, what to do, and that no times are wanted go before.
  expect(told[2]).toEqual([32, LETTERS.transcribe, LETTERS.noTimestamps]);
  for (const { logProbability } of transcript.spoken) expect(logProbability).toBeCloseTo(Math.log(0.9), 1);
});

test('what is no text is never chosen, however likely, nor an end before the beginning', async () => {
  const { heard } = speaker((said) => {
    const logits = likely(said.length === 0 ? 7 : END, 0.1);
    if (said.length === 0) for (const token of [END, LETTERS.noSpeech, 31, 25]) logits[token] = 5;
    return logits;
  });
  expect(textOf(await transcribe(heard, LETTERS, 'en', { most: 50, throwIfStopped }))).toBe('h');
});

test('a model that repeats itself is stopped', async () => {
  const one = speaker(() => likely(3, 0.99));
  const stuck = await transcribe(one.heard, LETTERS, 'en', { most: 200, throwIfStopped });
  expect(stuck).toMatchObject({ stopped: 'loop' });
  expect(stuck.spoken.length).toBeLessThan(20);
  const phrase = spells('abcdefghij');
  const many = speaker((said) => likely(phrase[said.length % phrase.length]!, 0.99));
  const looping = await transcribe(many.heard, LETTERS, 'en', { most: 200, throwIfStopped });
  expect(looping).toMatchObject({ stopped: 'loop' });
  expect(looping.spoken.length).toBeLessThanOrEqual(40);
});

test('a text that people say is no loop', async () => {
  const text = 'hahaha'.concat('nonono', 'verywell', 'verywell', 'goodbye');
  const transcript = await transcribe(says(text).heard, LETTERS, 'en', { most: 200, throwIfStopped });
  expect([transcript.stopped, textOf(transcript)]).toEqual(['end', text]);
});

test('a model that does not end is cut off', async () => {
  const { heard } = speaker((said) => likely((said.length * 7) % 25, 0.9));
  const transcript = await transcribe(heard, LETTERS, 'en', { most: 10, throwIfStopped });
  expect([transcript.stopped, transcript.spoken.length]).toEqual(['length', 10]);
});

test('with warmth, chance decides', async () => {
  const { heard } = speaker((said) => likely(said.length === 0 ? 0 : END, 0.5));
  const drawn = async (chance: number) =>
    textOf(await transcribe(heard, LETTERS, 'en', { most: 1, temperature: 1, random: () => chance, throwIfStopped }));
  expect(await drawn(0)).toBe('a');
  expect(await drawn(0.9999)).toBe('y');
});

test('somebody who no longer waits ends it', async () => {
  const { heard } = says('hello');
  const stopped = transcribe(heard, LETTERS, 'en', {
    most: 50,
    throwIfStopped: () => {
      throw new Error('Enough.');
    },
  });
  await expect(stopped).rejects.toThrow('Enough.');
});

test('the language is the likeliest of those that the model knows', () => {
  const logits = likely(32, 0.6);
  logits[31] = logits[32]! - Math.log(3);
  const { language, probability } = hearLanguage({ ...says('').heard, logits }, LETTERS);
  expect(language).toBe('ru');
  expect(probability).toBeCloseTo(0.75, 5);
});

test('that nobody speaks is a probability among all tokens', () => {
  expect(noSpeechProbability({ ...says('').heard, logits: likely(LETTERS.noSpeech, 0.8) }, LETTERS)).toBeCloseTo(
    0.8,
    5,
  );
});
