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

it('parseSegments accepts confirmed words beside their segment, and rejects them in another one', () => {
  const segments = [
    { start: 1, end: 2, text: 'One' },
    { start: 3, end: 4, text: 'two' },
  ] as const;
  const words = [
    { start: 0, end: 0.5, text: 'One' },
    { start: 4.2, end: 4.4, text: 'two' },
  ];
  const original = { transcription: 'One two', service: 'local', duration_seconds: 5, segments, words };
  const confirm = (first: number, second: number) =>
    parseSegments(
      [
        { ...segments[0], confirmed: [first] },
        { ...segments[1], confirmed: [second] },
      ],
      original,
    );
  expect(confirm(0, 1).map(({ confirmed }) => confirmed)).toEqual([[0], [1]]);
  expect(() => confirm(1, 1)).toThrow('segments.0: `confirmed`: word 1 is not in the segment.');
  expect(() => confirm(0, 0)).toThrow('segments.1: `confirmed`: word 0 is not in the segment.');
});
