import type { ChangeResult, ReportChange, Status } from './report.ts';

/** In the order of the buttons. */
export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  open: ['accepted', 'rejected', 'duplicate', 'in_review'],
  in_review: ['accepted', 'rejected', 'duplicate', 'open'],
  accepted: ['open'],
  rejected: ['open'],
  duplicate: ['open'],
};

/** Whether the status is a decision. Reopening such a report requires a note. */
export const isDecided = (status: Status) => status !== 'open' && status !== 'in_review';

export interface ReportState {
  readonly status: Status;
  readonly note: string | null;
  readonly version: number;
  /** The moderator of the last transition; null before the first one. */
  readonly movedBy: string | null;
}

/**
 * A repeated own change is `unchanged` even with an old version, since the first response can have been lost (RFC 9110,
 * section 13.1.1). Repeating another moderator's decision is forbidden: the actor has not seen it.
 */
export function evaluateChange(now: ReportState, change: ReportChange): ChangeResult['outcome'] {
  const { status = now.status, note, ifVersion, actor } = change;
  const isSameStatus = status === now.status;
  const isOwnDecision = change.status === undefined || now.movedBy === actor;
  if (isSameStatus && isOwnDecision && (note === undefined || note === now.note)) return 'unchanged';
  if (ifVersion !== undefined && ifVersion !== now.version) return 'stale';
  if (isSameStatus) return isOwnDecision ? 'changed' : 'forbidden';
  if (!TRANSITIONS[now.status].includes(status)) return 'forbidden';
  return isDecided(now.status) && isBlank(note) ? 'needs-note' : 'changed';
}

const isBlank = (note: string | null | undefined) => (note ?? '').trim() === '';
