import { omitUndefined } from '../../../base/omit-undefined.ts';
import type { UrlPolicy } from '../../../base/outbound-url.ts';
import { type Detail, missingField } from '../../../http/validation-details.ts';
import { MAX_TITLE_LENGTH, recordIdOf } from '../records/entry.ts';
import type { ImportedRecord } from '../records/records.ts';
import { toStorableText } from '../records/storable-text.ts';
import { SOURCES } from '../settings.ts';
import { FIELDS, type ReportProblem, readFields } from './fields.ts';

export interface FailedRecord {
  /** Position in the request from 1, without a table's header. */
  readonly row: number;
  readonly record_id?: string;
  readonly detail: readonly Detail[];
}

export const MAX_RECORDS = 1000;

const MAX_ID_LENGTH = 200;
const MAX_DETAILS = 20;
const MAX_TEXT_LENGTH = 100_000;

export function readRecords(inputs: readonly unknown[], images: UrlPolicy) {
  const seen = new Set<string>();
  const records: ImportedRecord[] = [];
  const failed: FailedRecord[] = [];
  for (const [index, each] of inputs.entries()) {
    const detail: Detail[] = [];
    const complain: ReportProblem = (field, { input, ...what }) => {
      if (detail.length >= MAX_DETAILS) return;
      const loc = ['body', 'records', index, field.slice(0, MAX_ID_LENGTH)];
      detail.push({ loc, ...what, ...(input !== undefined && { input: input.slice(0, MAX_ID_LENGTH) }) });
    };
    const record = isObject(each) ? readRecord(each, complain, images) : undefined;
    if (record === undefined) {
      detail.push({ loc: ['body', 'records', index], msg: 'Input should be a valid dictionary', type: 'dict_type' });
    }
    const { recordId = '' } = record ?? {};
    if (recordId !== '' && seen.has(recordId)) {
      complain('record_id', { msg: 'Duplicate id in this request', type: 'value_error', input: recordId });
    }
    seen.add(recordId);
    if (record && detail.length === 0) records.push(record);
    else failed.push({ row: index + 1, ...(recordId !== '' && { record_id: recordId }), detail });
  }
  return { records, failed };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readRecord(
  input: Readonly<Record<string, unknown>>,
  complain: ReportProblem,
  images: UrlPolicy,
): ImportedRecord {
  for (const name of Object.keys(input)) {
    if (!(FIELDS as readonly string[]).includes(name)) {
      complain(name, { msg: 'Extra inputs are not permitted', type: 'extra_forbidden' });
    }
  }
  const fields = readFields(input, complain, images);
  const id = fields.text('record_id', MAX_ID_LENGTH);
  const recordId = toStorableText(id ?? '').trim();
  if ((input['record_id'] ?? undefined) === undefined) {
    const { msg, type } = missingField([]);
    complain('record_id', { msg, type });
  } else if (id !== undefined) checkId(recordId, complain);
  return omitUndefined({
    recordId,
    title: fields.text('title', MAX_TITLE_LENGTH),
    text: fields.text('text', MAX_TEXT_LENGTH),
    attributes: fields.attributes(),
    createdAt: fields.date(),
    imageUrl: fields.image(),
    ...fields.grouping(),
  });
}

function checkId(id: string, complain: ReportProblem): void {
  const reject = (msg: string, type = 'value_error') => complain('record_id', { msg, type, input: id });
  if (id === '') reject('String should have at least 1 character', 'string_too_short');
  // Path segments with a special meaning in URLs.
  if (id === '.' || id === '..') reject('The id cannot be . or ..');
  // An import must not replace a service's record.
  if (SOURCES.some((service) => id.startsWith(recordIdOf(service, '')))) {
    reject('Ids of this form are reserved for tasks');
  }
}
