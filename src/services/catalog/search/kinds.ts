import type { Queryable } from '../../../base/db.ts';

/** What the facets count, as it occurs together in records. */
export interface Kind {
  readonly id: number;
  readonly service: string;
  readonly status: string;
  readonly surface: string | null;
  readonly master: string | null;
  /** Names. */
  readonly defects: readonly string[];
}

export interface Kinds {
  /** The kinds of these ids, which there must be. */
  of(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, Kind>>;
}

/** So many are kept in memory. */
const MOST_KEPT = 50_000;

/** Kinds never change: what was read once is known for good. */
export function openKinds(): Kinds {
  const known = new Map<number, Kind>();
  return {
    async of(db, ids) {
      const unknown = ids.filter((id) => !known.has(id));
      if (unknown.length === 0) return known;
      const { rows } = await db.query<Kind>(
        'select id, service, status, surface, master, defects from catalog_kinds where id = any($1::int[])',
        [unknown],
      );
      if (known.size + rows.length > MOST_KEPT) return afresh(db, known, ids);
      for (const kind of rows) known.set(kind.id, kind);
      return known;
    },
  };

  async function afresh(db: Queryable, kept: Map<number, Kind>, ids: readonly number[]) {
    const { rows } = await db.query<Kind>(
      'select id, service, status, surface, master, defects from catalog_kinds where id = any($1::int[])',
      [ids],
    );
    const all = new Map(rows.map((kind) => [kind.id, kind]));
    kept.clear();
    for (const kind of rows.slice(0, MOST_KEPT)) kept.set(kind.id, kind);
    return all;
  }
}
