import type { RecordedSegment } from '../result.ts';

/** Replaces the segments `removed`, which start at the index `position`, with `inserted`. */
export interface SegmentChange {
  readonly position: number;
  readonly removed: readonly RecordedSegment[];
  readonly inserted: readonly RecordedSegment[];
}

/** Apart from confirmations. */
const isSameText = (a: RecordedSegment | undefined, b: RecordedSegment | undefined): boolean =>
  a !== undefined && b !== undefined && a.start === b.start && a.end === b.end && a.text === b.text;

const isSameSegment = (a: RecordedSegment | undefined, b: RecordedSegment | undefined): boolean =>
  isSameText(a, b) && String(a?.confirmed ?? '') === String(b?.confirmed ?? '');

/** The shortest single change between two lists; undefined if they are equal. */
export function changeBetween(
  before: readonly RecordedSegment[],
  after: readonly RecordedSegment[],
): SegmentChange | undefined {
  let position = 0;
  while (isSameSegment(before[position], after[position])) position++;
  let [beforeEnd, afterEnd] = [before.length, after.length];
  while (Math.min(beforeEnd, afterEnd) > position && isSameSegment(before[beforeEnd - 1], after[afterEnd - 1])) {
    beforeEnd--;
    afterEnd--;
  }
  if (position === beforeEnd && position === afterEnd) return undefined;
  return { position, removed: before.slice(position, beforeEnd), inserted: after.slice(position, afterEnd) };
}

/**
 * Applies the changes from `base` to `mine` to `theirs`, except those that `theirs` already has. `conflicts`: changes of
 * segments whose text or times `theirs` has changed as well. Confirmations never conflict: `skipped` are those of a text that
 * `theirs` has changed.
 */
export function mergeChanges(
  base: readonly RecordedSegment[],
  mine: readonly RecordedSegment[],
  theirs: readonly RecordedSegment[],
): {
  readonly segments: readonly RecordedSegment[];
  readonly conflicts: readonly SegmentChange[];
  readonly skipped: readonly SegmentChange[];
} {
  const segments = [...theirs];
  const conflicts: SegmentChange[] = [];
  const skipped: SegmentChange[] = [];
  for (const change of separateChanges(base, mine)) {
    const { removed, inserted } = change;
    const present = [removed, inserted].find((run) => indexOfRun(segments, run) >= 0);
    if (present) {
      const at = indexOfRun(segments, present);
      const replaced = segments.slice(at, at + present.length);
      segments.splice(at, present.length, ...mergeConfirmed(change, replaced));
    } else if (removed.length === 0) segments.splice(indexAt(segments, inserted), 0, ...inserted);
    else if (isConfirmation(change)) skipped.push(change);
    else if (inserted.length > 0 || isReplaced(removed, base, theirs)) conflicts.push(change);
  }
  return { segments, conflicts, skipped };
}

/**
 * The inserted segments, without the confirmations that `theirs` has removed and with those that it has added. Those of a word in
 * another half of a split segment are removed by `rowsOf`.
 */
function mergeConfirmed(
  { removed, inserted }: SegmentChange,
  theirs: readonly RecordedSegment[],
): readonly RecordedSegment[] {
  const [before, after] = [confirmedOf(removed), confirmedOf(theirs)];
  const added = after.filter((word) => !before.includes(word));
  return inserted.map(({ start, end, text, confirmed = [] }) => {
    const kept = confirmed.filter((word) => !before.includes(word) || after.includes(word));
    const merged = [...new Set([...kept, ...added])].sort((a, b) => a - b);
    return { start, end, text, ...(merged.length > 0 && { confirmed: merged }) };
  });
}

const confirmedOf = (segments: readonly RecordedSegment[]) => segments.flatMap(({ confirmed = [] }) => confirmed);

const isConfirmation = ({ removed, inserted }: SegmentChange) =>
  removed.length > 0 &&
  removed.length === inserted.length &&
  removed.every((segment, i) => isSameText(segment, inserted[i]));

/** Whether `theirs` has a new segment in the time of the removed ones. */
function isReplaced(
  removed: readonly RecordedSegment[],
  base: readonly RecordedSegment[],
  theirs: readonly RecordedSegment[],
): boolean {
  return overlapping(theirs, removed).some((each) => !base.some((known) => isSameText(known, each)));
}

/** The segments of `all` at the time of the others. */
export function overlapping(
  all: readonly RecordedSegment[],
  others: readonly RecordedSegment[],
): readonly RecordedSegment[] {
  const { from, to } = timeOf(others);
  return all.filter(({ start, end }) => start === from || (start < to && end > from));
}

/**
 * Replaces what others made of the removed segments: also their text within a longer segment, with which they were merged. Segments that
 * are mostly at another time stay.
 */
export function overwrite(
  segments: readonly RecordedSegment[],
  { removed, inserted }: SegmentChange,
): readonly RecordedSegment[] {
  const { from, to } = timeOf(removed);
  const [text, replacement] = [textOf(removed), textOf(inserted)];
  const merged = segments.find(
    ({ start, end, ...each }) =>
      start <= from && end >= to && end - start > to - from && to > from && text !== '' && each.text.includes(text),
  );
  if (merged) {
    const rest = merged.text.replace(text, () => replacement).trim();
    return segments
      .map((each) => (each === merged ? { ...each, text: rest } : each))
      .filter((each) => each.text !== '');
  }
  const others = segments.filter(({ start, end }) => {
    const isWithin = start >= from && (start + end) / 2 < to;
    // Segments may have no duration.
    return !isWithin && (start !== from || end !== to);
  });
  return [...others, ...inserted].sort((a, b) => a.start - b.start);
}

const textOf = (segments: readonly RecordedSegment[]) => segments.map((each) => each.text).join(' ');

const timeOf = (segments: readonly RecordedSegment[]) => ({ from: segments[0]!.start, to: segments.at(-1)!.end });

/** One change per segment if none was split, merged or removed. */
function separateChanges(before: readonly RecordedSegment[], after: readonly RecordedSegment[]): SegmentChange[] {
  const change = changeBetween(before, after);
  if (change === undefined) return [];
  const { position, removed, inserted } = change;
  if (removed.length !== inserted.length) return [change];
  return removed.flatMap((segment, i) =>
    isSameSegment(segment, inserted[i])
      ? []
      : [{ position: position + i, removed: [segment], inserted: [inserted[i]!] }],
  );
}

/** -1 for an empty run. */
const indexOfRun = (all: readonly RecordedSegment[], run: readonly RecordedSegment[]): number =>
  all.findIndex((_, at) => run.length > 0 && run.every((segment, i) => isSameText(segment, all[at + i])));

/** Where the segments belong by their time. */
function indexAt(all: readonly RecordedSegment[], added: readonly RecordedSegment[]): number {
  const at = all.findIndex(({ start }) => start > added[0]!.start);
  return at < 0 ? all.length : at;
}
