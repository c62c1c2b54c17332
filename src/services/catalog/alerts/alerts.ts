import type { Db, Queryable, Transaction } from '../../../base/db.ts';
import { tooManyAlerts, tooManyAlertsInAll } from '../api-errors.ts';
import { lockRecords } from '../records/write.ts';
import { lockAuditTrail } from '../reports/audit-trail.ts';
import { readHits } from '../search/hits.ts';
import type { Alert, Match, NewAlert } from './alert.ts';

/** Per owner; each is evaluated for every batch of new records. */
export const MAX_ALERTS = 20;
/** Of all owners: writers evaluate them for each record that they change. Those of revoked tokens make room for others. */
export const MAX_ALERTS_TOTAL = 200;

/**
 * Sets or replaces the alert of a view. The locks wait for the writers of records and reports: their changes are older than
 * the alert.
 */
export async function setAlert(
  tx: Transaction,
  view: { readonly id: string; readonly owner: string },
  { filters, webhookUrl, secret }: NewAlert,
  readOwners: (tx: Transaction) => Promise<readonly string[]>,
): Promise<Alert> {
  // First, like the matcher, which can wait for writers.
  await tx.query('select from catalog_alerts where view_id = $1 for no key update', [view.id]);
  await lockAuditTrail(tx);
  await lockRecords(tx);
  const values = [view.id, JSON.stringify(filters), webhookUrl ?? null, secret ?? null, view.owner];
  const set = async () => (await tx.query<Alert>(SET, [...values, MAX_ALERTS, MAX_ALERTS_TOTAL])).rows[0];
  const isFull = async () =>
    (await tx.query('select from catalog_alerts limit $1', [MAX_ALERTS_TOTAL])).rowCount === MAX_ALERTS_TOTAL;
  let alert = await set();
  if (alert === undefined && (await isFull())) {
    await tx.query(DELETE_REVOKED, [await readOwners(tx)]);
    alert = await set();
  }
  if (alert !== undefined) return alert;
  throw (await isFull()) ? tooManyAlertsInAll(MAX_ALERTS_TOTAL) : tooManyAlerts(MAX_ALERTS);
}

export async function removeAlert(tx: Queryable, viewId: string): Promise<void> {
  await tx.query('delete from catalog_alerts where view_id = $1', [viewId]);
}

export interface MatchPage {
  readonly matches: readonly Match[];
  /** Of the last match that was read. */
  readonly position: number;
  readonly more: boolean;
}

/** The announced matches of a view after a position, without records that the view's search would not show now. */
export async function readMatches(db: Queryable, viewId: string, after: number, limit: number): Promise<MatchPage> {
  const { rows } = await db.query<MatchRow>(MATCHES, [viewId, after, limit]);
  return { matches: await withHits(db, rows), position: rows.at(-1)?.position ?? after, more: rows.length === limit };
}

/** Newest first, with fields of documents; only those that the view's search would show now. */
export const readLatestMatches = async (db: Queryable, viewId: string, limit: number): Promise<readonly Match[]> =>
  withHits(db, (await db.query<MatchRow>(LATEST_MATCHES, [viewId, 0, limit])).rows, true);

async function withHits(db: Queryable, rows: readonly MatchRow[], withFields = false): Promise<readonly Match[]> {
  const numbers = rows.map(({ number }) => number);
  const hits = new Map((await readHits(db, numbers, undefined, withFields)).map((hit) => [hit.recordId, hit]));
  return rows.flatMap(({ position, matchedAt, recordId, hidden }) => {
    const hit = hits.get(recordId);
    return hit?.hidden === hidden ? [{ position, matchedAt, hit }] : [];
  });
}

/** The position of the latest match. */
export async function lastPosition(db: Db, viewId: string): Promise<number> {
  const { rows } = await db.query<{ last: number }>(`select ${LAST_POSITION} as last`, [viewId]);
  return rows[0]!.last;
}

interface MatchRow {
  readonly position: number;
  readonly matchedAt: Date;
  readonly number: number;
  readonly recordId: string;
  /** Of the alert. */
  readonly hidden: boolean;
}

const LAST_POSITION =
  'coalesce((select position from catalog_matches where view_id = $1 and announced order by position desc limit 1), 0)';

/** SQL over `catalog_alerts a`. */
export const HIDDEN = `coalesce((a.filters ->> 'hidden')::boolean, false)`;

const SAME_URL = 'a.webhook_url = excluded.webhook_url';

// With the same URL the secret remains, and matches that are not sent yet.
const SET = `
  insert into catalog_alerts as a (view_id, filters, webhook_url, secret, since_number, since_change, sent)
  select $1, $2::json, $3, $4, (select coalesce(max(number), 0) from catalog_records),
         nextval(pg_get_serial_sequence('catalog_changes', 'serial')), 0
   where exists (select from catalog_alerts where view_id = $1)
      or (select count(*) from catalog_alerts o join catalog_views v on v.id = o.view_id where v.owner = $5) < $6
     and (select count(*) from catalog_alerts) < $7
      on conflict (view_id) do update
     set webhook_url = excluded.webhook_url,
         secret      = coalesce(excluded.secret, case when ${SAME_URL} then a.secret end),
         sent        = case when ${SAME_URL} then a.sent else ${LAST_POSITION} end
  returning webhook_url as "webhookUrl", since, ${HIDDEN} as hidden`;

const DELETE_REVOKED = `
  delete from catalog_alerts a using catalog_views v where v.id = a.view_id and v.owner <> all($1::text[])`;

const matchesSql = (direction: 'asc' | 'desc', condition = 'true') => `
    select m.position, m.matched_at as "matchedAt", number, r.record_id as "recordId", ${HIDDEN} as hidden
      from catalog_matches m
      join catalog_alerts a using (view_id)
      join catalog_records r using (number)
     where m.view_id = $1 and m.announced and m.position > $2 and ${condition}
     order by m.position ${direction}
     limit $3`;

const MATCHES = { name: 'catalog-matches', text: matchesSql('asc') };
const LATEST_MATCHES = { name: 'catalog-latest-matches', text: matchesSql('desc', `r.hidden = ${HIDDEN}`) };
