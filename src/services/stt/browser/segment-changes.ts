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
