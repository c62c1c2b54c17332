import { CLIENT_LIMIT_MS, type Queryable, type Transaction } from '../../../base/db.ts';
import type { Caller } from '../documents.ts';
import { quotaExceeded } from '../refusals.ts';

const limitMs = CLIENT_LIMIT_MS;
/** The first half of the advisory locks that guard quotas; any number that no other lock of ours has. */
const QUOTA_LOCK = 1_884_220_664;
const FOLDED_AT_ONCE = 10_000;

/**
 * Throws `QUOTA_EXCEEDED` when the caller would hold more than `quotaBytes` with `moreBytes` of documents or images. Until
 * the transaction ends, other uploads of the same principal wait, so that each sees the sizes of those before it.
 */
export async function checkQuota(
  tx: Transaction,
  caller: Caller,
  moreBytes: number,
  quotaBytes: number,
): Promise<void> {
  const principal = caller.key === undefined ? caller.session : `key:${caller.key}`;
  await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [QUOTA_LOCK, principal]);
  const { rows } = await tx.query<{ bytes: number }>(HELD, [principal]);
  if (rows[0]!.bytes + moreBytes > quotaBytes) throw quotaExceeded(quotaBytes);
}

/** Folds the differences that have gathered into one row per principal; a bounded number of them. */
export async function foldBytes(db: Queryable): Promise<{ more: boolean }> {
  const { rows } = await db.query<{ differences: number }>(FOLD, [FOLDED_AT_ONCE]);
  return { more: rows[0]!.differences >= FOLDED_AT_ONCE };
}

const HELD = {
  name: 'passport-bytes-held',
  limitMs,
  text: 'select coalesce(sum(bytes), 0)::bigint as bytes from passport_bytes where principal = $1',
};

// A row that another fold has deleted meanwhile is not returned, so nothing is counted twice.
const FOLD = `
  with late as (
    select serial, principal
      from passport_bytes
     where not folded
     order by serial
     limit $1
       for update skip locked),
  gone as (
    delete from passport_bytes
     where principal in (select principal from late)
       and (folded or serial in (select serial from late))
    returning principal, bytes),
  sums as (
    insert into passport_bytes (principal, bytes, folded)
    select principal, sum(bytes), true
      from gone
     group by principal
    having sum(bytes) <> 0)
  select count(*) as differences from late`;
