import { el, fill } from '../../../ui/browser/dom.ts';
import type { Formatters } from './formatters.ts';
import type { SegmentChange } from './segment-changes.ts';

/** The user's changes of segments that another editor has changed as well. Each stays until the user decides. */
export function createConflictList({ texts: { edit }, clock }: Formatters, onUse: (mine: SegmentChange) => void) {
  const element = el('div', { class: 'conflicts', role: 'alert' });

  function item(change: SegmentChange): HTMLElement {
    const [from, to] = [clock(change.removed[0]!.start), clock(change.removed.at(-1)!.end)];
    const text = change.inserted.map((segment) => segment.text).join(' ') || edit.nothing;
    const use = el('button', { type: 'button', class: 'small' }, edit.useMine);
    const discard = el('button', { type: 'button', class: 'small' }, edit.discardMine);
    const notice = el(
      'div',
      { class: 'notice bad', tabindex: '-1' },
      el('p', {}, fill(edit.conflict, { from, to })),
      el('p', { class: 'mine' }, text),
      use,
      ' ',
      discard,
    );
    use.addEventListener('click', () => {
      notice.remove();
      onUse(change);
    });
    discard.addEventListener('click', () => notice.remove());
    return notice;
  }

  return {
    element,
    add(changes: readonly SegmentChange[]): void {
      element.append(...changes.map(item));
      // Not a button: the Enter that opens the next segment would press it before the user reads the notice.
      element.querySelector<HTMLElement>('.notice')?.focus();
    },
    isEmpty: () => element.childElementCount === 0,
  };
}
