import { byId, el } from './dom.ts';
import type { Errand } from './errand.ts';

/** The files of this visit, newest first; each leads back to its result. Nothing of it outlives the tab. */
export function showVisit<It extends Errand>(
  all: readonly It[],
  current: It | undefined,
  how: {
    /** A line for what became of it. */
    readonly said: (it: It) => string;
    /** What stands before its name. */
    readonly picture: (it: It) => HTMLElement;
    readonly onChoose: (it: It) => void;
  },
): void {
  byId('visit').hidden = all.length < 2;
  const list = byId('visits');
  // An upload reports its progress many times a second; nothing of that shows here.
  const state = all.map((it) => `${it.stage}${it === current}`).join();
  if (list.dataset['state'] === state) return;
  list.dataset['state'] = state;
  const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
  list.replaceChildren(
    ...[...all].reverse().map((it) => {
      const button = el(
        'button',
        { type: 'button', 'data-stage': it.stage, ...(it === current && { 'aria-current': 'true' }) },
        how.picture(it),
        el('span', { class: 'name' }, it.file.name),
        el('span', { class: 'said' }, how.said(it)),
      );
      button.addEventListener('click', () => how.onChoose(it));
      return el('li', {}, button);
    }),
  );
  // The list is made anew; who was in it by keyboard stays there.
  if (focused >= 0) list.children[focused]?.querySelector('button')?.focus();
}
