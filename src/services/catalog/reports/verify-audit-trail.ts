import type { Db, Transaction } from '../../../base/db.ts';
import { COLUMNS, type HashedRow, hashEvent, hashTexts, type ReportTexts, ZERO_HASH } from './audit-trail.ts';

export type AuditTrailResult =
  /** `lastHash` as hex text; 64 zeros for an empty trail. */
  | { readonly outcome: 'intact'; readonly rows: number; readonly lastHash: string }
  /** The first broken link of the hash chain. */
  | { readonly outcome: 'broken'; readonly serial: number; readonly why: 'changed' | 'missing' | 'inserted' }
  /** The chain is valid, but a report does not match its events. */
  | {
      readonly outcome: 'mismatch';
      readonly report: string;
      /** `unknown`: it has no `created` event. */
      readonly why: 'changed' | 'missing' | 'unknown';
    };

/**
 * Verifies the hash chain in constant memory and one snapshot, and compares all reports with their events. A deleted
 * end is detected only while the affected reports are unchanged: store the last hash and the number of events
 * elsewhere.
 */
export function verifyAuditTrail(db: Db): Promise<AuditTrailResult> {
  return db.transaction(
    async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      const chain = await verifyChain(tx);
      return chain.outcome === 'intact' ? ((await findMismatch(tx)) ?? (await findChangedTexts(tx)) ?? chain) : chain;
    },
    { statementTimeoutMs: HOUR_MS },
  );
}

const HOUR_MS = 3_600_000;
const BATCH = 1000;

async function verifyChain(tx: Transaction): Promise<AuditTrailResult> {
  let rows = 0;
  let last: Buffer = ZERO_HASH;
  for (let batch = await nextBatch(tx); batch.length > 0; batch = await nextBatch(tx, rows)) {
    for (const row of batch) {
      const why = checkRow(row, rows + 1, last);
      if (why !== undefined) return { outcome: 'broken', serial: why === 'missing' ? rows + 1 : row.serial, why };
      rows++;
      last = row.hash;
    }
  }
  return { outcome: 'intact', rows, lastHash: last.toString('hex') };
}

/** A valid hash that does not continue the chain: inserted. An invalid hash: changed. */
function checkRow(row: HashedRow, serial: number, last: Buffer) {
  if (row.serial > serial) return 'missing';
  if (!hashEvent(row).equals(row.hash)) return 'changed';
  if (row.serial < serial || !row.prev_hash.equals(last)) return 'inserted';
  return undefined;
}

async function nextBatch(tx: Transaction, after?: number): Promise<HashedRow[]> {
  const { rows } = await tx.query<HashedRow>(
    `select ${COLUMNS.join(', ')}, hash
       from report_events
      where $1::bigint is null or serial > $1
      order by serial
      limit ${BATCH}`,
    [after ?? null],
  );
  return rows;
}

async function findMismatch(tx: Transaction): Promise<AuditTrailResult | undefined> {
  const { rows } = await tx.query<{ id: string; why: 'changed' | 'missing' | 'unknown' }>(MISMATCH);
  return rows[0] && { outcome: 'mismatch', report: rows[0].id, why: rows[0].why };
}

async function findChangedTexts(tx: Transaction): Promise<AuditTrailResult | undefined> {
  let after = '';
  for (;;) {
    const { rows } = await tx.query<ReportTexts & { id: string; content: Buffer }>(LAST_CONTENTS, [after]);
    const found = rows.find((row) => !hashTexts(row).equals(row.content));
    if (found) return { outcome: 'mismatch', report: found.id, why: 'changed' };
    if (rows.length < BATCH) return undefined;
    after = rows.at(-1)!.id;
  }
}

const LAST_CONTENTS = `
  select r.id, r.description, r.user_info as "userInfo", r.resolver_note as "resolverNote", last.content
    from reports r
   cross join lateral (select content
                         from report_events
                        where report_id = r.id
                        order by serial desc
                        limit 1) as last
   where r.id > $1
   order by r.id
   limit ${BATCH}`;

const MISMATCH = `
  select coalesce(r.id, created.report_id) as id,
         case when r.id is null then 'missing' when created.report_id is null then 'unknown' else 'changed' end as why
    from reports r
    full join (select report_id, note from report_events where action = 'created') as created on created.report_id = r.id
    left join lateral (select new_status
                         from report_events
                        where report_id = r.id and outcome = 'done'
                        order by serial desc
                        limit 1) as last on true
   where r.id is null or created.report_id is null
      or last.new_status is distinct from r.status
      or created.note is distinct from r.action_type || ' ' || r.record_id
   limit 1`;
