import { expect, it } from 'vitest';
import { withSegments } from './corrected.ts';

it('withSegments keeps the words of the neighbours of a removed segment', () => {
  const texts = ['One two', 'three four', 'five six'];
  const segments = texts.map((text, i) => ({ start: 2 * i, end: 2 * i + 2, text }));
  const words = texts
    .join(' ')
    .split(' ')
    .map((text, i) => ({ start: i, end: i + 1, text, confidence: 0.9 }));
  const original = { transcription: texts.join(' '), service: 'local', duration_seconds: 6, segments, words };
  for (const removed of [0, 1, 2]) {
    const kept = withSegments(
      original,
      segments.filter((_, i) => i !== removed),
    );
    expect(kept.words).toEqual(words.filter((_, i) => Math.floor(i / 2) !== removed));
  }
  expect(withSegments(original, [])).not.toHaveProperty('words');
});
