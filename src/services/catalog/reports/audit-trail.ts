import { hash } from 'node:crypto';
import type { Queryable, Transaction } from '../../../base/db.ts';
import type { AuditEvent, Report } from './report.ts';

/** `prev_hash` of the first event: 32 zero bytes. */
export const ZERO_HASH = Buffer.alloc(32);

/** Advisory lock: any number that no other lock uses. */
const LOCK = 2_107_333_901;

export type NewEvent = Pick<AuditEvent, 'reportId' | 'actor' | 'action' | 'from' | 'to' | 'note' | 'requestId'> & {
  /** The report's texts after the event. */
  readonly texts: ReportTexts;
};

export type ReportTexts = Pick<Report, 'description' | 'userInfo' | 'resolverNote'>;

/**
 * Serializes writers. Acquire before reading the report, so that the second of two concurrent decisions sees the first.
 */
export async function lockAuditTrail(tx: Transaction): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

/** Requires {@link lockAuditTrail}. Returns a time at least 1 ms after the previous event's. */
export async function appendEvent(tx: Transaction, entry: NewEvent): Promise<Date> {
  const { rows } = await tx.query<{ at: Date; serial: number | null; hash: Buffer | null }>(LAST);
  const last = rows[0]!;
  const row: EventRow = {
    serial: (last.serial ?? 0) + 1,
    report_id: entry.reportId,
    at: last.at,
    actor: entry.actor,
    action: entry.action,
    outcome: entry.action === 'refused' ? 'refused' : 'done',
    old_status: entry.from,
    new_status: entry.to,
    note: asStored(entry.note),
    content: hashTexts(entry.texts),
    request_id: entry.requestId,
    prev_hash: last.hash ?? ZERO_HASH,
  };
  await tx.query(INSERT, [...COLUMNS.map((column) => row[column]), hashEvent(row)]);
  return row.at;
}

export async function readEvents(db: Queryable, reportId: string): Promise<AuditEvent[]> {
  const { rows } = await db.query<HashedRow>(
    `select ${COLUMNS.join(', ')}, hash from report_events where report_id = $1 order by serial`,
    [reportId],
  );
  return rows.map(eventFrom);
}

export interface EventRow extends Pick<AuditEvent, 'serial' | 'at' | 'actor' | 'action' | 'outcome' | 'note'> {
  readonly report_id: string;
  readonly old_status: string | null;
  readonly new_status: string | null;
  readonly content: Buffer;
  readonly request_id: string | null;
  readonly prev_hash: Buffer;
}
export type HashedRow = EventRow & { readonly hash: Buffer };

/** In hash order, which must never change. */
export const COLUMNS = [
  'serial',
  'report_id',
  'at',
  'actor',
  'action',
  'outcome',
  'old_status',
  'new_status',
  'note',
  'content',
  'request_id',
  'prev_hash',
] as const satisfies readonly (keyof EventRow)[];

/**
 * SHA-256 of the UTF-8 JSON array of the columns (`JSON.stringify`), with `at` as ISO 8601 in UTC with milliseconds,
 * and `content` and `prev_hash` as lower-case hex.
 */
export function hashEvent(row: EventRow): Buffer {
  const members = COLUMNS.map((column) => {
    const value = row[column];
    if (value instanceof Date) return value.toISOString();
    return Buffer.isBuffer(value) ? value.toString('hex') : value;
  });
  return hash('sha256', JSON.stringify(members), 'buffer');
}

/** SHA-256 of the JSON array of description, user_info and resolver_note, as in {@link hashEvent}. */
export const hashTexts = (texts: ReportTexts): Buffer =>
  hash('sha256', JSON.stringify([texts.description, texts.userInfo, texts.resolverNote].map(asStored)), 'buffer');

/** Unpaired surrogates are stored, and hashed, as U+FFFD. */
const asStored = (text: string | null) => (text === null ? null : Buffer.from(text).toString());

const LAST = `
  select last.serial, last.hash,
         greatest(clock_timestamp()::timestamptz(3), last.at + interval '1 millisecond') as at
    from (select) as one
    left join (select serial, hash, at from report_events order by serial desc limit 1) as last on true`;

const INSERT = `
  insert into report_events (${COLUMNS.join(', ')}, hash)
  values (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')}, $${COLUMNS.length + 1})`;

function eventFrom({ report_id: reportId, request_id: requestId, ...row }: HashedRow): AuditEvent {
  const { old_status: from, new_status: to, note, content, prev_hash: prevHash, hash: ownHash, ...event } = row;
  const hashes = {
    content: content.toString('hex'),
    prevHash: prevHash.toString('hex'),
    hash: ownHash.toString('hex'),
  };
  return { ...event, reportId, from, to, note, requestId, ...hashes };
}
