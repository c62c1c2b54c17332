import type { QueryExpansion } from './query-expansion.ts';
import type { Filters, Sort } from './search-types.ts';
import {
  type Binder,
  type Condition,
  confidence,
  excludedCondition,
  onlyExcludes,
  queryStage,
  type Stage,
  searchCondition,
  tsquery,
} from './where.ts';

export interface Order {
  /** SQL expressions over `catalog_records r`, all in one direction. */
  readonly keys: (parameters: Binder) => readonly string[];
  readonly direction: 'asc' | 'desc';
  readonly types: readonly string[];
}

/** A total order within a stage (see {@link stages}). */
export function orderOf(sort: Sort, filters: Filters): Order {
  const keys = ['r.created_at', 'r.number'];
  const types = ['timestamptz', 'bigint'];
  if (sort === 'oldest') return { keys: () => keys, direction: 'asc', types };
  if (sort !== 'confidence') return { keys: () => keys, direction: 'desc', types };
  return { keys: (p) => [confidence(filters, p), ...keys], direction: 'desc', types: ['real', ...types] };
}

/** Records after a position in the order. */
export function isAfter({ keys, direction, types }: Order, position: readonly unknown[]): Condition {
  return (p) => {
    const values = position.map((value, i) => `${p.bind(value)}::${types[i]}`);
    return `(${keys(p).join(', ')}) ${direction === 'desc' ? '<' : '>'} (${values.join(', ')})`;
  };
}

/**
 * `relevance`: records with the id, exact matches in the title, then in the text, similar words. Each match is in
 * exactly one stage.
 */
export function stages(sort: Sort, expansion: QueryExpansion | undefined): readonly Stage[] {
  if (sort !== 'relevance' || expansion === undefined) return [queryStage(expansion)];
  const { ids } = expansion;
  if (ids.length === 0) return byWords(expansion);
  const named: Stage = { words: (p) => `r.number = any(${p.bind(ids)}::bigint[])`, rest: always };
  const others = byWords(expansion).map((stage) => ({
    ...stage,
    rest: (p: Binder) => `${stage.rest(p)} and r.number <> all(${p.bind(ids)}::bigint[])`,
  }));
  return [named, ...others];
}

function byWords(expansion: QueryExpansion): Stage[] {
  if (onlyExcludes(expansion)) return [{ rest: (p) => excludedCondition(expansion, p) }];
  const titled: Condition = (p) => `r.title_search @@ (${tsquery({ ...expansion, excluded: [] }, 'as written', p)})`;
  const written: Condition = (p) => searchCondition(expansion, 'as written', p, 'index');
  return [
    { words: expansion.excluded.length > 0 ? (p) => `${titled(p)} and ${written(p)}` : titled, rest: always },
    { words: written, rest: (p) => `not ${titled(p)}` },
    ...(expansion.words.some((all) => all.length > 1)
      ? [{ words: (p, use) => searchCondition(expansion, 'alike', p, use), rest: always } satisfies Stage]
      : []),
  ];
}

const always: Condition = () => 'true';
