import { expect, test } from 'vitest';
import { createTokenDecoder, createTokenEncoder } from './byte-pair-encoding.ts';

// Bytes first, then merges in their order, as in GPT-2; 'Ġ' is the space, 'Ã©' the bytes of é.
const pieces = ['c', 'r', 'a', 'k', 's', 'Ġ', 'Ã', '©', 'ra', 'Ġc', 'cra', 'Ġcra', 'Ã©', 'ck'];
const tokens = Object.fromEntries(pieces.map((piece, token) => [piece, token]));
const encode = createTokenEncoder(tokens);
const decode = createTokenDecoder(tokens, pieces.length);

test('createTokenEncoder merges the pair with the lowest token first', () => {
  expect(encode(' crack').map((token) => pieces[token])).toEqual(['Ġcra', 'ck']);
});

test('createTokenEncoder divides a text before words', () => {
  expect(encode('cra cra').map((token) => pieces[token])).toEqual(['cra', 'Ġcra']);
});

test('createTokenDecoder returns the encoded text, also of characters with several bytes', () => {
  for (const text of ['cracks', ' crack sack', 'caké']) expect(decode(encode(text))).toBe(text);
});
