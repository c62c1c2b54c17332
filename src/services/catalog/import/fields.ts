import type { JsonObject } from '../../../base/json.ts';
import { checkUrl, type UrlPolicy, UrlRefused } from '../../../base/outbound-url.ts';
import type { Detail } from '../../../http/details.ts';

/** What a record may say of itself. */
export const FIELDS = ['record_id', 'title', 'text', 'image_url', 'attributes', 'created_at'] as const;
type Field = (typeof FIELDS)[number];

/** Says what is wrong with a field; `input`: what was sent, of which the beginning is shown. */
export type Complain = (field: string, what: Omit<Detail, 'loc' | 'input'> & { readonly input?: string }) => void;

/** The fields of one record. What is wrong with one is complained of, and it counts as absent; null and, but for the id, an empty text are absent. */
export function fieldsOf(given: Readonly<Record<string, unknown>>, complain: Complain, images: UrlPolicy) {
  const text = (name: Field, most: number): string | undefined => {
    const value = given[name] ?? undefined;
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
      const value = given['attributes'] ?? undefined;
      if (value === undefined) return undefined;
      const problem = attributesProblem(value);
      if (problem === undefined) return value as JsonObject;
      complain('attributes', problem);
      return undefined;
    },

    /** An address that an image may have. */
    image(): string | undefined {
      const url = text('image_url', LONGEST_URL);
      try {
        if (url !== undefined) checkUrl(url, images);
        return url;
      } catch (error) {
        if (!(error instanceof UrlRefused)) throw error;
        // A credential may be in it.
        complain('image_url', { msg: error.message.replace(/\.$/, ''), type: 'url_parsing' });
        return undefined;
      }
    },

    date(): Date | undefined {
      const said = text('created_at', LONGEST_DATE);
      const date = said === undefined ? undefined : dateOf(said);
      if (said !== undefined && date === undefined) {
        complain('created_at', { msg: NO_DATE, type: 'datetime_parsing', input: said });
      }
      return date;
    },
  };
}

const LONGEST_URL = 2048;
const LONGEST_DATE = 40;
const MOST_ATTRIBUTES_BYTES = 16 * 1024;
const DEEPEST = 8;

function attributesProblem(value: unknown): Pick<Detail, 'msg' | 'type'> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { msg: 'Input should be a valid dictionary', type: 'dict_type' };
  }
  const type = 'value_error';
  if (deeperThan(value, DEEPEST)) return { msg: `Attributes are nested deeper than ${DEEPEST} levels`, type };
  if (Buffer.byteLength(JSON.stringify(value)) <= MOST_ATTRIBUTES_BYTES) return undefined;
  return { msg: `Attributes are larger than ${MOST_ATTRIBUTES_BYTES / 1024} KiB`, type };
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

const NO_DATE = 'Input should be a valid date or datetime, like 2026-05-31 or 2026-05-31T12:00:00Z';
// As RFC 3339 has it, a blank for its T and the zone left out (UTC) allowed; or a day alone, from its midnight in UTC.
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d:\d\d)?)?$/;

function dateOf(said: string): Date | undefined {
  const [, year, month, day, time = '00:00', zone = 'Z'] = DATE.exec(said) ?? [];
  if (year === undefined || year < '1900' || year > '2999') return undefined;
  // JavaScript takes 30 February for 1 March.
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined;
  const date = new Date(`${year}-${month}-${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
