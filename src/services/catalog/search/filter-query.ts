import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { WITHOUT_NUL } from '../../../http/text-patterns.ts';
import { InvalidInput } from '../../../http/validation-details.ts';
import { forbidden } from '../api-errors.ts';
import type { Visitor } from '../auth/visitor.ts';
import { MAX_WORDS, parseQuery } from './query-parser.ts';
import { type Filters, type Page, SORTS, type Sort } from './search-types.ts';

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 500, pattern: WITHOUT_NUL, description }));
const moment = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description, examples: ['2026-11-20', '2026-11-20T12:00:00Z'] }));

export const FilterQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'Words in titles, file names, transcripts, field values and class names; all must match, in any form, with typos or in part. ' +
        '`"quoted words"` must be adjacent, `-word` is excluded. A record id or task id finds its record.',
    }),
  ),
  service: name('The service of the record, or `import`.'),
  surface: name('The surface of a photo.'),
  defect: name('A detected defect.'),
  master: name('The most likely defect group.'),
  status: Type.Optional(Type.Enum(['done', 'failed'])),
  min_conf: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Minimum confidence of the `defect`, else of the `master`, else of the most confident defect.',
    }),
  ),
  from: moment('ISO 8601 date or time (UTC): created then or later.'),
  to: moment('ISO 8601 date (inclusive) or time (exclusive): created before it.'),
  has_report: Type.Optional(
    Type.Boolean({ description: 'Whether the record has a report that is open or in review.' }),
  ),
  hidden: Type.Optional(Type.Boolean({ description: 'For moderators: lists hidden records only.' })),
  sort: Type.Optional(Type.Enum([...SORTS], { description: 'Default: `relevance` with `q`, else `newest`.' })),
});
export type FilterQuery = Static<typeof FilterQuery>;

export const SearchQuery = Type.Object({
  ...FilterQuery.properties,
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  facets: Type.Boolean({ default: true, description: 'Whether to return facet counts.' }),
  upto: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '`upto` of an earlier page, to exclude records indexed since.',
    }),
  ),
});
export type SearchQuery = Static<typeof SearchQuery>;

/** Forms send empty fields. */
export async function ignoreEmpty(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const [key, value] of Object.entries(query)) if (value === '') delete query[key];
}

/** Throws `InvalidInput`, and 403 when a non-moderator requests hidden records. */
export function filtersFrom(query: FilterQuery, visitor: Visitor | null): Filters {
  if (query.hidden === true && visitor?.role !== 'moderator') throw forbidden();
  const { service, status, surface, master, defect, min_conf: minConf, has_report: hasReport } = query;
  const q = query.q?.trim() || undefined;
  if (q !== undefined && parseQuery(q).count > MAX_WORDS) throw tooManyWords(q);
  const from = momentOf('from', query.from);
  const to = momentOf('to', query.to);
  return omitUndefined({
    ...{ q, service, status, surface, master, defect, minConf, hasReport },
    from: from?.at,
    to: to?.wholeDay ? new Date(to.at.getTime() + DAY_MS) : to?.at,
    hidden: query.hidden || undefined,
  });
}

export const defaultSort = ({ q }: Filters): Sort => (q === undefined ? 'newest' : 'relevance');

export const sortFrom = ({ sort }: FilterQuery, filters: Filters): Sort =>
  sort === undefined || (sort === 'relevance' && filters.q === undefined) ? defaultSort(filters) : sort;

export const pageFrom = (query: SearchQuery, filters: Filters): Page => {
  const { page, limit, facets, upto: upTo } = query;
  return omitUndefined({ sort: sortFrom(query, filters), page, limit, facets, upTo });
};

/** Without `?` and the default order; the inverse of `filtersFrom` and `sortFrom`. */
export function toQueryString(filters: Filters, sort?: Sort): string {
  const parts = omitUndefined({ ...filtersBody(filters), sort: sort === defaultSort(filters) ? undefined : sort });
  return new URLSearchParams(
    Object.entries(parts).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

export function filtersBody(filters: Filters) {
  const { q, service, surface, defect, master, status, minConf, from, to, hasReport, hidden } = filters;
  return omitUndefined({
    ...{ q, service, surface, defect, master, status, min_conf: minConf },
    from: from && dayOrMoment(from),
    to: to && (isMidnight(to) ? dayOf(new Date(to.getTime() - DAY_MS)) : to.toISOString()),
    has_report: hasReport,
    hidden,
  });
}

const DAY_MS = 86_400_000;
const isMidnight = (at: Date) => at.getTime() % DAY_MS === 0;
const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const dayOrMoment = (at: Date) => (isMidnight(at) ? dayOf(at) : at.toISOString());

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;

function momentOf(key: 'from' | 'to', text: string | undefined): { at: Date; wholeDay: boolean } | undefined {
  if (text === undefined) return undefined;
  const at = new Date(text);
  const wholeDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  if ((wholeDay || MOMENT.test(text)) && !Number.isNaN(at.getTime()) && isOfMonth(text)) return { at, wholeDay };
  const msg = 'Input should be a valid date or datetime, like 2026-05-31 or 2026-05-31T12:00:00Z';
  throw new InvalidInput([{ loc: ['query', key], msg, type: 'datetime_parsing', input: text }]);
}

/** JavaScript parses 30 February as 1 March. */
function isOfMonth(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number);
  return day! <= new Date(Date.UTC(year!, month!, 0)).getUTCDate();
}

function tooManyWords(q: string): InvalidInput {
  const msg = `Input should have at most ${MAX_WORDS} words`;
  return new InvalidInput([
    { loc: ['query', 'q'], msg, type: 'too_long', input: q.slice(0, 200), ctx: { max_length: MAX_WORDS } },
  ]);
}
