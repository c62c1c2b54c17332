import { expect, it } from 'vitest';
import { documentLines, recordingLines } from './result-lines.ts';

it('prints no language for a recording without speech', () => {
  const result = { transcription: '', service: 'local', segments: [], duration_seconds: 8.07 };
  expect(recordingLines({ result })).toEqual(['8.1 s of audio', 'No speech was detected.']);
});

it('prints where speech could not be recognized', () => {
  const unrecognized = [{ start: 0.5, end: 7.25 }];
  const result = { transcription: '', service: 'local', segments: [], duration_seconds: 8.07, unrecognized };
  expect(recordingLines({ result })).toEqual([
    '8.1 s of audio',
    'warning    speech from 0.5 to 7.3 s could not be recognized',
  ]);
});

it('prints long values of a document completely', () => {
  const value = 'Mill Lane '.repeat(10).trim();
  const field = { label: 'Address', value, confidence: 0.97 } as never;
  expect(documentLines({ fields: { 'general:address': field } })).toEqual([`${'Address'.padEnd(24)} ${value}  97 %`]);
});

it('aligns the values of a document whose labels are long', () => {
  const label = 'Инвентаризационная стоимость';
  const fields = { a: { label, value: 1, confidence: 0.5 }, b: { label: 'Этаж', value: 2, confidence: 0.5 } } as never;
  expect(documentLines({ fields }).map((line) => /\d/.exec(line)!.index)).toEqual([29, 29]);
});
