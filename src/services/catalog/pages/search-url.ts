import { FACET_NAMES } from '../search/search-types.ts';

/** The values of each parameter; none is empty. */
export type SearchState = Readonly<Record<string, readonly string[]>>;

/** In URL order. */
export const FILTERS = [
  'q',
  ...FACET_NAMES.flatMap((name) => [name, `not_${name}`] as const),
  ...[
    'min_conf',
    'from',
    'to',
    'has_report',
    'duplicates',
    'range',
    'has',
    'not_has',
    'attribute',
    'not_attribute',
    'hidden',
  ],
] as const;
const KNOWN: readonly string[] = [...FILTERS, 'sort', 'view', 'page', 'upto'];

export const parseSearchState = (query: Readonly<Record<string, unknown>>): SearchState =>
  Object.fromEntries(
    KNOWN.map((key) => [key, [query[key] ?? []].flat().map(String)] as const).filter(([, values]) => values.length > 0),
  );

/** Null removes. Returns to the first page unless `page` changes. Without `?`. */
export function queryWith(
  state: SearchState,
  changes: Readonly<Record<string, string | readonly string[] | null>>,
): string {
  const { page: _page, upto: _upto, ...rest } = state;
  const next = { ...('page' in changes ? state : rest), ...changes };
  return new URLSearchParams(
    KNOWN.flatMap((key) => [next[key] ?? []].flat().map((value): [string, string] => [key, value])),
  ).toString();
}

/** Relative to the page at `/`. */
export const searchUrl = (query: string): string => (query === '' ? './' : `./?${query}`);

export const filtersOf = (state: SearchState): SearchState =>
  Object.fromEntries(FILTERS.filter((key) => key in state).map((key) => [key, state[key]!]));

export const recordUrl = (root: string, recordId: string): string => `${root}row/${encodeURIComponent(recordId)}`;
