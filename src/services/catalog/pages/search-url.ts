export type SearchState = Readonly<Record<string, string>>;

/** In URL order. */
export const FILTERS = [
  ...['q', 'service', 'status', 'surface', 'master', 'defect', 'min_conf'],
  ...['from', 'to', 'has_report', 'hidden'],
] as const;
const KNOWN: readonly string[] = [...FILTERS, 'sort', 'view', 'page', 'upto'];

export const parseSearchState = (query: Readonly<Record<string, unknown>>): SearchState =>
  Object.fromEntries(
    KNOWN.filter((key) => query[key] !== undefined && query[key] !== '').map((key) => [key, String(query[key])]),
  );

/** Null removes. Returns to the first page unless `page` changes. Without `?`. */
export function queryWith(state: SearchState, changes: Readonly<Record<string, string | null>>): string {
  const { page: _page, upto: _upto, ...rest } = state;
  const base: SearchState = 'page' in changes ? state : rest;
  const next: Record<string, string | null> = { ...base, ...changes };
  return new URLSearchParams(
    KNOWN.flatMap((key) => (next[key] == null || next[key] === '' ? [] : [[key, next[key]] as [string, string]])),
  ).toString();
}

/** Relative to the page at `/`. */
export const searchUrl = (query: string): string => (query === '' ? './' : `./?${query}`);

export const filtersOf = (state: SearchState): SearchState =>
  Object.fromEntries(FILTERS.filter((key) => key in state).map((key) => [key, state[key]!]));

export const recordUrl = (root: string, recordId: string): string => `${root}row/${encodeURIComponent(recordId)}`;
