import { expect, it } from 'vitest';
import { opened, read } from './export/testing/opened.ts';
import { DEFAULT_SCHEMA } from './schema/default-schema.ts';
import { judgedAnew } from './warnings.ts';

const FIELDS = { 'general:floor': read(7), 'general:floors': read(5) };
const DAMAGED = { code: 'PAGE_DAMAGED', message: 'These pages of the PDF cannot be opened: 3.' };
const CONTRADICTION = {
  code: 'ORDER_MISMATCH',
  message: 'as it was read',
  fields: ['general:floor', 'general:floors'],
};

/** The document that was read with both warnings, and then edited so. */
function edited(...edits: (readonly [key: string, value: number])[]) {
  const at = new Date('2026-11-20T10:02:00Z');
  const document = opened(FIELDS, { edits: edits.map(([key, value]) => ({ key, value, editedAt: at })) });
  return { ...document, extraction: { ...document.extraction, warnings: [DAMAGED, CONTRADICTION] } };
}
const warnings = async (document: ReturnType<typeof edited>) =>
  (await judgedAnew(document, DEFAULT_SCHEMA)).extraction.warnings;

it('leaves the warnings of a document that nobody has edited as they were read', async () => {
  expect(await warnings(edited())).toEqual([DAMAGED, CONTRADICTION]);
});

it('drops a contradiction that an edit has settled, and nothing that an edit cannot settle', async () => {
  expect(await warnings(edited(['general:floors', 9]))).toEqual([DAMAGED]);
});

it('keeps a contradiction that an edit of something else leaves, and names a new one', async () => {
  const codes = (await warnings(edited(['areas:living_area', 60], ['areas:total_area', 50]))).map(
    ({ code, fields = [] }) => [code, ...fields].join(' '),
  );
  expect(codes).toEqual([
    'PAGE_DAMAGED',
    'ORDER_MISMATCH general:floor general:floors',
    'ORDER_MISMATCH areas:living_area areas:total_area',
  ]);
});
