import type { Transaction } from '../../../base/db.ts';
import { lockRecords } from '../records/write.ts';
import type { RunInQueue } from '../transaction-queue.ts';
import { appendEvent, lockAuditTrail } from './audit-trail.ts';
import { noteMatchesBeforeReport } from './earlier-matches.ts';
import type { Action, AnnounceReport, ChangeResult, ReportChange } from './report.ts';
import { COLUMNS, type ReportRow, reportFrom } from './rows.ts';
import { evaluateChange, isDecided } from './transitions.ts';

interface ChangeDeps {
  readonly apply: boolean;
  readonly announce?: AnnounceReport | undefined;
}

/** A rejected change is committed too, as an event of the audit trail. */
export const reportChanger =
  ({ transaction, ...deps }: ChangeDeps & { transaction: RunInQueue }) =>
  (id: string, change: ReportChange): Promise<ChangeResult | undefined> =>
    transaction(async (tx) => {
      await lockAuditTrail(tx);
      const { rows } = await tx.query<ReportRow>(`select ${COLUMNS} from reports where id = $1`, [id]);
      const now = rows[0];
      return now && execute(tx, now, change, deps);
    });

async function execute(
  tx: Transaction,
  now: ReportRow,
  change: ReportChange,
  { apply, announce }: ChangeDeps,
): Promise<ChangeResult> {
  const { status: from, resolverNote: note, version, movedBy } = now;
  const outcome = evaluateChange({ status: from, note, version, movedBy }, change);
  const isAllowed = outcome === 'changed' || outcome === 'unchanged';
  const newNote = outcome === 'changed' ? noteAfter(now, change) : note;
  const at = await appendEvent(tx, {
    reportId: now.id,
    actor: change.actor,
    action: isAllowed ? 'changed' : 'refused',
    from,
    to: change.status ?? from,
    note: change.note ?? null,
    texts: { ...now, resolverNote: newNote },
    requestId: change.requestId ?? null,
  });
  if (outcome !== 'changed') return { outcome, report: reportFrom(now) };
  const { status = from } = change;
  const changesVisibility = from !== status && [from, status].includes('accepted') && affectsVisibility(now.actionType);
  if (changesVisibility) await lockRecords(tx);
  await noteMatchesBeforeReport(tx, now.recordId);
  const next = await update(tx, now, { ...change, note: newNote }, { at, apply });
  if (changesVisibility) await applyDecisions(tx, next.recordId);
  const report = reportFrom(next);
  if (from !== next.status && isDecided(next.status)) await announce?.(tx, 'report.resolved', report, change.requestId);
  return { outcome, report };
}

/** A transition without a note clears the previous note; the audit trail keeps all notes. */
const noteAfter = ({ status: from, resolverNote: note }: ReportRow, { status = from, note: newNote }: ReportChange) =>
  newNote === undefined ? (status === from ? note : null) : newNote;

async function update(
  tx: Transaction,
  now: ReportRow,
  { status = now.status, note, actor }: ReportChange & { readonly note: string | null },
  { at, apply }: { at: Date; apply: boolean },
): Promise<ReportRow> {
  const isTransition = status !== now.status;
  const resolvedAt = isTransition ? (isDecided(status) ? at : null) : now.resolvedAt;
  const { rows } = await tx.query<ReportRow>(
    `update reports
        set status = $3, resolver_note = $4, moved_by = $5, updated_at = $6, resolved_at = $7,
            applies = case when $8 then $9 else applies end, version = version + 1
      where id = $1 and version = $2
      returning ${COLUMNS}`,
    [now.id, now.version, status, note, isTransition ? actor : now.movedBy, at, resolvedAt, isTransition, apply],
  );
  if (rows[0] === undefined)
    throw new Error(`The report ${now.id} was changed concurrently without the audit trail lock.`);
  return rows[0];
}

const VISIBILITY_ACTIONS: readonly Action[] = ['delete', 'hide', 'restore'];

const affectsVisibility = (action: Action) => VISIBILITY_ACTIONS.includes(action);

/** Requires `lockRecords`. A missing record is hidden when indexed. */
async function applyDecisions(tx: Transaction, recordId: string): Promise<void> {
  await tx.query('update catalog_records set hidden = catalog_hidden(record_id) where record_id = $1', [recordId]);
}
