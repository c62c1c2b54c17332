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

export interface FacetCombinations {
  load(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, FacetCombination>>;
}

const MAX_CACHED = 50_000;
const SELECT =
  'select id, service, status, surface, master, defects from catalog_facet_combinations where id = any($1::int[])';

/** Combinations never change. */
export function createFacetCombinations(): FacetCombinations {
  const cache = new Map<number, FacetCombination>();
  return {
    async load(db, ids) {
      const missing = ids.filter((id) => !cache.has(id));
      if (missing.length === 0) return cache;
      const { rows } = await db.query<FacetCombination>(SELECT, [missing]);
      if (cache.size + rows.length > MAX_CACHED) return reload(db, ids);
      for (const kind of rows) cache.set(kind.id, kind);
      return cache;
    },
  };

  async function reload(db: Queryable, ids: readonly number[]) {
    const { rows } = await db.query<FacetCombination>(SELECT, [ids]);
    const all = new Map(rows.map((kind) => [kind.id, kind]));
    cache.clear();
    for (const kind of rows.slice(0, MAX_CACHED)) cache.set(kind.id, kind);
    return all;
  }
}
