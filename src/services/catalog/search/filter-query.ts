import type { FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { parseMoment } from '../../../base/moment.ts';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { WITHOUT_NUL } from '../../../http/text-patterns.ts';
import { InvalidInput } from '../../../http/validation-details.ts';
import { forbidden } from '../api-errors.ts';
import type { Visitor } from '../auth/visitor.ts';
import { formatAttribute, parseAttribute } from './attributes.ts';
import { formatRange, parseRange } from './field-ranges.ts';
import { MAX_WORDS, parseQuery } from './query-parser.ts';
import {
  FACET_NAMES,
  type FacetName,
  type FacetValues,
  type Filters,
  MAX_RESULTS,
  type Page,
  type Position,
  SORTS,
  type Sort,
} from './search-types.ts';

const MAX_VALUES = 50;
const Name = Type.String({ minLength: 1, maxLength: 500, pattern: WITHOUT_NUL });
const Status = Type.Enum(['done', 'failed']);

const AttributeValue = Type.String({ maxLength: 700, pattern: WITHOUT_NUL });

const severalOf = <Value extends TSchema>(value: Value, description: string) =>
  Type.Optional(Type.Union([value, Type.Array(value, { minItems: 1, maxItems: MAX_VALUES })], { description }));
const facet = <Value extends TSchema>(value: Value, what: string) =>
  severalOf(value, `${what}. Repeat it to match any of several values.`);
const excluded = <Value extends TSchema>(value: Value, name: FacetName) =>
  severalOf(value, `Excludes records with this \`${name}\`. Repeat it to exclude several values.`);
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
  service: facet(Name, 'The service of the record, or `import`'),
  surface: facet(Name, 'The surface of a photo'),
  defect: facet(Name, 'A detected defect'),
  master: facet(Name, 'The most likely defect group'),
  status: facet(Status, 'The status of the task; imported records are `done`'),
  project: facet(Name, 'The project of the request'),
  tag: facet(Name, 'A tag of the request'),
  not_service: excluded(Name, 'service'),
  not_surface: excluded(Name, 'surface'),
  not_defect: excluded(Name, 'defect'),
  not_master: excluded(Name, 'master'),
  not_status: excluded(Status, 'status'),
  not_project: excluded(Name, 'project'),
  not_tag: excluded(Name, 'tag'),
  min_conf: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Minimum confidence of a `defect`, else of the `master`, else of the most confident defect.',
    }),
  ),
  from: moment('ISO 8601 date or time (UTC): created then or later.'),
  to: moment('ISO 8601 date (inclusive) or time (exclusive): created before it.'),
  has_report: Type.Optional(
    Type.Boolean({ description: 'Whether the record has a report that is open or in review.' }),
  ),
  duplicates: Type.Optional(
    Type.Boolean({
      description: 'Whether another record has the same photo, also resized, compressed again or slightly cropped.',
    }),
  ),
  range: severalOf(
    Type.String({ minLength: 1, maxLength: 600, pattern: WITHOUT_NUL }),
    'The number of a field of a document or attribute, `FIELD:MIN..MAX` with one end optional, inclusive: ' +
      '`general:year_built:1960..1980`, `areas:total_area:50..`. Repeated: all must match.',
  ),
  has: severalOf(
    Name,
    'A field of a document (`section:field`) or an attribute that the record has, or `project` or `tag`. Repeated: all of them.',
  ),
  not_has: severalOf(Name, 'A field or attribute that the record does not have. Repeated: none of them.'),
  attribute: severalOf(
    AttributeValue,
    'A field of a document or an attribute with this text or truth value, `FIELD=VALUE`: `inspector=Petrov`, `general:purpose=school`. ' +
      'Repeated: any of the values of a field, for each field. A field whose name contains `=` cannot be filtered.',
  ),
  not_attribute: severalOf(AttributeValue, 'Excludes records with this value of the field. Repeated: all of them.'),
  hidden: Type.Optional(Type.Boolean({ description: 'For moderators: lists hidden records only.' })),
  sort: Type.Optional(Type.Enum([...SORTS], { description: 'Default: `relevance` with `q`, else `newest`.' })),
});
export type FilterQuery = Static<typeof FilterQuery>;

