import { el, fill } from '../../../ui/browser/dom.ts';
import type { RecordedSegment } from '../result.ts';
import type { Formatters } from './formatters.ts';
import { overlapping, type SegmentChange } from './segment-changes.ts';

/** The user's changes of segments that another editor has changed as well. Each stays until the user decides. */
export function createConflictList(
  { texts: { edit }, clock }: Formatters,
  {
    onUse,
    onDone,
  }: {
    /** The user prefers their change. */
    onUse(mine: SegmentChange): void;
    /** The last change was discarded. */
    onDone(): void;
  },
) {
  const element = el('div', { class: 'conflicts', role: 'alert' });

  const shown = new Map<HTMLElement, (stored: readonly RecordedSegment[]) => void>();

  function remove(notice: HTMLElement): void {
    shown.delete(notice);
    notice.remove();
  }

  const textOf = (segments: readonly RecordedSegment[]) => segments.map(({ text }) => text).join(' ') || edit.nothing;

  function item(change: SegmentChange, stored: readonly RecordedSegment[]): HTMLElement {
    const [from, to] = [clock(change.removed[0]!.start), clock(change.removed.at(-1)!.end)];
    const storedText = el('p', { class: 'stored-text' });
    const use = el('button', { type: 'button', class: 'small' }, edit.useMine);
    const discard = el('button', { type: 'button', class: 'small' }, edit.discardMine);
    const notice = el(
      'div',
      { class: 'notice bad', tabindex: '-1' },
      el('p', {}, fill(edit.conflict, { from, to })),
      storedText,
      el('p', {}, edit.mine),
      el('p', { class: 'unsaved-text' }, textOf(change.inserted)),
      use,
      ' ',
      discard,
    );
    const showStored = (segments: readonly RecordedSegment[]) => {
      storedText.textContent = textOf(overlapping(segments, change.removed));
    };
    showStored(stored);
    shown.set(notice, showStored);
    use.addEventListener('click', () => {
      remove(notice);
      onUse(change);
    });
    discard.addEventListener('click', () => {
      const next = (notice.nextElementSibling ?? notice.previousElementSibling) as HTMLElement | null;
      remove(notice);
      if (next) next.focus();
      else onDone();
    });
    return notice;
  }

  return {
    element,
    /** `stored`: the segments with the other editor's changes. */
    add(changes: readonly SegmentChange[], stored: readonly RecordedSegment[]): void {
      element.append(...changes.map((change) => item(change, stored)));
      // Not a button: the Enter that opens the next segment would press it before the user reads the notice.
      element.querySelector<HTMLElement>('.notice')?.focus();
    },
    /** The stored text may have changed again. */
    refresh(stored: readonly RecordedSegment[]): void {
      for (const showStored of shown.values()) showStored(stored);
    },
    isEmpty: () => element.childElementCount === 0,
  };
}
