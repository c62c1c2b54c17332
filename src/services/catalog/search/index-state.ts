import { CLIENT_LIMIT_MS, type Queryable } from '../../../base/db.ts';
import type { Search } from './search-types.ts';

export async function readIndexState(db: Queryable): Promise<Awaited<ReturnType<Search['state']>>> {
  const { rows } = await db.query<{ documents: number; indexed: Date | null; lag: number; rebuilding: boolean }>(STATE);
  const { documents, indexed, lag, rebuilding } = rows[0]!;
  return { documents, lastIndexedAt: indexed, lagSeconds: lag, rebuilding };
}

const STATE = {
  name: 'catalog-state',
  text: `
    select (select count(*) from catalog_records where not hidden) as documents,
           (select max(indexed_at) from catalog_records) as indexed,
           coalesce((select greatest(0, extract(epoch from clock_timestamp() - at))::float8
                       from catalog_feed order by serial limit 1), 0) as lag,
           exists (select from catalog_rebuild) as rebuilding`,
  limitMs: CLIENT_LIMIT_MS,
};
