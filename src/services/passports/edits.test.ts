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
  expect(rows('1.5')).toEqual(['rooms:1.5.name']);
  expect(rows('1.7', '1.2', '0.5', '2.5', '3')).toEqual([
    ...['rooms:1.7.name', 'rooms:1.5.name', 'rooms:0.5.name', 'rooms:3.5.name', 'rooms:4.name'],
  ]);
  expect(() => rows('3.5')).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ type: 'less_than_equal', ctx: { le: 3 } })] }),
  );
  for (const alias of ['2.0', '2.50', '0', '0.0', '01.5']) expect(() => rows(alias), alias).toThrow(InvalidInput);
});

it('toStoredEdits gives an inserted row the number of the emptied one at its place that had its values', () => {
  const area = { ...name, value: 9.1, text: '9,1' };
  const document = {
    ...opened({ 'rooms:1.name': name, 'rooms:2.name': name, 'rooms:2.area': area, 'rooms:3.name': name }),
    edits: [emptied, { ...emptied, key: 'rooms:2.area' }],
  };
  const keys = (form: Record<string, string>) => store(document, form).map(({ key }) => key);
  expect(keys({ 'rooms:1.1.name': 'кухня', 'rooms:1.1.area': '9,1' })).toEqual(['rooms:2.name', 'rooms:2.area']);
  expect(keys({ 'rooms:1.1.name': 'кухня', 'rooms:1.2.name': 'кухня' })).toEqual(['rooms:2.name', 'rooms:2.5.name']);
  expect(keys({ 'rooms:1.1.name': 'кухня', 'rooms:1.1.area': '9,2' })).toEqual(['rooms:1.5.name', 'rooms:1.5.area']);
  // At another place.
  expect(keys({ 'rooms:0.5.name': 'кухня' })).toEqual(['rooms:0.5.name']);
  // The number is not one more of 9999.
  const full = { ...opened({ 'rooms:1.name': name, 'rooms:2.name': name, 'rooms:9999.name': name }), edits: [emptied] };
  expect(store(full, { 'rooms:1.1.name': 'кухня' })).toEqual([{ key: 'rooms:2.name', value: 'кухня' }]);
  expect(keys({ 'rooms:2.5.name': 'кухня' })).toEqual(['rooms:3.5.name']);
});

it.each([
  ['each below the last inserted one', (inserted: number) => inserted + 1.5],
  ['each above the last inserted one', () => 1.5],
  ['each above the first row', () => 0.5],
])('toStoredEdits inserts at least 18 rows at one place, %s', (_, place) => {
  const fields: Record<string, Field> = { 'rooms:1.name': name, 'rooms:2.name': name };
  const insert = (inserted: number) => store(opened(fields), { [`rooms:${place(inserted)}.name`]: 'балкон' })[0]!.key;
  for (let inserted = 0; inserted < 18; inserted++) fields[insert(inserted)] = name;
  expect(Object.keys(fields)).toHaveLength(20);
  const insertMore = () => {
    for (let inserted = 18; inserted < 200; inserted++) fields[insert(inserted)] = name;
  };
  expect(insertMore).toThrow(
    expect.objectContaining({
      details: [expect.objectContaining({ type: 'too_many_rows', msg: expect.stringContaining('at this place') })],
    }),
  );
});

it('toStoredEdits counts inserted and appended rows together', () => {
  const fields = Object.fromEntries(Array.from({ length: 9998 }, (_, i) => [`rooms:${i + 1}.name`, name]));
  expect(store(opened(fields), { 'rooms:1.5.name': 'балкон' })).toHaveLength(1);
  expect(() => store(opened(fields), { 'rooms:1.5.name': 'балкон', 'rooms:9999.name': 'балкон' })).toThrow(
    InvalidInput,
  );
});
