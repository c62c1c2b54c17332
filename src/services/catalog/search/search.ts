import type { Db } from '../../../base/db.ts';
import { each } from './each.ts';
import { find } from './find.ts';
import type { Search } from './found.ts';
import { openKinds } from './kinds.ts';
import { readRow } from './row.ts';
import { readState } from './state.ts';

export function openSearch(db: Db): Search {
  const kinds = openKinds();
  return {
    find: (filters, page) => find(db, kinds, filters, page),
    each: (filters, sort) => each(db, filters, sort),
    row: (recordId) => readRow(db, recordId),
    state: () => readState(db),
  };
}
