import { hash, randomBytes } from 'node:crypto';
import type { Transaction } from '../../../base/db.ts';
import { newId } from '../../../base/ids.ts';
import type { RunInQueue } from '../transaction-queue.ts';
import { appendEvent, lockAuditTrail } from './audit-trail.ts';
import { noteMatchesBeforeReport } from './earlier-matches.ts';
import type { AnnounceReport, CreateResult, NewReport, Report } from './report.ts';
import { COLUMNS, type ReportRow, reportFrom } from './rows.ts';

const RECEIPT_BYTES = 24;

export const reportCreator =
  (transaction: RunInQueue, announce?: AnnounceReport) =>
  (report: NewReport, within?: (tx: Transaction, created: CreateResult) => Promise<void>): Promise<CreateResult> =>
    transaction(async (tx) => {
      await lockAuditTrail(tx);
      const existing = await findDuplicate(tx, report);
      const created = existing ?? (await createReport(tx, report));
      if (!existing) await announce?.(tx, 'report.created', created.report, report.requestId);
      await within?.(tx, created);
      return created;
    });

async function createReport(tx: Transaction, report: NewReport): Promise<CreateResult> {
  await noteMatchesBeforeReport(tx, report.recordId);
  const [id, receipt] = [newId('rep_'), randomBytes(RECEIPT_BYTES).toString('base64url')];
  const at = await appendEvent(tx, {
    reportId: id,
    actor: report.reporter,
    action: 'created',
    ...{ from: null, to: 'open' },
    // Checked by the verification.
    note: `${report.actionType} ${report.recordId}`,
    texts: { description: report.description ?? null, userInfo: report.userInfo ?? null, resolverNote: null },
    requestId: report.requestId ?? null,
  });
  return { report: await insert(tx, report, { id, receipt, at }), receipt };
}

export const receiptDigest = (receipt: string): Buffer => hash('sha256', receipt, 'buffer');

/** Less than 24 hours old. */
async function findDuplicate(tx: Transaction, report: NewReport): Promise<CreateResult | undefined> {
  const { recordId, actionType, reporter, receipt } = report;
  const { rows } = await tx.query<ReportRow & { receiptShown: boolean }>(
    `select ${COLUMNS}, coalesce(receipt = $4, false) as "receiptShown"
       from reports
      where record_id = $1 and action_type = $2 and reporter = $3 and status = 'open'
        and created_at > clock_timestamp() - interval '24 hours'
      order by created_at desc
      limit 1`,
    [recordId, actionType, reporter, receipt === undefined ? null : receiptDigest(receipt)],
  );
  if (rows[0] === undefined) return undefined;
  const { receiptShown, ...row } = rows[0];
  return { report: reportFrom(row), ...(receiptShown && { receiptShown }) };
}

async function insert(
  tx: Transaction,
  { recordId, actionType, description, userInfo, reporter }: NewReport,
  { id, receipt, at }: { id: string; receipt: string; at: Date },
): Promise<Report> {
  const { rows } = await tx.query<ReportRow>(
    `insert into reports (id, record_id, action_type, description, user_info, reporter, receipt, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
     returning ${COLUMNS}`,
    [id, recordId, actionType, description ?? null, userInfo ?? null, reporter, receiptDigest(receipt), at],
  );
  return reportFrom(rows[0]!);
}
