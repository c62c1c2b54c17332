import type { Db, Transaction } from '../../../base/db.ts';
import { applyDecisions, isAboutBeingSeen } from './apply.ts';
import type { Change, Changed, Reports } from './report.ts';
import { COLUMNS, type ReportRow, reportFrom } from './rows.ts';
import { append, holdTrail } from './trail.ts';
import { isDecided, judge } from './transitions.ts';

/** Moves reports and sets their notes; see {@link Reports.change}. What is refused is committed as well: as a row of the trail. */
export const changeIn =
  ({ db, apply }: { db: Db; apply: boolean }): Reports['change'] =>
  (id, change) =>
    db.transaction(async (tx) => {
      await holdTrail(tx);
      const { rows } = await tx.query<ReportRow>(`select ${COLUMNS} from reports where id = $1`, [id]);
      const now = rows[0];
      return now && carryOut(tx, now, change, apply);
    });

async function carryOut(tx: Transaction, now: ReportRow, change: Change, apply: boolean): Promise<Changed> {
  const { status: from, resolver_note: note, version, moved_by: movedBy } = now;
  const outcome = judge({ status: from, note, version, movedBy }, change);
  const done = outcome === 'changed' || outcome === 'unchanged';
  const noted = outcome === 'changed' ? noteAfter(now, change) : note;
  const at = await append(tx, {
    reportId: now.id,
    actor: change.actor,
    action: done ? 'changed' : 'refused',
    from,
    to: change.status ?? from,
    note: change.note ?? null,
    texts: { ...now, resolver_note: noted },
    requestId: change.requestId ?? null,
  });
  if (outcome !== 'changed') return { outcome, report: reportFrom(now) };
  const next = await write(tx, now, { ...change, note: noted }, { at, apply });
  const wasOrIs = [from, next.status].includes('accepted');
  if (from !== next.status && wasOrIs && isAboutBeingSeen(next.action_type)) await applyDecisions(tx, next.record_id);
  return { outcome, report: reportFrom(next) };
}

/** The note of one move is not the reason of the next: a move that says nothing leaves none. The trail has them all. */
const noteAfter = ({ status: from, resolver_note: note }: ReportRow, { status = from, note: said }: Change) =>
  said === undefined ? (status === from ? note : null) : said;

async function write(
  tx: Transaction,
  now: ReportRow,
  { status = now.status, note, actor }: Change & { readonly note: string | null },
  { at, apply }: { at: Date; apply: boolean },
): Promise<ReportRow> {
  const moved = status !== now.status;
  const resolvedAt = moved ? (isDecided(status) ? at : null) : now.resolved_at;
  const { rows } = await tx.query<ReportRow>(
    `update reports
        set status = $3, resolver_note = $4, moved_by = $5, updated_at = $6, resolved_at = $7,
            acts = case when $8 then $9 else acts end, version = version + 1
      where id = $1 and version = $2
      returning ${COLUMNS}`,
    [now.id, now.version, status, note, moved ? actor : now.moved_by, at, resolvedAt, moved, apply],
  );
  if (rows[0] === undefined) throw new Error(`The report ${now.id} was changed past the trail, while it was decided.`);
  return rows[0];
}
