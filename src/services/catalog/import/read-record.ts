import type { UrlPolicy } from '../../../base/outbound-url.ts';
import { type Detail, missing } from '../../../http/details.ts';
import { cleanText } from '../records/clean.ts';
import { LONGEST_TITLE, recordIdOf } from '../records/entry.ts';
import type { ImportedRecord } from '../records/records.ts';
import { SOURCES } from '../settings.ts';
import { type Complain, FIELDS, fieldsOf } from './fields.ts';
import type { Failed, Given } from './given.ts';

/** The most records of one request. */
export const MOST_RECORDS = 1000;

const LONGEST_ID = 200;
/** So much is said of one record: what is wrong with it in a thousand places takes no thousand lines. */
const MOST_DETAILS = 20;
const LONGEST_TEXT = 100_000;

/** Tells the records of a request that can be indexed from those that cannot. `images`: the addresses that images may have. */
export function readRecords(given: readonly unknown[], images: UrlPolicy): Given {
  const seen = new Set<string>();
  const records: ImportedRecord[] = [];
  const failed: Failed[] = [];
  for (const [index, each] of given.entries()) {
    const detail: Detail[] = [];
    const complain: Complain = (field, { input, ...what }) => {
      if (detail.length >= MOST_DETAILS) return;
      const loc = ['body', 'records', index, field.slice(0, LONGEST_ID)];
      detail.push({ loc, ...what, ...(input !== undefined && { input: input.slice(0, LONGEST_ID) }) });
    };
    const record = isObject(each) ? readRecord(each, complain, images) : undefined;
    if (record === undefined) {
      detail.push({ loc: ['body', 'records', index], msg: 'Input should be a valid dictionary', type: 'dict_type' });
    }
    const { recordId = '' } = record ?? {};
    if (recordId !== '' && seen.has(recordId)) {
      complain('record_id', { msg: 'The id stands in this request before', type: 'value_error', input: recordId });
    }
    seen.add(recordId);
    if (record && detail.length === 0) records.push(record);
    else failed.push({ row: index + 1, ...(recordId !== '' && { record_id: recordId }), detail });
  }
  return { records, failed };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readRecord(given: Readonly<Record<string, unknown>>, complain: Complain, images: UrlPolicy): ImportedRecord {
  for (const name of Object.keys(given)) {
    if (!(FIELDS as readonly string[]).includes(name)) {
      complain(name, { msg: 'Extra inputs are not permitted', type: 'extra_forbidden' });
    }
  }
  const fields = fieldsOf(given, complain, images);
  const id = fields.text('record_id', LONGEST_ID);
  const recordId = cleanText(id ?? '').trim();
  if ((given['record_id'] ?? undefined) === undefined) {
    const { msg, type } = missing([]);
    complain('record_id', { msg, type });
  } else if (id !== undefined) checkId(recordId, complain);
  const title = fields.text('title', LONGEST_TITLE);
  const text = fields.text('text', LONGEST_TEXT);
  const attributes = fields.attributes();
  const createdAt = fields.date();
  const imageUrl = fields.image();
  return {
    recordId,
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
    ...(imageUrl !== undefined && { imageUrl }),
    ...(attributes && { attributes }),
    ...(createdAt && { createdAt }),
  };
}

function checkId(id: string, complain: Complain): void {
  const refuse = (msg: string, type = 'value_error') => complain('record_id', { msg, type, input: id });
  if (id === '') refuse('String should have at least 1 character', 'string_too_short');
  // In an address they mean another place, however they are written.
  if (id === '.' || id === '..') refuse('Dots alone are no id');
  // Nobody is to take the place of what a service has made.
  if (SOURCES.some((service) => id.startsWith(recordIdOf(service, '')))) {
    refuse('Ids of this form are those of finished tasks');
  }
}
