import type { Change, Changed, Status } from './report.ts';

/** Where a report may go from where it stands. */
export const MOVES: Readonly<Record<Status, readonly Status[]>> = {
  open: ['in_review', 'accepted', 'rejected', 'duplicate'],
  in_review: ['open', 'accepted', 'rejected', 'duplicate'],
  accepted: ['open'],
  rejected: ['open'],
  duplicate: ['open'],
};

/** Whether a decision was made. To open such a report again takes a note that says why. */
export const isDecided = (status: Status) => status !== 'open' && status !== 'in_review';

/** What a verdict is given on: the report as it stands. */
export interface Standing {
  readonly status: Status;
  readonly note: string | null;
  readonly version: number;
  /** Who put it there; null where it stands as it was reported. */
  readonly movedBy: string | null;
}

/**
 * What comes of `change`. One that has been made already, by whoever asks for it now, is `unchanged` even where the version
 * it names is old: its answer was lost, and it was sent again (RFC 9110, section 13.1.1, leaves a server this choice). To
 * decide the same as another moderator did is forbidden: whoever does that has not seen the decision.
 */
export function judge(now: Standing, change: Change): Changed['outcome'] {
  const { status = now.status, note, ifVersion, actor } = change;
  const stays = status === now.status;
  const mine = change.status === undefined || now.movedBy === actor;
  if (stays && mine && (note === undefined || note === now.note)) return 'unchanged';
  if (ifVersion !== undefined && ifVersion !== now.version) return 'stale';
  if (stays) return mine ? 'changed' : 'forbidden';
  if (!MOVES[now.status].includes(status)) return 'forbidden';
  return isDecided(now.status) && isBlank(note) ? 'needs-note' : 'changed';
}

const isBlank = (note: string | null | undefined) => (note ?? '').trim() === '';
