import type { Meant } from './expand.ts';
import type { Filters, Sort } from './filters.ts';
import type { Parameters } from './statement.ts';
import { confidence, tsquery } from './where.ts';

/** How the columns are called that records are ordered by, from the first to the last, all in one direction. */
export interface Order {
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
  return {
    // Whoever has none comes last.
    keys: (parameters) => [`coalesce(${confidence(filters, parameters)}, -1)`, ...keys],
    direction: 'desc',
    types: ['real', ...types],
  };
}

/** A further condition over `catalog_records r`. */
export type Stage = (parameters: Say) => string;

/**
 * What comes one after the other: of the relevant first whoever bears the name, then what has the words in its title as
 * they were written, then what has them in its text, then what has only words like them. Each record is in exactly one
 * of them. For any other order there is one stage.
 */
export function stages(sort: Sort, meant: Meant | undefined): readonly Stage[] {
  if (sort !== 'relevance' || meant === undefined) return [() => 'true'];
  const { words, phrases, ids } = meant;
  const title: Stage = (p) => `r.title_search @@ (${tsquery({ ...meant, excluded: [] }, 'as written', p)})`;
  const text: Stage = (p) => `r.search @@ (${tsquery(meant, 'as written', p)})`;
  const alike: Stage = (p) => `r.search @@ (${tsquery(meant, 'any', p)} && !! (${tsquery(meant, 'as written', p)}))`;
  const byWords: readonly Stage[] = [
    // Where something is only excluded, no title has the words.
    ...(words.length + phrases.length > 0 ? [title, (p: Say) => `${text(p)} and not ${title(p)}`] : [text]),
    ...(words.some((all) => all.length > 1) ? [alike] : []),
  ];
  if (ids.length === 0) return byWords;
  const others = byWords.map((stage): Stage => (p) => `${stage(p)} and r.number <> all(${p.say(ids)}::bigint[])`);
  return [(p) => `r.number = any(${p.say(ids)}::bigint[])`, ...others];
}

type Say = Pick<Parameters, 'say'>;
