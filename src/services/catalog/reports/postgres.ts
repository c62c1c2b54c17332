import type { Db, Queryable } from '../../../base/db.ts';
import { createTransactionQueue } from '../transaction-queue.ts';
import { readEvents } from './audit-trail.ts';
import { reportChanger } from './change.ts';
import { receiptDigest, reportCreator } from './create.ts';
import {
  type AnnounceReport,
  type AuditEvent,
  type Report,
  type ReportFilters,
  STATUSES,
  type Status,
} from './report.ts';
import { COLUMNS, type ReportRow, reportFrom } from './rows.ts';

const MAX_OF_RECORD = 200;
/** The lock of the audit trail lets one write; another one then begins without delay. */
const QUEUE = { max: 2, waitMs: 5_000 };

export type Reports = ReturnType<typeof createReports>;

/**
 * Each change is one transaction, including the audit trail and the index. `apply`: whether new decisions hide and show
 * records. Reopening undoes an applied decision regardless.
 */
export function createReports(deps: { db: Db; apply: boolean; announce?: AnnounceReport | undefined }) {
  const { db, apply, announce } = deps;
  const transaction = createTransactionQueue(db, QUEUE);
  async function select(where: string, parameters: readonly unknown[]): Promise<Report[]> {
    const { rows } = await db.query<ReportRow>(
      `select ${COLUMNS} from reports where ${where} order by created_at desc, id desc limit ${MAX_OF_RECORD}`,
      parameters,
    );
    return rows.map(reportFrom);
  }

  return {
    /**
     * Returns the reporter's open report with the same record and action if it is less than 24 h old. Only the digest
     * of `receipt` is stored.
     */
    create: reportCreator(transaction, announce),
    /** Undefined: unknown report. Applies decisions in the same transaction. */
    change: reportChanger({ transaction, apply, announce }),
    find: async (id: string) => (await select('id = $1', [id]))[0],
    byReceipt: async (id: string, receipt: string) =>
      (await select('id = $1 and receipt = $2', [id, receiptDigest(receipt)]))[0],
    list: (filters: ReportFilters, page: Page) => listReports(db, filters, page),
    /** The latest {@link MAX_OF_RECORD}, newest first. */
    listOfRecord: (recordId: string) => select('record_id = $1', [recordId]),
    counts: () => countReports(db),
    async events(id: string): Promise<AuditEvent[] | undefined> {
      const events = await readEvents(db, id);
      return events.length === 0 ? undefined : events;
    },
  };
}

interface Page {
  readonly page: number;
  readonly limit: number;
  readonly sort: 'newest' | 'oldest';
}

async function listReports(
  db: Queryable,
  filters: ReportFilters,
  { page, limit, sort }: Page,
): Promise<{ items: Report[]; total: number }> {
  const order = sort === 'newest' ? 'desc' : 'asc';
  const { rows } = await db.query<ReportRow & { total: number }>(
    `with found as materialized (select id, created_at from reports where ${WHERE}),
          page as (select id from found order by created_at ${order}, id ${order} limit $7 offset $8)
     select (select count(*) from found) as total, r.*
       from (select) as one left join (select ${COLUMNS} from reports join page using (id)) as r on true
      order by "createdAt" ${order}, id ${order}`,
    [...parameters(filters), limit, (page - 1) * limit],
  );
  // An empty page has one row too, with the total.
  return {
    items: rows.filter(({ id }) => id !== null).map(({ total: _, ...row }) => reportFrom(row)),
    total: rows[0]?.total ?? 0,
  };
}

async function countReports(db: Queryable): Promise<Record<Status, number>> {
  const { rows } = await db.query<{ status: Status; count: number }>(
    'select status, count(*) from reports group by status',
  );
  const counts = new Map(rows.map(({ status, count }) => [status, count]));
  return Object.fromEntries(STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<Status, number>;
}

const WHERE = `($1::text is null or status = $1)
  and ($2::text is null or action_type = $2)
  and ($3::text is null or record_id = $3)
  and ($4::timestamptz is null or created_at >= $4)
  and ($5::timestamptz is null or created_at < $5)
  and concat_ws(' ', id, record_id, description, resolver_note, user_info, reporter) collate "default"
      ilike all ($6::text[])`;

const parameters = ({ status, actionType, recordId, from, to, q }: ReportFilters) => [
  ...[status, actionType, recordId, from, to].map((each) => each ?? null),
  // Every word must occur; wildcards are escaped.
  (q ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`),
];
