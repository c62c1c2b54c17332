import type { Queryable } from '../../../base/db.ts';

/** A combination of facet values that occurs in records. */
export interface FacetCombination {
  readonly id: number;
  readonly service: string;
  readonly status: string;
  readonly surface: string | null;
  readonly master: string | null;
  readonly defects: readonly string[];
}

export type FacetCombinations = ReturnType<typeof createFacetCombinations>;

const MAX_CACHED = 50_000;
const SELECT =
  'select id, service, status, surface, master, defects from catalog_facet_combinations where id = any($1::int[])';

/** Combinations never change. */
export function createFacetCombinations() {
  let cache = new Map<number, FacetCombination>();
  return {
    async load(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, FacetCombination>> {
      // The callers in progress keep their map when a new one is started.
      const known = cache;
      const missing = ids.filter((id) => !known.has(id));
      if (missing.length === 0) return known;
      const { rows } = await db.query<FacetCombination>(SELECT, [missing]);
      for (const kind of rows) known.set(kind.id, kind);
      if (known.size > MAX_CACHED) cache = new Map();
      return known;
    },
  };
}
