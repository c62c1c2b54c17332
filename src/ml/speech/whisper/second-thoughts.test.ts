import { expect, test } from 'vitest';
import { LETTERS, likely, speaker } from '../testing/heard.ts';
import { compressionRatio, faithful } from './second-thoughts.ts';

const circumstances = {
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
  return speaker((said) => likely(tokens[Math.min(said.length, tokens.length - 1)]!, probability)).heard;
};
const textOf = ({ spoken }: { spoken: readonly { token: number }[] }) => LETTERS.text(spoken.map(({ token }) => token));

test('what the model believes is taken as it is', async () => {
  expect(textOf(await faithful(says('hello', 0.9), circumstances))).toBe('hello');
});

test('where it thinks that nobody speaks, only what it is sure of is taken', async () => {
  expect(textOf(await faithful(says('you', 0.5), { ...circumstances, noSpeech: 0.9 }))).toBe('');
  expect(textOf(await faithful(says('you', 0.95), { ...circumstances, noSpeech: 0.9 }))).toBe('you');
});

test('what is hardly believed is taken only in a language that is surely spoken', async () => {
  expect(textOf(await faithful(says('hello', 0.3), circumstances))).not.toBe('');
  expect(textOf(await faithful(says('hello', 0.3), { ...circumstances, probability: 0.4 }))).toBe('');
});

test('what is not believed at all is not taken', async () => {
  expect(textOf(await faithful(says('hello', 0.1), circumstances))).toBe('');
});

test('a loop is tried again with chance in it, and given up when it stays one', async () => {
  const stuck = speaker(() => likely(3, 0.999999)).heard;
  expect(textOf(await faithful(stuck, circumstances))).toBe('');
  const text = spells('onceagain');
  // Stuck while the likeliest is taken; chance leads out of it.
  const torn = speaker((said) => {
    const isStuck = said.every((token) => token === 3);
    if (isStuck && said.length > 0)
      return likely(3, 0.5).map((logit, token) => (token === END ? Math.log(0.45) : logit));
    return likely(said.length === 0 ? 3 : (text[said.length] ?? END), 0.9);
  }).heard;
  const transcript = await faithful(torn, circumstances);
  expect(transcript.stopped).toBe('end');
  expect(transcript.spoken.length).toBeGreaterThan(0);
});

test('what is said a second and a third time is kept where the model is sure of it; what goes round for ever is not', async () => {
  const once = 'onthenorthsidethewallisdryandthefloorhascracks';
  const heard = async (said: string, probability: number) =>
    textOf(await faithful(says(said, probability), { ...circumstances, seconds: 30 }));
  expect(compressionRatio(once.repeat(3))).toBeGreaterThan(2.4);
  expect(await heard(once.repeat(3), 0.999)).toBe(once.repeat(3));
  expect(await heard(once.repeat(3), 0.5)).not.toBe(once.repeat(3));
  expect(await heard('thewallisdry'.repeat(10), 0.999)).toBe('');
});

test('the same sound has the same text every time, chance or not', async () => {
  const vague = speaker((said) => likely(said.length < 8 ? said.length : END, 0.25)).heard;
  const first = textOf(await faithful(vague, circumstances));
  expect(textOf(await faithful(vague, circumstances))).toBe(first);
});

test('repetition shows in how short a text can be said', () => {
  expect(compressionRatio('And so, my fellow Americans: ask not what your country can do for you.')).toBeLessThan(1.5);
  expect(compressionRatio('Thank you for watching. '.repeat(10))).toBeGreaterThan(2.4);
});
