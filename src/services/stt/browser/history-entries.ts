import type { RecordedSegment } from '../result.ts';
import type { SegmentChange } from './segment-changes.ts';

export interface Edit extends SegmentChange {
  /** Unix seconds. */
  readonly changed_at: string;
  readonly changed_by: string;
}

/** Confirmations of words, other corrections of confirmations, of times, or of the text. */
export type EditKind = 'confirmed' | 'unconfirmed' | 'timesChanged' | 'textChanged';

export interface HistoryEntry {
  readonly kind: EditKind;
  /** At least one, newest first. */
  readonly edits: readonly Edit[];
}

/** Newest first; successive confirmations of one editor are one entry. `edits`: oldest first. */
export function historyEntries(edits: readonly Edit[]): readonly HistoryEntry[] {
  const entries: { kind: EditKind; edits: Edit[] }[] = [];
  for (const edit of edits.toReversed()) {
    const kind = kindOf(edit);
    const last = entries.at(-1);
    if (kind === 'confirmed' && last?.kind === kind && last.edits[0]!.changed_by === edit.changed_by)
      last.edits.push(edit);
    else entries.push({ kind, edits: [edit] });
  }
  return entries;
}

/** Confirmations that the edits added. */
export const countConfirmed = (edits: readonly SegmentChange[]): number =>
  edits.reduce((sum, { removed, inserted }) => sum + confirmedIn(inserted) - confirmedIn(removed), 0);

function kindOf(edit: Edit): EditKind {
  const { removed, inserted } = edit;
  const isEqual = (key: (segment: RecordedSegment) => string) =>
    removed.length === inserted.length && removed.every((segment, i) => key(segment) === key(inserted[i]!));
  if (!isEqual(({ text }) => text)) return 'textChanged';
  if (countConfirmed([edit]) > 0) return 'confirmed';
  return isEqual(({ start, end }) => `${start} ${end}`) ? 'unconfirmed' : 'timesChanged';
}

const confirmedIn = (segments: readonly RecordedSegment[]) =>
  segments.reduce((sum, { confirmed = [] }) => sum + confirmed.length, 0);
