import { expect, it } from 'vitest';
import { applyCrossChecks } from './cross-checks.ts';
import type { Field } from './extraction.ts';
import { loadSchema } from './schema/load-schema.ts';

const field = (value: number): Field => ({ value, confidence: 0.8, source: 'ocr', page: 1, bbox: null, text: '' });

it.each([
  [25.7, 0.93, []],
  [25.6, 0.8, []],
  [25.9, 0.56, ['SUM_MISMATCH']],
])('applyCrossChecks gives a total of %s, where the sum is 25.7, the confidence %s', (total, confidence, codes) => {
  const rooms = { 'rooms:1.area': field(8.1), 'rooms:2.area': field(17.6) };
  const { fields, warnings } = applyCrossChecks({ ...rooms, 'areas:total_area': field(total) }, loadSchema());
  expect(fields['areas:total_area']!.confidence).toBe(confidence);
  expect(fields['rooms:1.area']!.confidence).toBe(confidence);
  expect(warnings.map(({ code }) => code)).toEqual(codes);
});
