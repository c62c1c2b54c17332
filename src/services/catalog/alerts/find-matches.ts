import type { Transaction } from '../../../base/db.ts';
import { isCollision, isLockTimeout, isStatementTimeout, isUnavailable } from '../../../base/db-errors.ts';
import { PLANNER_OPTIONS, resolveFilters } from '../search/resolve-filters.ts';
import type { Filters } from '../search/search-types.ts';
import { createParameters, queryStage, where } from '../search/where.ts';
import { type StoredFilters, storedToFilters } from './alert.ts';

/** Stores the matches of one alert among the records `numbers`, with the predicate of the search. Returns their number. */
export async function storeMatches(
  tx: Transaction,
  { viewId, filters }: { viewId: string; filters: Filters },
  numbers: readonly number[],
  announced: boolean,
): Promise<number> {
  const resolved = await resolveFilters(tx, filters, undefined);
  const { bind, values } = createParameters();
  const { words, rest } = queryStage(resolved.expansion);
  // `offset 0`: only these records are read, whatever the condition.
  const { rowCount } = await tx.query(
    `insert into catalog_matches (view_id, number, announced)
     select ${bind(viewId)}::text, r.number, ${bind(announced)}::boolean
       from (select * from catalog_records where number = any(${bind(numbers)}::bigint[]) offset 0) r
      where ${where(resolved, { bind })} and ${words?.({ bind }, 'test') ?? 'true'} and ${rest({ bind })}
      order by r.number
         on conflict do nothing`,
    values,
  );
  return rowCount;
}

/**
 * Notes the alerts that records match before a change, so that records that matched before an alert was set are not
 * announced. Runs before each change of a record or of its reports, under `lockRecords`.
 */
export async function noteEarlierMatches(tx: Transaction, recordIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<EarlierRow>(EARLIER, [recordIds]);
  if (rows.length === 0) return;
  await prepareMatching(tx);
  for (const { viewId, filters, numbers } of rows) {
    // Not logged: the matcher logs the alert when it evaluates the change.
    await isolateAlert(tx, () => storeMatches(tx, { viewId, filters: storedToFilters(filters) }, numbers, false));
  }
}

/** Runs the statements of one alert. Returns an error of that alert, whose statements are undone. */
export async function isolateAlert(tx: Transaction, run: () => Promise<unknown>): Promise<unknown> {
  let failure: unknown;
  await tx.query('savepoint alert');
  try {
    await run();
  } catch (error) {
    if ((isUnavailable(error) && !isStatementTimeout(error)) || isCollision(error) || isLockTimeout(error)) throw error;
    await tx.query('rollback to savepoint alert');
    failure = error;
  }
  await tx.query('release savepoint alert');
  return failure;
}

/** The planner's options for `storeMatches`, until the end of the transaction. */
export const prepareMatching = (tx: Transaction) => tx.query(PLANNER_OPTIONS);

interface EarlierRow {
  readonly viewId: string;
  readonly filters: StoredFilters;
  readonly numbers: number[];
}

const EARLIER = {
  name: 'catalog-earlier-records',
  text: `
    select a.view_id as "viewId", a.filters, array_agg(r.number) as numbers
      from catalog_alerts a
      join catalog_records r on r.number <= a.since_number
     where r.record_id = any($1::text[])
       and not exists (select from catalog_matches m where m.view_id = a.view_id and m.number = r.number)
       -- An earlier change that is not evaluated yet can be the first match.
       and not exists (select from catalog_changes c where c.number = r.number and c.serial > a.since_change)
     group by a.view_id
     order by a.view_id`,
};
