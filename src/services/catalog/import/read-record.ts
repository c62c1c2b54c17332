import type { JsonObject } from '../../../base/json.ts';
import { checkUrl, UrlRefused } from '../../../base/outbound-url.ts';
import { type Detail, missing } from '../../../http/details.ts';
import { cleanText } from '../records/clean.ts';
import { LONGEST_TITLE, recordIdOf } from '../records/entry.ts';
import type { ImportedRecord } from '../records/records.ts';
import { SOURCES } from '../settings.ts';
import type { Given } from './given.ts';

/** The most records of one request. */
export const MOST_RECORDS = 1000;
export const FIELDS = ['record_id', 'title', 'text', 'image_url', 'attributes', 'created_at'] as const;
export type Field = (typeof FIELDS)[number];

const LONGEST_ID = 200;
const LONGEST_TEXT = 100_000;
const LONGEST_URL = 2048;
const MOST_ATTRIBUTES_BYTES = 16 * 1024;
const DEEPEST = 8;

/** Tells the records of a request that can be indexed from those that cannot. */
export function readRecords(given: readonly unknown[]): Given {
  const seen = new Set<string>();
  const records: ImportedRecord[] = [];
  const failed: Given['failed'][number][] = [];
  for (const [index, each] of given.entries()) {
    const complaints: Detail[] = [];
    const record = readRecord(each, index, (detail) => complaints.push(detail));
    const { recordId } = record;
    // Nobody is to take the place of what a service has made.
    if (SOURCES.some((service) => recordId.startsWith(recordIdOf(service, '')))) {
      complaints.push(wrong(index, 'record_id', 'Ids of this form are those of finished tasks', recordId));
    }
    // In an address they mean another place, however they are written.
    if (recordId === '.' || recordId === '..') {
      complaints.push(wrong(index, 'record_id', 'Dots alone are no id', recordId));
    }
    if (recordId !== '' && seen.has(recordId)) {
      complaints.push(wrong(index, 'record_id', 'The id stands in this request before', recordId));
    }
    seen.add(recordId);
    if (complaints.length === 0) records.push(record);
    else failed.push({ row: index + 1, ...(recordId !== '' && { record_id: recordId }), detail: complaints });
  }
  return { records, failed };
}

function readRecord(given: unknown, index: number, complain: Complain): ImportedRecord {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    complain({ loc: ['body', 'records', index], msg: 'Input should be a valid dictionary', type: 'dict_type' });
    return { recordId: '' };
  }
  const fields = given as Partial<Record<string, unknown>>;
  for (const name of Object.keys(fields)) {
    if (!(FIELDS as readonly string[]).includes(name)) {
      const msg = 'Extra inputs are not permitted';
      complain({ loc: ['body', 'records', index, name.slice(0, 200)], msg, type: 'extra_forbidden' });
    }
  }
  const text = (name: Field, most: number) => textOf(fields[name], name, most, index, complain);
  const recordId = cleanText(text('record_id', LONGEST_ID) ?? '').trim();
  if (fields['record_id'] === undefined) complain(missing(['body', 'records', index, 'record_id']));
  else if (typeof fields['record_id'] === 'string' && recordId === '') {
    complain(wrong(index, 'record_id', 'String should have at least 1 character', fields['record_id'], 'string_too_short'));
  }
  const [title, body, imageUrl] = [text('title', LONGEST_TITLE), text('text', LONGEST_TEXT), text('image_url', LONGEST_URL)];
  const attributes = attributesOf(fields['attributes'], index, complain);
  const createdAt = dateOf(text('created_at', 40), index, complain);
  if (imageUrl !== undefined) checkImage(imageUrl, index, complain);
  return {
    recordId,
    ...(title !== undefined && { title }),
    ...(body !== undefined && { text: body }),
    ...(imageUrl !== undefined && { imageUrl }),
    ...(attributes && { attributes }),
    ...(createdAt && { createdAt }),
  };
}

type Complain = (detail: Detail) => void;

/** Null is as good as absent, and so is an empty text, as tables have it. */
function textOf(value: unknown, name: Field, most: number, index: number, complain: Complain): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') {
    complain(wrong(index, name, 'Input should be a valid string', undefined, 'string_type'));
    return undefined;
  }
  if (value.length > most) {
    const msg = `String should have at most ${most} characters`;
    complain({ ...wrong(index, name, msg, value, 'string_too_long'), ctx: { max_length: most } });
    return undefined;
  }
  return value === '' && name !== 'record_id' ? undefined : value;
}

function attributesOf(value: unknown, index: number, complain: Complain): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) {
    complain(wrong(index, 'attributes', 'Input should be a valid dictionary', undefined, 'dict_type'));
    return undefined;
  }
  if (deeperThan(value, DEEPEST)) {
    complain(wrong(index, 'attributes', `Attributes are nested deeper than ${DEEPEST} levels`));
    return undefined;
  }
  if (Buffer.byteLength(JSON.stringify(value)) > MOST_ATTRIBUTES_BYTES) {
    complain(wrong(index, 'attributes', `Attributes are larger than ${MOST_ATTRIBUTES_BYTES / 1024} KiB`));
    return undefined;
  }
  return value as JsonObject;
}

/** Level by level and not by recursion: a body of some megabytes may be nested deeper than a stack. */
function deeperThan(value: object, most: number): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((each) => Object.values(each).filter((inner) => typeof inner === 'object' && inner !== null));
  }
  return false;
}

// ISO 8601 as RFC 3339 has it, or a day alone, which begins at midnight in UTC.
const DATE = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d))?$/;

function dateOf(text: string | undefined, index: number, complain: Complain): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(DATE.test(text) ? text.replace(' ', 'T') : Number.NaN);
  const year = date.getUTCFullYear();
  if (year >= 1900 && year < 3000 && date.toISOString().slice(8, 10) !== '' && isDay(text)) return date;
  complain(wrong(index, 'created_at', 'Input should be a valid datetime', text, 'datetime_parsing'));
  return undefined;
}

/** JavaScript takes 30 February for 1 March. */
function isDay(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function checkImage(url: string, index: number, complain: Complain): void {
  try {
    checkUrl(url, { kind: 'public' });
  } catch (error) {
    if (!(error instanceof UrlRefused)) throw error;
    complain(wrong(index, 'image_url', error.message.replace(/\.$/, ''), undefined, 'url_parsing'));
  }
}

/** `input`: what was sent, of which the beginning is shown. */
function wrong(index: number, name: Field, msg: string, input?: string, type = 'value_error'): Detail {
  const loc = ['body', 'records', index, name];
  return { loc, msg, type, ...(input !== undefined && { input: input.slice(0, 200) }) };
}
