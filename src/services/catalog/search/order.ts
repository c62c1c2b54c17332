import type { Meant } from './expand.ts';
import type { Filters, Sort } from './filters.ts';
import { type Condition, confidence, found, onlyExcludes, type Say, type Stage, tsquery, without } from './where.ts';

/** What records are ordered by. */
export interface Order {
  /** Expressions over `catalog_records r`, from the first to the last, all in one direction. */
  readonly keys: (parameters: Say) => readonly string[];
  readonly direction: 'asc' | 'desc';
  /** The types of the keys. */
  readonly types: readonly string[];
}

/** The order within a stage (see {@link stages}). Two records never stand in the same place. */
export function orderOf(sort: Sort, filters: Filters): Order {
  const keys = ['r.created_at', 'r.number'];
  const types = ['timestamptz', 'bigint'];
  if (sort === 'oldest') return { keys: () => keys, direction: 'asc', types };
  if (sort !== 'confidence') return { keys: () => keys, direction: 'desc', types };
  // Whoever has none comes last.
  return { keys: (p) => [confidence(filters, p), ...keys], direction: 'desc', types: ['real', ...types] };
}

/**
 * What comes one after the other: of the relevant first whoever bears the name, then what has the words in its title as
 * they were written, then what has them in its text, then what has only words like them. Each record that `found` finds
 * is in exactly one of them. For any other order there is one stage.
 */
export function stages(sort: Sort, meant: Meant | undefined): readonly Stage[] {
  if (sort !== 'relevance' || meant === undefined) return [found(meant)];
  const { ids } = meant;
  if (ids.length === 0) return byWords(meant);
  const named: Stage = { words: (p) => `r.number = any(${p.say(ids)}::bigint[])`, rest: always };
  const others = byWords(meant).map((stage) => ({
    ...stage,
    rest: (p: Say) => `${stage.rest(p)} and r.number <> all(${p.say(ids)}::bigint[])`,
  }));
  return [named, ...others];
}

function byWords(meant: Meant): Stage[] {
  if (onlyExcludes(meant)) return [{ rest: (p) => without(meant, p) }];
  const titled: Condition = (p) => `r.title_search @@ (${tsquery({ ...meant, excluded: [] }, 'as written', p)})`;
  const written: Condition = (p) => `r.search @@ (${tsquery(meant, 'as written', p)})`;
  const alike: Condition = (p) =>
    `r.search @@ (${tsquery(meant, 'any', p)} && !! (${tsquery(meant, 'as written', p)}))`;
  return [
    { words: titled, rest: meant.excluded.length > 0 ? written : always },
    { words: written, rest: (p) => `not ${titled(p)}` },
    ...(meant.words.some((all) => all.length > 1) ? [{ words: alike, rest: always }] : []),
  ];
}

const always: Condition = () => 'true';
