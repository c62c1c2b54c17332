import { hash } from 'node:crypto';
import type { Queryable, Transaction } from '../../../base/db.ts';
import type { TrailEvent } from './report.ts';
import type { ReportRow } from './rows.ts';

/** The hash before the first row's: 32 zero bytes. */
export const NOTHING = Buffer.alloc(32);

/** Any number that no other lock of ours has. */
const LOCK = 2_107_333_901;

/** What is to be written down. */
export type Entry = Pick<TrailEvent, 'reportId' | 'actor' | 'action' | 'from' | 'to' | 'note' | 'requestId'> & {
  /** The report's own texts as they stand afterwards. */
  readonly texts: Texts;
};

/** What people have written in a report. */
export type Texts = Pick<ReportRow, 'description' | 'user_info' | 'resolver_note'>;

/**
 * Lets one transaction at a time write to the trail, until it ends. Take it first, before anything is read on which the
 * entry rests: then what is decided is decided in the order of the trail, and of two at once the second sees the first.
 */
export async function holdTrail(tx: Transaction): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

/** Appends a row, within {@link holdTrail}, and answers its moment: later than every one before, to the millisecond. */
export async function append(tx: Transaction, entry: Entry): Promise<Date> {
  const { rows } = await tx.query<{ at: Date; serial: number | null; hash: Buffer | null }>(LAST);
  const last = rows[0]!;
  const row: EventRow = {
    serial: (last.serial ?? 0) + 1,
    report_id: entry.reportId,
    at: last.at,
    actor: entry.actor,
    action: entry.action,
    outcome: entry.action === 'refused' ? 'refused' : 'done',
    was: entry.from,
    became: entry.to,
    note: asStored(entry.note),
    content: contentOf(entry.texts),
    request_id: entry.requestId,
    prev_hash: last.hash ?? NOTHING,
  };
  await tx.query(INSERT, [...COLUMNS.map((column) => row[column]), hashOf(row)]);
  return row.at;
}

/** The rows of one report, in their order. */
export async function eventsOf(db: Queryable, reportId: string): Promise<TrailEvent[]> {
  const { rows } = await db.query<HashedRow>(
    `select ${COLUMNS.join(', ')}, hash from report_events where report_id = $1 order by serial`,
    [reportId],
  );
  return rows.map(eventFrom);
}

/** A row without its own hash, by the columns' names. */
export interface EventRow {
  readonly serial: number;
  readonly report_id: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: TrailEvent['action'];
  readonly outcome: TrailEvent['outcome'];
  readonly was: string | null;
  readonly became: string | null;
  readonly note: string | null;
  readonly content: Buffer;
  readonly request_id: string | null;
  readonly prev_hash: Buffer;
}
export type HashedRow = EventRow & { readonly hash: Buffer };

/** In the order in which they are hashed, which stays for ever. */
export const COLUMNS = [
  'serial',
  'report_id',
  'at',
  'actor',
  'action',
  'outcome',
  'was',
  'became',
  'note',
  'content',
  'request_id',
  'prev_hash',
] as const satisfies readonly (keyof EventRow)[];

/**
 * The hash of a row: SHA-256 of its canonical text in UTF-8, which is the JSON array of its columns in their order as
 * `JSON.stringify` writes it (no white space), the moment as ISO 8601 in UTC with milliseconds, the content and the hash
 * before as lower-case hex text.
 */
export function hashOf(row: EventRow): Buffer {
  const members = COLUMNS.map((column) => {
    const value = row[column];
    if (value instanceof Date) return value.toISOString();
    return Buffer.isBuffer(value) ? value.toString('hex') : value;
  });
  return hash('sha256', JSON.stringify(members), 'buffer');
}

/**
 * What a row keeps of its report's texts: SHA-256 of the JSON array of description, user_info and resolver_note (null where
 * there is none) in UTF-8, written as for {@link hashOf}.
 */
export const contentOf = (texts: Texts): Buffer =>
  hash('sha256', JSON.stringify([texts.description, texts.user_info, texts.resolver_note].map(asStored)), 'buffer');

/** Half of a surrogate pair is stored as U+FFFD, and so hashed. */
const asStored = (text: string | null) => (text === null ? null : Buffer.from(text).toString());

const LAST = `
  select last.serial, last.hash,
         greatest(clock_timestamp()::timestamptz(3), last.at + interval '1 millisecond') as at
    from (select) as one
    left join (select serial, hash, at from report_events order by serial desc limit 1) as last on true`;

const INSERT = `
  insert into report_events (${COLUMNS.join(', ')}, hash)
  values (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')}, $${COLUMNS.length + 1})`;

const eventFrom = (row: HashedRow): TrailEvent => ({
  serial: row.serial,
  reportId: row.report_id,
  at: row.at,
  actor: row.actor,
  action: row.action,
  outcome: row.outcome,
  from: row.was,
  to: row.became,
  note: row.note,
  content: row.content.toString('hex'),
  requestId: row.request_id,
  prevHash: row.prev_hash.toString('hex'),
  hash: row.hash.toString('hex'),
});
