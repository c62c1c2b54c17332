import type { Db, Transaction } from '../../../base/db.ts';
import { COLUMNS, contentOf, type EventRow, type HashedRow, hashOf, NOTHING, type Texts } from './trail.ts';

/** What became of a walk along the trail. */
export type TrailVerdict =
  /** `lastHash` as hex text; of a trail without rows 64 zeros. */
  | { readonly outcome: 'whole'; readonly rows: number; readonly lastHash: string }
  /** The first place where the chain does not hold, and what is wrong with the row that should stand or stands there. */
  | { readonly outcome: 'broken'; readonly serial: number; readonly why: 'changed' | 'missing' | 'put in between' }
  /** The chain holds, and a report does not agree with what the trail says of it. */
  | {
      readonly outcome: 'disagrees';
      readonly report: string;
      /** `unknown`: no row tells that it came. */
      readonly why: 'changed' | 'missing' | 'unknown';
    };

/**
 * Walks the whole trail, in constant memory and as it stands at one moment, and compares every report with it: what it is
 * about, its status, and its texts (description, user_info, resolver_note) with what the last event says of them.
 *
 * What a chain cannot tell: a trail that somebody cut at its end, or wrote anew from some row on, is a good chain. The
 * first is found all the same while the reports that its last rows were about stand as these had made them; for certainty
 * keep the last hash somewhere else, with the number of rows, and compare.
 */
export function verifyTrail(db: Db): Promise<TrailVerdict> {
  return db.transaction(
    async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      const chain = await walk(tx);
      return chain.outcome === 'whole' ? ((await disagreement(tx)) ?? (await rewritten(tx)) ?? chain) : chain;
    },
    { statementTimeoutMs: HOUR_MS },
  );
}

const HOUR_MS = 3_600_000;
const BATCH = 1000;

async function walk(tx: Transaction): Promise<TrailVerdict> {
  let rows = 0;
  let last: Buffer = NOTHING;
  for (let batch = await following(tx); batch.length > 0; batch = await following(tx, rows)) {
    for (const row of batch) {
      const why = fault(row, rows + 1, last);
      if (why !== undefined) return { outcome: 'broken', serial: why === 'missing' ? rows + 1 : row.serial, why };
      rows++;
      last = row.hash;
    }
  }
  return { outcome: 'whole', rows, lastHash: last.toString('hex') };
}

/** A row that holds together in itself and not with the one before is a stranger; one that does not was changed. */
function fault(row: HashedRow, serial: number, last: Buffer) {
  if (row.serial > serial) return 'missing';
  if (!hashOf(row).equals(row.hash)) return 'changed';
  if (row.serial < serial || !row.prev_hash.equals(last)) return 'put in between';
  return undefined;
}

async function following(tx: Transaction, after?: number): Promise<HashedRow[]> {
  const { rows } = await tx.query<EventRow & { hash: Buffer }>(
    `select ${COLUMNS.join(', ')}, hash
       from report_events
      where $1::bigint is null or serial > $1
      order by serial
      limit ${BATCH}`,
    [after ?? null],
  );
  return rows;
}

/** A report is what the trail's last word on it says, about the record that it was first about; and none is gone. */
async function disagreement(tx: Transaction): Promise<TrailVerdict | undefined> {
  const { rows } = await tx.query<{ id: string; why: 'changed' | 'missing' | 'unknown' }>(DISAGREEMENT);
  return rows[0] && { outcome: 'disagrees', report: rows[0].id, why: rows[0].why };
}

/** A report whose texts are not those that its last row has the digest of. */
async function rewritten(tx: Transaction): Promise<TrailVerdict | undefined> {
  let after = '';
  for (;;) {
    const { rows } = await tx.query<Texts & { id: string; content: Buffer }>(LAST_CONTENTS, [after]);
    const found = rows.find((row) => !contentOf(row).equals(row.content));
    if (found) return { outcome: 'disagrees', report: found.id, why: 'changed' };
    if (rows.length < BATCH) return undefined;
    after = rows.at(-1)!.id;
  }
}

const LAST_CONTENTS = `
  select r.id, r.description, r.user_info, r.resolver_note, last.content
    from reports r
   cross join lateral (select content
                         from report_events
                        where report_id = r.id
                        order by serial desc
                        limit 1) as last
   where r.id > $1
   order by r.id
   limit ${BATCH}`;

const DISAGREEMENT = `
  select coalesce(r.id, born.report_id) as id,
         case when r.id is null then 'missing' when born.report_id is null then 'unknown' else 'changed' end as why
    from reports r
    full join (select report_id, note from report_events where action = 'created') as born on born.report_id = r.id
    left join lateral (select became
                         from report_events
                        where report_id = r.id and outcome = 'done'
                        order by serial desc
                        limit 1) as last on true
   where r.id is null or born.report_id is null
      or last.became is distinct from r.status
      or born.note is distinct from r.action_type || ' ' || r.record_id
   limit 1`;
