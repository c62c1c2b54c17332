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
