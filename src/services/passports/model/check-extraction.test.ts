import { describe, expect, it } from 'vitest';
import type { Extraction, Field } from '../extraction.ts';
import { loadSchema } from '../schema/load-schema.ts';
import { problemOf } from './check-extraction.ts';

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
  problemOf(extraction({ [key]: field(over) }), schema);

describe('the last look at what was read', () => {
  it('lets pass what is whole, a field without a place and a cell of a table too', () => {
    expect(problem({})).toBeUndefined();
    expect(problem({ value: null, confidence: null, page: null, bbox: null, text: null })).toBeUndefined();
    expect(problem({ value: 'Кухня' }, 'rooms:12.name')).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ['a confidence beyond one', problem({ confidence: 1.01 })],
    ['a number that is none', problem({ value: Number.NaN })],
    ['a place off the page', problem({ bbox: [0.1, 0.1, 1.2, 0.2] })],
    ['a box turned inside out', problem({ bbox: [0.3, 0.1, 0.2, 0.2] })],
    ['a page beyond the last', problem({ page: 2 })],
    ['a field that the schema does not name', problem({}, 'general:colour')],
    ['a column that the schema does not name', problem({}, 'rooms:1.colour')],
    ['a value that a person typed', problem({ source: 'manual' })],
    ['a sheet too few', problemOf(extraction({}, { pages: 2 }), schema)],
  ])('finds %s', (_, found) => {
    expect(found).toBeTypeOf('string');
  });
});
