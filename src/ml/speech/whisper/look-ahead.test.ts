import { expect, test } from 'vitest';
import { fakeDecoder, LETTERS, logitsFor } from '../../../../test/support/speech/fake-decoder.ts';
import { type Transcript, transcribe } from './decode.ts';

const END = LETTERS.endOfText;
const letter = (text: string) => text.charCodeAt(0) - 97;
const textOf = ({ tokens }: Transcript) => LETTERS.text(tokens.map(({ token }) => token));
const options = { maxTokens: 50, throwIfStopped: () => {} };

/** Logits of two tokens, `nats` apart. */
function doubtful(first: number, second: number, nats: number): Float32Array {
  const logits = logitsFor(first, 0.5);
  logits[second] = logits[first]! - nats;
  return logits;
}

/** Begins with `a` or, `nats` less probable, `b`, and goes on with four letters of the given probabilities. */
const twoSequels = (nats: number, probabilityOf: { readonly a: number; readonly b: number }) =>
  fakeDecoder((text) => {
    if (text.length === 0) return doubtful(letter('a'), letter('b'), nats);
    if (text.length > 4) return logitsFor(END, 0.99);
    return logitsFor(letter('x'), text[0] === letter('a') ? probabilityOf.a : probabilityOf.b);
  });

test('the tokens that follow decide between two that are nearly as probable', async () => {
  const { encoded } = twoSequels(0.4, { a: 0.5, b: 0.9 });
  expect(textOf(await transcribe(encoded, LETTERS, 'en', options))).toBe('bxxxx');
});

test('the more probable token stays if its sequel is as probable, or if the other is much less probable', async () => {
  for (const decoder of [twoSequels(0.4, { a: 0.9, b: 0.9 }), twoSequels(0.6, { a: 0.5, b: 0.9 })]) {
    expect(textOf(await transcribe(decoder.encoded, LETTERS, 'en', options))).toBe('axxxx');
  }
});

test('the probability of a token is its own, and its steps are not computed again', async () => {
  const { encoded, steps } = twoSequels(0.4, { a: 0.5, b: 0.9 });
  const { tokens } = await transcribe(encoded, LETTERS, 'en', options);
  expect(tokens[0]!.logProbability).toBeLessThan(Math.log(0.4));
  expect(tokens.slice(1).every(({ logProbability }) => Math.abs(logProbability - Math.log(0.9)) < 0.05)).toBe(true);
  // Three of the prompt, four of the other sequel and five of the text.
  expect(steps).toHaveLength(12);
});

test.each([0.3, 0.9])(
  'a text does not end because its end has no sequel (letters of probability %d)',
  async (probability) => {
    const { encoded } = fakeDecoder((text) => {
      if (text.length === 0) return logitsFor(letter('a'), 0.99);
      if (text.length === 1) return doubtful(letter('b'), END, 0.3);
      return text.length < 6 ? logitsFor(letter('c'), probability) : logitsFor(END, 0.99);
    });
    expect(textOf(await transcribe(encoded, LETTERS, 'en', options))).toBe('abcccc');
  },
);

test('sequels are compared over as many tokens as the shorter one has', async () => {
  const { encoded } = fakeDecoder((text) => {
    if (text.length === 0) return doubtful(letter('a'), letter('b'), 0.3);
    if (text[0] === letter('b')) return logitsFor(END, 0.9);
    return text.length < 6 ? logitsFor(letter('x'), 0.85) : logitsFor(END, 0.99);
  });
  expect(textOf(await transcribe(encoded, LETTERS, 'en', options))).toBe('axxxxx');
});

test('noise, where each token is doubtful, takes at most about twice the steps', async () => {
  const { encoded, steps } = fakeDecoder((text) => doubtful((text.length * 7) % 23, (text.length * 5 + 1) % 23, 0.2));
  const { tokens } = await transcribe(encoded, LETTERS, 'en', { ...options, maxTokens: 200 });
  expect(tokens.length).toBeGreaterThan(80);
  expect(steps.length).toBeLessThan(2 * tokens.length + 40);
});
