import { expect, it } from 'vitest';
import { opened } from '../../../test/support/export/opened.ts';
import { InvalidInput } from '../../http/validation-details.ts';
import type { CompletedDocument } from './documents.ts';
import { parseEdits, toStoredEdits } from './edits.ts';
import type { Field } from './extraction.ts';
import { DEFAULT_SCHEMA } from './schema/default-schema.ts';

const name: Field = { value: 'кухня', confidence: 0.95, source: 'text', page: 1, bbox: null, text: 'кухня' };
const emptied = { key: 'rooms:2.name', value: null, editedAt: new Date('2026-11-20T10:02:00Z') };
const store = (document: CompletedDocument, form: Record<string, string>) =>
  toStoredEdits(parseEdits(new Map(Object.entries(form)), DEFAULT_SCHEMA), document, DEFAULT_SCHEMA);

it('toStoredEdits rejects a new row whose stored number would be above 9999', () => {
  const document = {
    ...opened({ 'rooms:1.name': name, 'rooms:2.name': name, 'rooms:9998.name': name }),
    edits: [emptied],
  };
  expect(store(document, { 'rooms:3.name': 'балкон' })).toEqual([{ key: 'rooms:9999.name', value: 'балкон' }]);
  expect(store(document, { 'rooms:2.name': 'балкон' })).toEqual([{ key: 'rooms:9998.name', value: 'балкон' }]);
  const add = () => store(document, { 'rooms:3.name': 'балкон', 'rooms:4.name': 'лоджия' });
  expect(add).toThrow(InvalidInput);
  expect(add).toThrow(
    expect.objectContaining({
      details: [expect.objectContaining({ loc: ['body', 'rooms:4.name'], type: 'too_many_rows' })],
    }),
  );
});

it('toStoredEdits inserts rows with a fraction between the visible ones, beside the numbers of emptied rows', () => {
  const document = {
    ...opened({ 'rooms:1.name': name, 'rooms:2.name': name, 'rooms:3.name': name }),
    edits: [emptied],
  };
  const rows = (...numbers: string[]) =>
    store(document, Object.fromEntries(numbers.map((number) => [`rooms:${number}.name`, 'балкон']))).map(
      ({ key }) => key,
    );
  expect(rows('1.5')).toEqual(['rooms:1.3.name']);
  expect(rows('1.7', '1.2', '0.5', '2.5', '3')).toEqual([
    ...['rooms:1.5.name', 'rooms:1.3.name', 'rooms:0.3.name', 'rooms:3.3.name', 'rooms:4.name'],
  ]);
  expect(() => rows('3.5')).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ type: 'less_than_equal', ctx: { le: 3 } })] }),
  );
  for (const alias of ['2.0', '2.50', '0', '0.0', '01.5']) expect(() => rows(alias), alias).toThrow(InvalidInput);
});

it('toStoredEdits inserts at least 50 rows in succession between two rows', () => {
  const fields: Record<string, Field> = { 'rooms:1.name': name, 'rooms:2.name': name };
  const keys = new Set<string>();
  for (let row = 1; row <= 50; row++) {
    const [{ key } = { key: '' }] = store(opened(fields), { [`rooms:${row}.5.name`]: 'балкон' });
    fields[key] = name;
    keys.add(key);
  }
  expect(keys.size).toBe(50);
});
