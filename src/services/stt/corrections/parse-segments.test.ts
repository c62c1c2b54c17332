import { expect, it } from 'vitest';
import { parseSegments } from './parse-segments.ts';

it('parseSegments accepts the times of a provider whose last segment does not end last', () => {
  const segments = [
    { start: 0, end: 10.5, text: 'Long.' },
    { start: 9, end: 10, text: 'Short.' },
  ];
  const original = { transcription: 'Long. Short.', service: 'remote', duration_seconds: 10, segments };
  expect(parseSegments(segments, original)).toEqual(segments);
  const late = [{ start: 0, end: 10.6, text: 'Late.' }];
  expect(() => parseSegments(late, original)).toThrow('ends after the recording (10.5 s)');
});