export const SearchQuery = Type.Object({
  ...FilterQuery.properties,
  page: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1,
    description: `With \`limit\` at most the ${MAX_RESULTS}th result: for further ones send \`after\`, or use \`/export\`.`,
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  facets: Type.Boolean({ default: true, description: 'Whether to return facet counts.' }),
  after: Type.Optional(
    Type.String({
      pattern: `^(${SORTS.join('|')})_\\d_-?\\d{1,14}_\\d{1,15}(_(-1|[01](\\.\\d{1,10})?))?$`,
      description: '`next` of an earlier page: results after it, also those that no page reaches.',
    }),
  ),
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
  for (const [key, value] of Object.entries(query)) {
    const filled = Array.isArray(value) ? value.filter((each) => each !== '') : value;
    if (filled === '' || (Array.isArray(filled) && filled.length === 0)) delete query[key];
    else query[key] = filled;
  }
}

/** Whether a parameter is one of the two fields of a range in the page's form. */
export const isRangeEnd = (name: string): boolean => /^(?:min|max):./s.test(name);

/** The page's form also sends a range in two fields: `min:FIELD` and `max:FIELD`. */
export async function readFilterForm(request: FastifyRequest): Promise<void> {
  await ignoreEmpty(request);
  const query = request.query as Record<string, unknown>;
  const ends = Object.keys(query).filter(isRangeEnd);
  const ranges = [...new Set(ends.map((key) => key.slice('min:'.length)))].map(
    (field) => `${field}:${query[`min:${field}`] ?? ''}..${query[`max:${field}`] ?? ''}`,
  );
  if (ranges.length > 0) query['range'] = [query['range'] ?? [], ...ranges].flat();
}

/** Throws `InvalidInput`, and 403 when a non-moderator requests hidden records. */
export function filtersFrom(query: FilterQuery, visitor: Visitor | null): Filters {
  if (query.hidden === true && visitor?.role !== 'moderator') throw forbidden();
  const { min_conf: minConf, has_report: hasReport, duplicates } = query;
  // PostgreSQL text cannot contain NUL.
  const q = query.q?.replaceAll('\0', '').trim() || undefined;
  if (q !== undefined && parseQuery(q).count > MAX_WORDS) throw tooManyWords(q);
  const from = momentOf('from', query.from);
  const to = momentOf('to', query.to);
  return omitUndefined({
    ...{ q, ...facetsFrom((name) => query[name]), minConf, hasReport, duplicates },
    ranges: distinct(query.range)?.map(parseRange),
    has: distinct(query.has),
    hasNot: distinct(query.not_has),
    attributes: distinct(query.attribute)?.map((text) => parseAttribute('attribute', text)),
    excludedAttributes: distinct(query.not_attribute)?.map((text) => parseAttribute('not_attribute', text)),
    excluded: facetsFrom((name) => query[`not_${name}`]),
    from: from?.at,
    to: to?.wholeDay ? new Date(to.at.getTime() + DAY_MS) : to?.at,
    hidden: query.hidden || undefined,
  });
}

const distinct = <T extends string | readonly string[] | undefined>(values: T) =>
  values && [...new Set([values].flat())];

/** Undefined without values. */
function facetsFrom(read: (name: FacetName) => string | readonly string[] | undefined): FacetValues | undefined {
  const given = FACET_NAMES.flatMap((name) => {
    const value = read(name);
    return value === undefined ? [] : [[name, distinct(value)] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

export const defaultSort = ({ q }: Filters): Sort => (q === undefined ? 'newest' : 'relevance');

export const sortFrom = ({ sort }: FilterQuery, filters: Filters): Sort =>
  sort === undefined || (sort === 'relevance' && filters.q === undefined) ? defaultSort(filters) : sort;

export const pageFrom = (query: SearchQuery, filters: Filters): Page => {
  const { page, limit, facets, upto: upTo } = query;
  const sort = sortFrom(query, filters);
  if (page * limit > MAX_RESULTS) throw invalid('page', TOO_DEEP, page);
  return omitUndefined({ sort, page, limit, facets, upTo, after: positionFrom(query.after, sort) });
};

const TOO_DEEP = `Input should not reach beyond result ${MAX_RESULTS}: send \`next\` of the previous page as \`after\`, narrow the filters, or use /export`;

function positionFrom(after: string | undefined, sort: Sort): Position | undefined {
  if (after === undefined) return undefined;
  const [order, ...numbers] = after.split('_');
  const [stage, ms, number, ...conf] = numbers.map(Number);
  if (order !== sort || conf.length !== Number(sort === 'confidence')) {
    throw invalid('after', 'Input should be `next` of a page with the same order', after);
  }
  return { stage: stage!, keys: [...conf, new Date(ms!), number] };
}

/** For `after`. */
export function formatPosition({ stage, keys }: Position, sort: Sort): string {
  const [number, at, ...conf] = keys.toReversed();
  return [sort, stage, Number(at), number, ...conf].join('_');
}

/** Without `?` and the default order; the inverse of `filtersFrom` and `sortFrom`. */
export function toQueryString(filters: Filters, sort?: Sort): string {
  const parts = omitUndefined({ ...filtersBody(filters), sort: sort === defaultSort(filters) ? undefined : sort });
  return new URLSearchParams(
    Object.entries(parts).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    ),
  ).toString();
}

/** As in the query: one value, or a list of several. */
export function filtersBody(filters: Filters) {
  const { q, excluded = {}, minConf, from, to, hasReport, duplicates, ranges, has, hasNot, hidden } = filters;
  const { attributes, excludedAttributes } = filters;
  const facets = FACET_NAMES.flatMap((name) => [
    [name, filters[name]] as const,
    [`not_${name}`, excluded[name]] as const,
  ]);
  return omitUndefined({
    q,
    ...Object.fromEntries(facets.map(([name, values]) => [name, oneOrList(values)])),
    min_conf: minConf,
    from: from && dayOrMoment(from),
    to: to && (isMidnight(to) ? dayOf(new Date(to.getTime() - DAY_MS)) : to.toISOString()),
    has_report: hasReport,
    duplicates,
    ...{ range: oneOrList(ranges?.map(formatRange)), has: oneOrList(has), not_has: oneOrList(hasNot) },
    attribute: oneOrList(attributes?.map(formatAttribute)),
    not_attribute: oneOrList(excludedAttributes?.map(formatAttribute)),
    hidden,
  });
}

const oneOrList = (values: readonly string[] | undefined) => (values?.length === 1 ? values[0] : values);

const DAY_MS = 86_400_000;
const isMidnight = (at: Date) => at.getTime() % DAY_MS === 0;
const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const dayOrMoment = (at: Date) => (isMidnight(at) ? dayOf(at) : at.toISOString());

function momentOf(key: 'from' | 'to', text: string | undefined) {
  if (text === undefined) return undefined;
  const moment = parseMoment(text);
  if (moment !== undefined) return moment;
  const msg = 'Input should be a valid date or datetime, like 2026-05-31 or 2026-05-31T12:00:00Z';
  throw invalid(key, msg, text, 'datetime_parsing');
}

const invalid = (key: keyof SearchQuery, msg: string, input: unknown, type = 'value_error') =>
  new InvalidInput([{ loc: ['query', key], msg, type, input }]);

function tooManyWords(q: string): InvalidInput {
  const msg = `Input should have at most ${MAX_WORDS} words`;
  return new InvalidInput([
    { loc: ['query', 'q'], msg, type: 'too_long', input: q.slice(0, 200), ctx: { max_length: MAX_WORDS } },
  ]);
}
