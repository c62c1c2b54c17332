import { expect, test } from 'vitest';
import type { Transcript } from './decode.ts';
import type { Vocabulary } from './vocabulary.ts';
import { timedWords } from './word-timestamps.ts';

const FRAMES_PER_SECOND = 50;

function transcript(tokens: readonly (readonly [piece: string | number[], from: number, to: number])[]) {
  const bytes = tokens.map(([piece]) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece)));
  const attentionTo = (from: number, to: number) => [
    Float32Array.from({ length: 1500 }, (_, i) =>
      i >= from * FRAMES_PER_SECOND && i < to * FRAMES_PER_SECOND ? 0.2 : 0.0001,
    ),
  ];
  const vocabulary = {
    text: (tokens: readonly number[]) => Buffer.concat(tokens.map((token) => bytes[token]!)).toString('utf8'),
  } as Vocabulary;
  const spoken: Transcript = {
    tokens: tokens.map(([, from, to], token) => ({
      token,
      logProbability: Math.log(0.5),
      attention: attentionTo(from, to),
    })),
    endLogProbability: 0,
    endAttention: attentionTo(tokens.at(-1)![2], 30),
    stopped: 'end',
  };
  return { spoken, vocabulary };
}

function sound(seconds: number, ...loud: (readonly [number, number])[]): Float32Array {
  return Float32Array.from({ length: seconds * 16_000 }, (_, i) => {
    const at = i / 16_000;
    return loud.some(([from, to]) => at >= from && at < to) ? 0.5 * Math.sin(i) : 0.001 * Math.sin(i);
  });
}

test('timedWords joins tokens without a leading space, and punctuation, to the previous word', () => {
  const { spoken, vocabulary } = transcript([
    [' Hel', 0, 0.3],
    ['lo', 0.3, 0.5],
    [',', 0.5, 0.6],
    [' world', 0.6, 1.2],
    ['.', 1.2, 1.3],
  ]);
  const words = timedWords(spoken, vocabulary, sound(2, [0, 1.3]));
  expect(words.map(({ text }) => text)).toEqual(['Hello,', 'world.']);
  expect(words[1]!.start).toBeCloseTo(0.6, 1);
  expect(words[0]!.confidence).toBeCloseTo(0.5, 5);
});

test('timedWords joins tokens that form one character', () => {
  const [first, second] = [[0x20, 0xd0], [0x96]];
  const { spoken, vocabulary } = transcript([
    [first!, 0, 0.2],
    [second!, 0.2, 0.4],
    ['ду', 0.4, 0.8],
  ]);
  expect(timedWords(spoken, vocabulary, sound(1, [0, 0.8])).map(({ text }) => text)).toEqual(['Жду']);
});

test('timedWords splits scripts without spaces at tokens', () => {
  const { spoken, vocabulary } = transcript([
    ['今天', 0, 0.5],
    ['很', 0.5, 0.8],
    ['好', 0.8, 1.1],
    ['。', 1.1, 1.2],
  ]);
  expect(timedWords(spoken, vocabulary, sound(2, [0, 1.2])).map(({ text }) => text)).toEqual(['今天', '很', '好。']);
});

test('timedWords excludes a pause from the following word', () => {
  const { spoken, vocabulary } = transcript([
    [' one', 0, 0.4],
    [' two', 0.4, 0.8],
    [' three', 0.8, 1.2],
    [' ask', 1.2, 4],
    [' not', 4, 4.4],
  ]);
  const words = timedWords(spoken, vocabulary, sound(5, [0, 1.2], [3.5, 4.4]));
  expect(words[3]!.start).toBeCloseTo(3.5, 1);
  expect(words[3]!.end).toBeCloseTo(4, 1);
});

test('timedWords returns no words for an empty transcript', () => {
  const { spoken, vocabulary } = transcript([[' x', 0, 1]]);
  expect(timedWords({ ...spoken, tokens: [] }, vocabulary, sound(1))).toEqual([]);
});
