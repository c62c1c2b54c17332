import { describe, expect, test } from 'vitest';
import { fakeDecoder, LETTERS, logitsFor } from '../../../../test/support/speech/fake-decoder.ts';
import { transcribe } from './decode.ts';
import { createTermTree } from './term-tree.ts';
import type { Vocabulary } from './vocabulary.ts';

const END = LETTERS.endOfText;
/** Steps before the text: language, task and timestamps. */
const PROMPT = 3;
const tokenOf = (letter: string) => (letter === '.' ? END : letter.charCodeAt(0) - 97);

/** A model that predicts `e`, then letters with their probabilities from the text so far; `.` ends the text. */
const model = (next: Record<string, Record<string, number>>) =>
  fakeDecoder((tokens) => {
    const logits = new Float32Array(33).fill(Math.log(1e-6));
    const text = LETTERS.text(tokens);
    const expected = text === '' ? { e: 0.99 } : (next[text.slice(1)] ?? { '.': 0.99 });
    for (const [letter, probability] of Object.entries(expected)) logits[tokenOf(letter)] = Math.log(probability);
    return logits;
  });

async function decode(next: Record<string, Record<string, number>>, terms: string[], vocabulary: Vocabulary = LETTERS) {
  const { encoded, steps } = model(next);
  const options = { maxTokens: 50, throwIfStopped: () => {}, terms: createTermTree(terms, vocabulary) };
  const { tokens } = await transcribe(encoded, vocabulary, 'en', options);
  const text = vocabulary.text(tokens.map(({ token }) => token));
  return { text: text.slice(1), tokens, steps: steps.length };
}

const CAT = { '': { c: 0.8, k: 0.2 }, c: { a: 0.9 }, ca: { t: 0.9 }, k: { a: 0.9 }, ka: { t: 0.9 } };

describe('transcribe with terms', () => {
  test('prefers a term that is almost as likely as the text', async () => {
    expect((await decode(CAT, [])).text).toBe('cat');
    const { text, tokens } = await decode(CAT, ['kat']);
    expect(text).toBe('kat');
    expect(Math.exp(tokens[1]!.logProbability)).toBeCloseTo(0.2, 2);
    expect(tokens[1]!.bonus).toBeCloseTo(Math.log(0.8 / 0.2), 5);
  });

  test('does not prefer a term beyond the bonus', async () => {
    const unlikely = { ...CAT, '': { c: 0.999, k: 0.0005 } };
    expect((await decode(unlikely, ['kat'])).text).toBe('cat');
  });

  test('does not prefer a term at the start of the text', async () => {
    const { encoded } = fakeDecoder((tokens) =>
      logitsFor([tokenOf('a'), END][tokens.length] ?? END, tokens.length === 0 ? 0.5 : 0.99999),
    );
    const terms = createTermTree(['c'], LETTERS);
    const { tokens } = await transcribe(encoded, LETTERS, 'en', { maxTokens: 9, throwIfStopped: () => {}, terms });
    expect(LETTERS.text(tokens.map(({ token }) => token))).toBe('a');
  });

  test('limits the bonus of a whole term', async () => {
    const gap = { y: 0.9, x: 0.02 };
    const next = { '': gap, x: gap, xx: gap, xxx: gap, y: { '.': 0.9 } };
    expect((await decode(next, ['x'])).text).toBe('xy');
    expect((await decode(next, ['xxxx'])).text).toBe('y');
  });

  test('returns to the text before a term that is not completed', async () => {
    const next = { ...CAT, ka: { y: 0.999 } };
    const { text, tokens } = await decode(next, ['kat']);
    expect(text).toBe('cat');
    expect(tokens.every(({ bonus }) => bonus === 0)).toBe(true);
  });

  test('rejects a complete term that is too improbable beside the text without it', async () => {
    const flat = Object.fromEntries([...'abcdefghijklmnopqrst'].map((letter) => [letter, 0.05]));
    const unlikely = { ...flat, x: 0.003 };
    const next = { '': { c: 0.9, x: 0.03 }, c: { a: 0.9 }, ca: { t: 0.9 }, x: unlikely, xx: unlikely };
    expect((await decode(next, [])).text).toBe('cat');
    expect((await decode(next, ['xxx'])).text).toBe('cat');
    const likely = { ...next, x: { x: 0.9 }, xx: { x: 0.9 } };
    expect((await decode(likely, ['xxx'])).text).toBe('xxx');
  });

  test('calls throwIfStopped before each step after the prompt', async () => {
    const flat = Object.fromEntries([...'abcdefghijklmnopqrst'].map((letter) => [letter, 0.05]));
    const unlikely = { ...flat, x: 0.003 };
    const { encoded, steps } = model({
      '': { c: 0.9, x: 0.03 },
      c: { a: 0.9 },
      ca: { t: 0.9 },
      x: unlikely,
      xx: unlikely,
    });
    const called = new Set<number>();
    const throwIfStopped = () => void called.add(steps.length);
    const terms = createTermTree(['xxx'], LETTERS);
    await transcribe(encoded, LETTERS, 'en', { maxTokens: 50, throwIfStopped, terms });
    expect([...called]).toEqual(steps.slice(PROMPT - 1).map((_, step) => PROMPT + step));
  });

  test('rejects a term inside a longer word', async () => {
    const next = { ...CAT, kat: { s: 0.999 } };
    const letters = { ...LETTERS, continuesWord: (token: number) => token < END };
    expect((await decode(next, ['kat'])).text).toBe('kats');
    expect((await decode(next, ['kat'], letters)).text).toBe('cat');
  });

  test('does not change a text that contains the terms', async () => {
    const next = { '': { c: 0.9, k: 0.09 }, c: { a: 0.9 }, ca: { t: 0.9 } };
    const { text, steps } = await decode(next, ['cat', 'cab']);
    expect(text).toBe('cat');
    expect(steps).toBe((await decode(next, [])).steps);
  });
});
