import { CLIENT_LIMIT_MS, type Queryable, type Transaction } from '../../../base/db.ts';
import { quotaExceeded } from '../api-errors.ts';
import type { Caller } from '../documents.ts';

const limitMs = CLIENT_LIMIT_MS;
/** First half of an advisory lock key, unique in this product. */
const QUOTA_LOCK = 1_884_220_664;
const FOLD_BATCH = 10_000;

/** Throws `QUOTA_EXCEEDED`. Serializes uploads of one principal until the transaction ends. */
export async function checkQuota(tx: Transaction, caller: Caller, moreBytes: number, quotaBytes: number) {
  await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [QUOTA_LOCK, principalOf(caller)]);
  await requireRoom(tx, caller, moreBytes, quotaBytes);
}

/** Throws `QUOTA_EXCEEDED`. Does not see concurrent uploads. */
export async function requireRoom(db: Queryable, caller: Caller, moreBytes: number, quotaBytes: number) {
  const { rows } = await db.query<{ bytes: number }>(HELD, [principalOf(caller)]);
  if (rows[0]!.bytes + moreBytes > quotaBytes) throw quotaExceeded(quotaBytes);
}

const principalOf = ({ key, session }: Caller) => (key === undefined ? session : `key:${key}`);

/** Sums up differences into one row per principal. */
export async function foldBytes(db: Queryable): Promise<{ more: boolean }> {
  const { rows } = await db.query<{ differences: number }>(FOLD, [FOLD_BATCH]);
  return { more: rows[0]!.differences >= FOLD_BATCH };
}

const HELD = {
  name: 'passport-bytes-held',
  limitMs,
  text: 'select coalesce(sum(bytes), 0)::bigint as bytes from passport_bytes where principal = $1',
};

// Rows that a concurrent fold has deleted are not returned, so nothing counts twice. It may leave a second sum of a principal,
// because neither fold sees the row of the other one; the next fold joins them.
const FOLD = `
  with unfolded as (
    select serial, principal
      from passport_bytes
     where not folded
        or principal in (select principal from passport_bytes where folded group by principal having count(*) > 1)
     order by serial
     limit $1
       for update skip locked),
  deleted as (
    delete from passport_bytes
     where principal in (select principal from unfolded)
       and (folded or serial in (select serial from unfolded))
    returning principal, bytes),
  sums as (
    insert into passport_bytes (principal, bytes, folded)
    select principal, sum(bytes), true
      from deleted
     group by principal
    having sum(bytes) <> 0)
  select count(*) as differences from unfolded`;
