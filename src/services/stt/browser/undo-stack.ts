import type { RecordedSegment } from '../result.ts';
import { mergeChanges } from './segment-changes.ts';

/** The segments that an action of the user replaced, and those that it inserted. */
export interface UserChange {
  readonly removed: readonly RecordedSegment[];
  readonly inserted: readonly RecordedSegment[];
}

export type UndoStack = ReturnType<typeof createUndoStack>;

/** The changes of the user, to be undone from the last one. */
export function createUndoStack() {
  const changes: UserChange[] = [];
  return {
    /** Segments without text are not part of a transcript. */
    record(removed: readonly RecordedSegment[], inserted: readonly RecordedSegment[]): void {
      const [before, after] = [removed, inserted].map((segments) => segments.filter(({ text }) => text !== ''));
      if (before!.length + after!.length > 0) changes.push({ removed: before!, inserted: after! });
    },
    isEmpty: () => changes.length === 0,
    /**
     * Takes back the last change, and keeps the changes of others since. `segments`: undefined if one of them concerns the same text.
     * Undefined without a change.
     */
    undo(
      current: readonly RecordedSegment[],
    ): { readonly at: number; readonly segments: readonly RecordedSegment[] | undefined } | undefined {
      const change = changes.pop();
      if (!change) return undefined;
      const { segments, conflicts, skipped } = mergeChanges(change.inserted, change.removed, current);
      const at = (change.removed[0] ?? change.inserted[0])!.start;
      return { at, segments: conflicts.length + skipped.length > 0 ? undefined : segments };
    },
  };
}
