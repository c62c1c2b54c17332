import { expect, it } from 'vitest';
import type { RecordedSegment } from '../result.ts';
import { countConfirmed, historyEntries } from './history-entries.ts';

const segment = (text: string, confirmed: number[] = []): RecordedSegment => ({
  ...{ start: 0, end: 1, text },
  ...(confirmed.length > 0 && { confirmed }),
});
const edit = (removed: RecordedSegment, inserted: RecordedSegment, changed_by = 'anna') => ({
  ...{ position: 0, removed: [removed], inserted: [inserted], changed_at: '1', changed_by },
});

it('historyEntries groups successive confirmations of one editor, newest first', () => {
  const [first, second, third] = [[], [1], [1, 2]].map((confirmed) => segment('a', confirmed)) as [
    RecordedSegment,
    RecordedSegment,
    RecordedSegment,
  ];
  const own = [edit(first, second), edit(second, third)] as const;
  const other = edit(third, segment('a', [1, 2, 3]), 'boris');
  const text = edit(segment('b'), segment('c'));
  expect(historyEntries([...own, other, text, edit(first, second)])).toEqual([
    { kind: 'confirmed', edits: [edit(first, second)] },
    { kind: 'textChanged', edits: [text] },
    { kind: 'confirmed', edits: [other] },
    { kind: 'confirmed', edits: [own[1], own[0]] },
  ]);
  expect(countConfirmed(own)).toBe(2);
});

it.each([
  ['unconfirmed', segment('a', [1])],
  ['unconfirmed', segment('a', [2, 3])],
  ['timesChanged', { ...segment('a', [1, 2]), end: 2 }],
  ['textChanged', segment('b', [1, 2, 3])],
])('historyEntries finds the kind %s', (kind, inserted) => {
  expect(historyEntries([edit(segment('a', [1, 2]), inserted)])).toMatchObject([{ kind }]);
});
