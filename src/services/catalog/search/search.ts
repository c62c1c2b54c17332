import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';
import { createFacetCombinations } from './facet-combinations.ts';
import { findRecords } from './find.ts';
import { readRow } from './row.ts';
import type { Search } from './search-types.ts';
import { streamRecords } from './stream.ts';

export function createSearch(db: Db): Search {
  const kinds = createFacetCombinations();
  return {
    find: (filters, page) => findRecords(db, kinds, filters, page),
    stream: (filters, sort) => streamRecords(db, filters, sort),
    row: (recordId) => readRow(db, recordId),
    state: async () => (await db.query<Awaited<ReturnType<Search['state']>>>(STATE)).rows[0]!,
  };
}

const STATE = {
  name: 'catalog-state',
  text: `
    select (select count(*) from catalog_records where not hidden) as documents,
           (select max(indexed_at) from catalog_records) as "lastIndexedAt",
           coalesce((select greatest(0, extract(epoch from clock_timestamp() - at))::float8
                       from catalog_feed order by serial limit 1), 0) as "lagSeconds",
           exists (select from catalog_rebuild) as rebuilding`,
  limitMs: CLIENT_LIMIT_MS,
};
