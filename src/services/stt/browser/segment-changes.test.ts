import { describe, expect, it } from 'vitest';
import type { RecordedSegment } from '../result.ts';
import { changeBetween, mergeChanges, overwrite } from './segment-changes.ts';

const list = (text: string): RecordedSegment[] =>
  [...text].map((letter, i) => ({ start: i, end: i + 1, text: letter }));
const [a, b, c, d] = list('abcd') as [RecordedSegment, RecordedSegment, RecordedSegment, RecordedSegment];
const BASE = [a, b, c, d];
const other = (segment: RecordedSegment, text = 'x') => ({ ...segment, text });

describe('changeBetween', () => {
  it.each([
    ['an edit', [a, other(b), c, d], { position: 1, removed: [b], inserted: [other(b)] }],
    ['a removal', [a, b, d], { position: 2, removed: [c], inserted: [] }],
    ['a new segment at the end', [a, b, c, d, other(d)], { position: 4, removed: [], inserted: [other(d)] }],
    ['no change', BASE, undefined],
  ])('finds %s', (_, after, change) => {
    expect(changeBetween(BASE, after)).toEqual(change);
  });

  it('finds the removal of one of two equal segments', () => {
    expect(changeBetween([a, a], [a])).toEqual({ position: 1, removed: [a], inserted: [] });
  });
});

describe('mergeChanges', () => {
  it('applies edits, splits and merges of other segments', () => {
    const mine = [other(a), b, c, other(d)];
    expect(mergeChanges(BASE, mine, [a, other(b, 'y'), c, d])).toEqual({
      segments: [other(a), other(b, 'y'), c, other(d)],
      conflicts: [],
      skipped: [],
    });
    const merged = { ...c, end: d.end, text: 'cd' };
    expect(mergeChanges(BASE, [a, b, merged], [other(a), b, c, d]).segments).toEqual([other(a), b, merged]);
  });

  it('reports changes of the same segment, and keeps the stored text', () => {
    const theirs = [a, other(b, 'y'), c, d];
    expect(mergeChanges(BASE, [a, other(b), c, other(d)], theirs)).toEqual({
      segments: [a, other(b, 'y'), c, other(d)],
      conflicts: [{ position: 1, removed: [b], inserted: [other(b)] }],
      skipped: [],
    });
  });

  it('adds segments at their time', () => {
    expect(mergeChanges([a, c], [a, b, c], [other(a), c, d]).segments).toEqual([other(a), b, c, d]);
  });

  it('has no conflict if both made the same change', () => {
    const both = [a, other(b), c, d];
    expect(mergeChanges(BASE, both, both)).toEqual({ segments: both, conflicts: [], skipped: [] });
  });

  it('does not repeat an insertion', () => {
    expect(mergeChanges([a, c], [a, b, c], [a, b, c])).toEqual({ segments: [a, b, c], conflicts: [], skipped: [] });
    // A removal that is reverted twice.
    const { segments } = mergeChanges([], [b], [a, c]);
    expect(mergeChanges([], [b], segments)).toEqual({ segments: [a, b, c], conflicts: [], skipped: [] });
  });

  it('has no conflict for a removed segment unless another one has its time', () => {
    expect(mergeChanges(BASE, [a, c, d], [a, c, d])).toEqual({ segments: [a, c, d], conflicts: [], skipped: [] });
    const long = { ...a, end: 1.1 };
    expect(mergeChanges([long, b, c], [long, c], [long, c]).conflicts).toEqual([]);
    const removal = { position: 1, removed: [b], inserted: [] };
    for (const theirs of [other(b), { ...a, end: b.end }])
      expect(mergeChanges(BASE, [a, c, d], [theirs, c, d])).toEqual({
        segments: [theirs, c, d],
        conflicts: [removal],
        skipped: [],
      });
  });
});

describe('mergeChanges with confirmed words', () => {
  const confirm = (segment: RecordedSegment, ...confirmed: number[]) => ({ ...segment, confirmed });
  const merge = (base: RecordedSegment[], mine: RecordedSegment[], theirs: RecordedSegment[]) => {
    const { segments, conflicts } = mergeChanges(base, mine, theirs);
    expect(conflicts).toEqual([]);
    return segments;
  };

  it('has the confirmations of both', () => {
    expect(merge([a, b], [a, confirm(b, 2)], [a, confirm(b, 1)])).toEqual([a, confirm(b, 1, 2)]);
    expect(merge([confirm(a, 1)], [confirm(a, 1, 2)], [a])).toEqual([confirm(a, 2)]);
    expect(merge([confirm(a, 1, 2)], [confirm(a, 2)], [confirm(a, 1, 2, 3)])).toEqual([confirm(a, 2, 3)]);
  });

  it('applies a change of the text, or reverts one, after a confirmation', () => {
    expect(merge([a], [other(a)], [confirm(a, 1)])).toEqual([confirm(other(a), 1)]);
    expect(merge([other(a)], [a], [confirm(other(a), 1)])).toEqual([confirm(a, 1)]);
    expect(merge([a, b], [b], [confirm(a, 1), confirm(b, 2)])).toEqual([confirm(b, 2)]);
  });

  it('keeps the other text without a conflict after a confirmation', () => {
    expect(merge([a, b], [confirm(a, 1), b], [other(a), b])).toEqual([other(a), b]);
    const { skipped } = mergeChanges([confirm(a, 1)], [a], [confirm(other(a), 1)]);
    expect(skipped).toEqual([{ position: 0, removed: [confirm(a, 1)], inserted: [a] }]);
  });

  it('adds a confirmation to a change of the text that both made', () => {
    expect(merge([a], [confirm(other(a), 2)], [confirm(other(a), 1)])).toEqual([confirm(other(a), 1, 2)]);
  });
});

describe('overwrite', () => {
  const mine = { position: 1, removed: [b], inserted: [other(b)] };

  it('replaces the segments in the time of the change', () => {
    const halves = [
      { ...b, end: 1.5 },
      { ...b, start: 1.5 },
    ];
    expect(overwrite([a, other(b, 'y'), c], mine)).toEqual([a, other(b), c]);
    expect(overwrite([a, ...halves, c], mine)).toEqual([a, other(b), c]);
  });

  it('keeps neighbours that touch or slightly overlap it', () => {
    const [before, after] = [
      { ...a, end: 1.2 },
      { ...c, start: 1.9 },
    ];
    expect(overwrite([before, b, after], mine)).toEqual([before, other(b), after]);
  });

  it('replaces the text within a longer segment with which it was merged', () => {
    const [first, second] = [other(a, 'One.'), other(b, 'Two.')];
    const merged = { ...first, end: second.end, text: 'One. Two.' };
    const change = { position: 1, removed: [second], inserted: [other(second, 'Two $& more.')] };
    expect(overwrite([merged, c], change)).toEqual([{ ...merged, text: 'One. Two $& more.' }, c]);
    expect(overwrite([merged, c], { ...change, inserted: [] })).toEqual([{ ...merged, text: 'One.' }, c]);
  });

  it('replaces a segment without duration', () => {
    const point = { ...b, end: b.start };
    const change = { position: 1, removed: [point], inserted: [other(point)] };
    expect(overwrite([a, other(point, 'y'), b], change)).toEqual([a, b, other(point)]);
  });
});
