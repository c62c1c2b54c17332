import { expect, it } from 'vitest';
import { opened, read } from './export/testing/opened.ts';
import { DEFAULT_SCHEMA } from './schema/default-schema.ts';
import { recheckWarnings } from './warnings.ts';

const FIELDS = { 'general:floor': read(7), 'general:floors': read(5) };
const DAMAGED = { code: 'PAGE_DAMAGED', message: 'These pages of the PDF cannot be opened: 3.' };
const CONTRADICTION = {
  code: 'ORDER_MISMATCH',
  message: 'from the extraction',
  fields: ['general:floor', 'general:floors'],
};

function edited(...edits: (readonly [key: string, value: number])[]) {
  const at = new Date('2026-11-20T10:02:00Z');
  const document = opened(FIELDS, { edits: edits.map(([key, value]) => ({ key, value, editedAt: at })) });
  return { ...document, extraction: { ...document.extraction, warnings: [DAMAGED, CONTRADICTION] } };
}
const warnings = (document: ReturnType<typeof edited>) => recheckWarnings(document, DEFAULT_SCHEMA).extraction.warnings;

it('keeps the warnings of an unedited document', () => {
  expect(warnings(edited())).toEqual([DAMAGED, CONTRADICTION]);
});

it('removes a consistency warning that an edit resolves, and keeps warnings about the reading', () => {
  expect(warnings(edited(['general:floors', 9]))).toEqual([DAMAGED]);
});

it('keeps an unresolved consistency warning after another edit, and adds a new one', () => {
  const codes = warnings(edited(['areas:living_area', 60], ['areas:total_area', 50])).map(({ code, fields = [] }) =>
    [code, ...fields].join(' '),
  );
  expect(codes).toEqual([
    'PAGE_DAMAGED',
    'ORDER_MISMATCH general:floor general:floors',
    'ORDER_MISMATCH areas:living_area areas:total_area',
  ]);
});
