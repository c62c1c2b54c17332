import type { Db } from '../../../base/db.ts';
import { createFacetCombinations } from './facet-combinations.ts';
import { findRecords } from './find.ts';
import { readIndexState } from './index-state.ts';
import { readRow } from './row.ts';
import type { Search } from './search-types.ts';
import { streamRecords } from './stream.ts';

export function createSearch(db: Db): Search {
  const kinds = createFacetCombinations();
  return {
    find: (filters, page) => findRecords(db, kinds, filters, page),
    stream: (filters, sort) => streamRecords(db, filters, sort),
    row: (recordId) => readRow(db, recordId),
    state: () => readIndexState(db),
  };
}
