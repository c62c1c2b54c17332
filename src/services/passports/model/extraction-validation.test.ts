import { describe, expect, it } from 'vitest';
import type { Extraction, Field } from '../extraction.ts';
import { loadSchema } from '../schema/load-schema.ts';
import { validateExtraction } from './extraction-validation.ts';

const schema = loadSchema();
const field = (over: Partial<Field> = {}): Field => ({
  ...{ value: 1978, confidence: 0.9, source: 'text', page: 1, bbox: [0.1, 0.1, 0.2, 0.2], text: '1978' },
  ...over,
});
const extraction = (fields: Record<string, Field>, over: Partial<Extraction> = {}): Extraction => ({
  schema: { id: schema.id, version: schema.version },
  fields,
  pages: 1,
  sheets: [{ reader: 'text', width: 595, height: 842, turn: 0, picture: null }],
  engine: { llm_provider: 'none', model: null, version: '1' },
  warnings: [],
  ...over,
});
const problem = (over: Partial<Field>, key = 'general:year_built') =>
  validateExtraction(extraction({ [key]: field(over) }), schema);

describe('validateExtraction', () => {
  it('accepts a valid field, a field without a box and a table cell', () => {
    expect(problem({})).toBeUndefined();
    expect(problem({ value: null, confidence: null, page: null, bbox: null, text: null })).toBeUndefined();
    expect(problem({ value: 'Кухня' }, 'rooms:12.name')).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ['a confidence above 1', problem({ confidence: 1.01 })],
    ['a NaN value', problem({ value: Number.NaN })],
    ['a box that extends beyond the page', problem({ bbox: [0.1, 0.1, 1.2, 0.2] })],
    ['a box whose left edge is right of its right edge', problem({ bbox: [0.3, 0.1, 0.2, 0.2] })],
    ['a page number above the page count', problem({ page: 2 })],
    ['a field missing from the schema', problem({}, 'general:colour')],
    ['a column missing from the schema', problem({}, 'rooms:1.colour')],
    ['the source "manual"', problem({ source: 'manual' })],
    ['fewer sheets than pages', validateExtraction(extraction({}, { pages: 2 }), schema)],
  ])('rejects %s', (_, message) => {
    expect(message).toBeTypeOf('string');
  });
});
