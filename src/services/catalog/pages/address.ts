/** The state of the search page as its address has it: the parameters that are said, as they were said. */
export type State = Readonly<Record<string, string>>;

/** In the order in which an address has them. */
export const FILTERS = [
  ...['q', 'service', 'status', 'surface', 'master', 'defect', 'min_conf'],
  ...['from', 'to', 'has_report', 'hidden'],
] as const;
const KNOWN: readonly string[] = [...FILTERS, 'sort', 'view', 'page', 'upto'];

/** What of a query is the state of the page. */
export const stateOf = (query: Readonly<Record<string, unknown>>): State =>
  Object.fromEntries(
    KNOWN.filter((key) => query[key] !== undefined && query[key] !== '').map((key) => [key, String(query[key])]),
  );

/**
 * The state with something else in it (null: without it), from its first page again unless the change is of the page, as
 * a query string without `?`.
 */
export function changed(state: State, changes: Readonly<Record<string, string | null>>): string {
  const { page: _page, upto: _upto, ...rest } = state;
  const base: State = 'page' in changes ? state : rest;
  const next: Record<string, string | null> = { ...base, ...changes };
  return new URLSearchParams(
    KNOWN.flatMap((key) => (next[key] == null || next[key] === '' ? [] : [[key, next[key]] as [string, string]])),
  ).toString();
}

/** The address from the page at `/`. */
export const addressOf = (query: string): string => (query === '' ? './' : `./?${query}`);

/** The filters alone, without order, view and page. */
export const filtersOf = (state: State): State =>
  Object.fromEntries(FILTERS.filter((key) => key in state).map((key) => [key, state[key]!]));

export const recordAddress = (root: string, recordId: string): string => `${root}row/${encodeURIComponent(recordId)}`;
