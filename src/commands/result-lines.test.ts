import { expect, it } from 'vitest';
import { documentLines, recordingLines } from './result-lines.ts';

it('prints no language for a recording without speech', () => {
  const result = { transcription: '', service: 'local', segments: [], duration_seconds: 8.07 };
  expect(recordingLines({ result })).toEqual(['8.1 s of audio', 'No speech was detected.']);
});

it('prints long values of a document completely', () => {
  const value = 'Mill Lane '.repeat(10).trim();
  const field = { label: 'Address', value, confidence: 0.97 } as never;
  expect(documentLines({ fields: { 'general:address': field } })).toEqual([`${'Address'.padEnd(24)} ${value}  97 %`]);
});
