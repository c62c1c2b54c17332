import { expect, test } from 'vitest';
import { segmentsOf } from './sherpa.ts';

const emptyResult = { text: '', lang: '', tokens: [], timestamps: [], durations: [], ys_log_probs: [] };

test('segmentsOf joins tokens into words with times and confidences', () => {
  const segments = segmentsOf(
    {
      ...emptyResult,
      text: 'Привет, мир.',
      tokens: ['▁При', 'вет', ',', '▁мир', '.'],
      timestamps: [0.4, 0.6, 0.9, 1.2, 1.6],
      durations: [0.2, 0.2, 0.1, 0.3, 0],
      ys_log_probs: [0, Math.log(0.25), 0, Math.log(0.5), Math.log(0.5)],
    },
    3,
  );
  expect(segments).toEqual([
    {
      start: 0.4,
      end: 1.5,
      text: 'Привет, мир.',
      words: [
        { text: 'Привет,', start: 0.4, end: 0.8, confidence: expect.closeTo(0.25 ** (1 / 3), 5) },
        { text: 'мир.', start: 1.2, end: 1.5, confidence: expect.closeTo(0.5, 5) },
      ],
    },
  ]);
});

test('segmentsOf limits word ends when the model provides only token starts', () => {
  const [segment] = segmentsOf(
    { ...emptyResult, text: 'one two', tokens: [' one', ' two'], timestamps: [0.2, 1.9], durations: [] },
    2,
  );
  expect(segment!.words).toEqual([
    { text: 'one', start: 0.2, end: expect.closeTo(0.6, 5) },
    { text: 'two', start: 1.9, end: 2 },
  ]);
});

test('segmentsOf returns sentences without words for a text without token times', () => {
  const segments = segmentsOf({ ...emptyResult, text: 'Good day. Bad day.', tokens: [' Good', ' day'] }, 16);
  expect(segments.map(({ text }) => text)).toEqual(['Good day.', 'Bad day.']);
  expect(segments.every((segment) => !('words' in segment))).toBe(true);
  expect(segmentsOf(emptyResult, 16)).toEqual([]);
});
