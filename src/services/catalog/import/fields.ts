import type { JsonObject } from '../../../base/json.ts';
import { isInCalendar } from '../../../base/moment.ts';
import { checkUrl, type UrlPolicy, UrlRejected } from '../../../base/outbound-url.ts';
import type { Detail } from '../../../http/validation-details.ts';
import { type Grouping, readGrouping } from '../../shared/grouping.ts';

export const FIELDS = [
  'record_id',
  'title',
  'text',
  'image_url',
  'attributes',
  'created_at',
  'project',
  'tags',
] as const;
type Field = (typeof FIELDS)[number];

/** `input`: shown truncated. */
export type ReportProblem = (field: string, what: Omit<Detail, 'loc' | 'input'> & { readonly input?: string }) => void;

/** Invalid fields are reported and treated as absent, as are null and (except for the id) empty text. */
export function readFields(input: Readonly<Record<string, unknown>>, complain: ReportProblem, images: UrlPolicy) {
  const text = (name: Field, most: number): string | undefined => {
    const value = input[name] ?? undefined;
    if (value === undefined || (value === '' && name !== 'record_id')) return undefined;
    if (typeof value !== 'string') {
      complain(name, { msg: 'Input should be a valid string', type: 'string_type' });
    } else if (value.length > most) {
      const [msg, ctx] = [`String should have at most ${most} characters`, { max_length: most }];
      complain(name, { msg, ctx, type: 'string_too_long', input: value });
    } else return value;
    return undefined;
  };

  return {
    text,

    attributes(): JsonObject | undefined {
      const value = input['attributes'] ?? undefined;
      if (value === undefined) return undefined;
      const problem = attributesProblem(value);
      if (problem === undefined) return value as JsonObject;
      complain('attributes', problem);
      return undefined;
    },

    image(): string | undefined {
      const url = text('image_url', MAX_URL_LENGTH);
      try {
        if (url !== undefined) checkUrl(url, images);
        return url;
      } catch (error) {
        if (!(error instanceof UrlRejected)) throw error;
        // Without `input`: the URL can contain a credential.
        complain('image_url', { msg: error.message.replace(/\.$/, ''), type: 'url_parsing' });
        return undefined;
      }
    },

    /** The tags of a table are separated by commas. */
    grouping(): Grouping | undefined {
      const given = input['tags'] ?? undefined;
      const tags = typeof given === 'string' ? given.split(',').filter((tag) => tag.trim() !== '') : given;
      if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'))) {
        complain('tags', { msg: 'Input should be a list of strings', type: 'list_type' });
        return undefined;
      }
      let rejection: Error | undefined;
      const reject = (field: string, message: string) => {
        complain(field, { msg: `${field}: ${message}`, type: 'value_error' });
        rejection = new Error(message);
        return rejection;
      };
      try {
        return readGrouping({ project: text('project', MAX_URL_LENGTH), tags }, reject);
      } catch (error) {
        if (error !== rejection) throw error;
        return undefined;
      }
    },

    date(): Date | undefined {
      const value = text('created_at', MAX_DATE_LENGTH);
      const date = value === undefined ? undefined : parseDate(value);
      if (value !== undefined && date === undefined) {
        complain('created_at', { msg: INVALID_DATE, type: 'datetime_parsing', input: value });
      }
      return date;
    },
  };
}

const MAX_URL_LENGTH = 2048;
const MAX_DATE_LENGTH = 40;
const MAX_ATTRIBUTES_BYTES = 16 * 1024;
const MAX_DEPTH = 8;

function attributesProblem(value: unknown): Pick<Detail, 'msg' | 'type'> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { msg: 'Input should be a valid dictionary', type: 'dict_type' };
  }
  const type = 'value_error';
  if (deeperThan(value, MAX_DEPTH)) return { msg: `Attributes are nested deeper than ${MAX_DEPTH} levels`, type };
  if (Buffer.byteLength(JSON.stringify(value)) <= MAX_ATTRIBUTES_BYTES) return undefined;
  return { msg: `Attributes are larger than ${MAX_ATTRIBUTES_BYTES / 1024} KiB`, type };
}

/** Iterative: a body can be nested deeper than the call stack. */
function deeperThan(value: object, most: number): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((each) => Object.values(each).filter((inner) => typeof inner === 'object' && inner !== null));
  }
  return false;
}

const INVALID_DATE = 'Input should be a valid date or datetime, like 2026-05-31 or 2026-05-31T12:00:00Z';
// RFC 3339, also with a space for T and without a zone (UTC); or a date alone, at midnight UTC.
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d:\d\d)?)?$/;

function parseDate(text: string): Date | undefined {
  const [, year, month, day, time = '00:00', zone = 'Z'] = DATE.exec(text) ?? [];
  if (year === undefined || year < '1900' || year > '2999') return undefined;
  if (!isInCalendar(text)) return undefined;
  const date = new Date(`${year}-${month}-${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
