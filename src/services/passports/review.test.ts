import { describe, expect, it } from 'vitest';
import { opened } from '../../../test/support/export/opened.ts';
import type { CompletedDocument } from './documents.ts';
import type { Field, Value } from './extraction.ts';
import { presentFields } from './present.ts';
import { isConfirmed, listReview } from './review.ts';
import { DEFAULT_SCHEMA } from './schema/default-schema.ts';

const at = new Date('2026-11-20T10:02:00Z');
const read = (value: Value, over: Partial<Field> = {}): Field => ({
  ...{ value, confidence: 0.95, source: 'text', page: 1, bbox: null, text: String(value) },
  ...over,
});
const review = (document: CompletedDocument) =>
  listReview(document, presentFields(document, DEFAULT_SCHEMA)).map(({ field, reasons }) => [field.key, ...reasons]);

const DOUBTFUL = opened({
  'general:address': read('Южная, 7'),
  'general:owner': read('Лебедева', { confidence: 0.94 }),
  'general:issuer': read('БТИ', { disagrees: true }),
  'general:head': read('Щукин', { source: 'model', confidence: null }),
  'general:technician': read(null, { confidence: null }),
  'areas:total_area': read(54.3, { confidence: 0.5 }),
  'rooms:1.area': read(9.1),
});
const CHECK = { code: 'SUM_MISMATCH', message: '', fields: ['areas:total_area', 'rooms:1.area'] };
const FAILED = { ...DOUBTFUL, extraction: { ...DOUBTFUL.extraction, warnings: [CHECK] } };

describe('listReview', () => {
  it('lists values of low or unknown confidence, of a failed check and of disagreeing sources, with all reasons', () => {
    expect(review(FAILED)).toEqual([
      ['general:issuer', 'sources_disagree'],
      ['general:owner', 'low_confidence'],
      ['general:head', 'low_confidence'],
      ['areas:total_area', 'low_confidence', 'failed_check'],
      ['rooms:1.area', 'failed_check'],
    ]);
  });

  it('omits fields that a person corrected', () => {
    const edits = [
      { key: 'areas:total_area', value: 54.8, editedAt: at },
      { key: 'general:issuer', value: 'БТИ', editedAt: at },
    ];
    expect(review({ ...FAILED, edits }).map(([key]) => key)).toEqual(['general:owner', 'general:head', 'rooms:1.area']);
  });

  it('is empty after a confirmation, also of an earlier version, which is then not confirmed itself', () => {
    const confirmed = { ...FAILED, version: 2, confirmation: { version: 2, actor: 'anna', at } };
    expect([review(confirmed), isConfirmed(confirmed)]).toEqual([[], true]);
    const edited = { ...confirmed, version: 3 };
    expect([review(edited), isConfirmed(edited)]).toEqual([[], false]);
  });
});
