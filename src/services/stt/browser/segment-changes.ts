import type { RecordedSegment } from '../result.ts';

/** Replaces the segments `removed`, which start at the index `position`, with `inserted`. */
export interface SegmentChange {
  readonly position: number;
  readonly removed: readonly RecordedSegment[];
  readonly inserted: readonly RecordedSegment[];
}

export const isSameSegment = (a: RecordedSegment | undefined, b: RecordedSegment | undefined): boolean =>
  a !== undefined && b !== undefined && a.start === b.start && a.end === b.end && a.text === b.text;

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

/** Applies the changes from `base` to `mine` to `theirs`. `conflicts`: changes of segments that `theirs` has changed as well. */
export function mergeChanges(
  base: readonly RecordedSegment[],
  mine: readonly RecordedSegment[],
  theirs: readonly RecordedSegment[],
): { readonly segments: readonly RecordedSegment[]; readonly conflicts: readonly SegmentChange[] } {
  const segments = [...theirs];
  const conflicts: SegmentChange[] = [];
  for (const change of separateChanges(base, mine)) {
    const at = change.removed.length > 0 ? indexOfRun(segments, change.removed) : indexAt(segments, change.inserted);
    if (at >= 0) segments.splice(at, change.removed.length, ...change.inserted);
    else if (change.inserted.length === 0 || indexOfRun(segments, change.inserted) < 0) conflicts.push(change);
  }
  return { segments, conflicts };
}

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

const indexOfRun = (all: readonly RecordedSegment[], run: readonly RecordedSegment[]): number =>
  all.findIndex((_, at) => run.every((segment, i) => isSameSegment(segment, all[at + i])));

/** Where the segments belong by their time. */
function indexAt(all: readonly RecordedSegment[], added: readonly RecordedSegment[]): number {
  const at = all.findIndex(({ start }) => start > added[0]!.start);
  return at < 0 ? all.length : at;
}
