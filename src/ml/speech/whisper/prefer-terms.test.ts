import { expect, test } from 'vitest';
import { fakeDecoder, LETTERS, logitsFor } from '../../../../test/support/speech/fake-decoder.ts';
import { transcribe } from './decode.ts';
import { preferTerms } from './prefer-terms.ts';
import { createTermFinder } from './term-candidates.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Tokens are characters: letters, then a space and a full stop. */
const CHARACTERS = 'abcdefghijklmnopqrstuvwx .';
const CHARACTER_TOKENS: Vocabulary = {
  ...LETTERS,
  suppressed: [],
  text: (tokens) => tokens.map((token) => CHARACTERS[token]).join(''),
  encode: (text) => [...text.toLowerCase()].map((character) => CHARACTERS.indexOf(character)),
};
const END = CHARACTER_TOKENS.endOfText;
const PROMPT = 3;

/**
 * A model that writes `text`, each character with `probability`, and continues each of `others` with its own probability wherever the text
 * so far is its beginning.
 */
const model = (text: string, others: Readonly<Record<string, number>> = {}, probability = 0.7) =>
  fakeDecoder((tokens) => {
    const soFar = CHARACTER_TOKENS.text(tokens);
    const expected = text.startsWith(soFar) ? [...CHARACTER_TOKENS.encode(text), END][tokens.length]! : END;
    const logits = logitsFor(expected, probability);
    for (const [other, likely] of Object.entries(others)) {
      if (!other.startsWith(soFar) || (text.startsWith(soFar) && text[tokens.length] === other[tokens.length]))
        continue;
      const next = [...CHARACTER_TOKENS.encode(other), END][tokens.length]!;
      if (!text.startsWith(soFar)) logits.set(logitsFor(next, likely));
      else logits[next] = Math.log(likely);
    }
    return logits;
  });

async function decode(decoder: ReturnType<typeof model>, terms: readonly string[], throwIfStopped = () => {}) {
  const options = { maxTokens: 100, keepLogits: true, throwIfStopped: () => {} };
  const transcript = await transcribe(decoder.encoded, CHARACTER_TOKENS, 'en', options);
  const before = decoder.steps.length;
  const finder = createTermFinder(terms);
  const preferred = await preferTerms(transcript, { finder, vocabulary: CHARACTER_TOKENS, throwIfStopped });
  return {
    text: CHARACTER_TOKENS.text(preferred.tokens.map(({ token }) => token)),
    tokens: preferred.tokens,
    steps: decoder.steps.slice(before),
  };
}

const HEARD = ' the gonia meter is old.';
const SPOKEN = ' the goniometer is old.';

test('preferTerms replaces a passage by the term that sounds like it', async () => {
  const { text, tokens } = await decode(model(HEARD, { [SPOKEN]: 0.25 }), ['goniometer']);
  expect(text).toBe(SPOKEN);
  const at = SPOKEN.indexOf('o', 7);
  expect(tokens[at]!.logProbability).toBeCloseTo(Math.log(0.25), 0);
  expect(tokens).toHaveLength(SPOKEN.length);
});

test('preferTerms keeps a text that is much more likely than the term', async () => {
  const { text } = await decode(model(HEARD, { [SPOKEN]: 1e-9 }), ['goniometer']);
  expect(text).toBe(HEARD);
});

test('preferTerms keeps a text of which the model is certain', async () => {
  const { text, steps } = await decode(model(HEARD, { [SPOKEN]: 0.001 }, 0.998), ['goniometer']);
  expect([text, steps]).toEqual([HEARD, []]);
});

test('preferTerms takes no step for a text that does not sound like a term', async () => {
  const { text, steps } = await decode(model(HEARD), ['flange', 'purlin']);
  expect([text, steps]).toEqual([HEARD, []]);
});

test('preferTerms scores the term from the token before the passage, not from the end', async () => {
  const { steps } = await decode(model(HEARD, { [SPOKEN]: 0.25 }), ['goniometer']);
  const first = steps[0]!.slice(PROMPT);
  expect(CHARACTER_TOKENS.text(first)).toBe(SPOKEN.slice(0, first.length));
});

test('preferTerms writes a term with a capital where the sentence begins with one', async () => {
  const capitals: Vocabulary = {
    ...CHARACTER_TOKENS,
    text: (tokens) => CHARACTER_TOKENS.text(tokens).replace(/^ ?[a-z]/, (start) => start.toUpperCase()),
    encode: (text) => {
      encoded.push(text);
      return CHARACTER_TOKENS.encode(text);
    },
  };
  const encoded: string[] = [];
  const { encoded: start } = model(' gonia meter.');
  const transcript = await transcribe(start, capitals, 'en', {
    maxTokens: 50,
    keepLogits: true,
    throwIfStopped: () => {},
  });
  await preferTerms(transcript, {
    finder: createTermFinder(['goniometer']),
    vocabulary: capitals,
    throwIfStopped: () => {},
  });
  // As the first words, and as the second, of the sentence.
  expect([...new Set(encoded)]).toEqual([' Goniometer', ' goniometer']);
});

test('preferTerms bounds its steps for any number of terms', async () => {
  const heard = ' banana'.repeat(10).slice(0, 60);
  const terms = [...'abcdefghijklmnop'].flatMap((a) => [...'bcdefghij'].map((b) => `ban${a}n${b}`));
  const others = Object.fromEntries(terms.map((term) => [` ${term}`, 0.2]));
  const { steps } = await decode(model(heard, others), terms);
  expect(steps.length).toBeGreaterThan(8);
  expect(steps.length).toBeLessThanOrEqual(8 + heard.length / 2 + 10);
});

test('preferTerms calls throwIfStopped before each step and for each word', async () => {
  const decoder = model(HEARD, { [SPOKEN]: 0.25 });
  let calls = 0;
  const { steps } = await decode(decoder, ['goniometer'], () => void calls++);
  expect(calls).toBe(steps.length + HEARD.trim().split(' ').length);
  const stopped = decode(model(HEARD, { [SPOKEN]: 0.25 }), ['goniometer'], () => {
    throw new Error('Enough.');
  });
  await expect(stopped).rejects.toThrow('Enough.');
});

test('preferTerms changes nothing in a transcript without logits', async () => {
  const transcript = { tokens: [], endLogProbability: 0, stopped: 'end' as const };
  const options = {
    finder: createTermFinder(['goniometer']),
    vocabulary: CHARACTER_TOKENS,
    throwIfStopped: () => {},
  };
  expect(await preferTerms(transcript, options)).toBe(transcript);
});
