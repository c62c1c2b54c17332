import { byId, el } from '../../../ui/browser/dom.ts';
import type { Inspection } from './inspection.ts';
import type { Words } from './words.ts';

/** The photos of this visit, newest first; each leads back to its result. Nothing of it outlives the tab. */
export function showVisit(
  all: readonly Inspection[],
  current: Inspection | undefined,
  words: Words,
  onChoose: (it: Inspection) => void,
): void {
  const { ui } = words;
  byId('visit').hidden = all.length < 2;
  const list = byId('visits');
  // An upload reports its progress many times a second; nothing of that shows here.
  const state = all.map((it) => `${it.stage}${it === current}`).join();
  if (list.dataset['state'] === state) return;
  list.dataset['state'] = state;
  const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
  list.replaceChildren(
    ...[...all].reverse().map((it) => {
      const picture = el('img', { src: it.preview, alt: '', loading: 'lazy' });
      picture.addEventListener('error', () => picture.replaceWith(el('span', { class: 'missing' })));
      const said =
        it.stage === 'done'
          ? words.verdict(it.state!.result!)
          : it.stage === 'waiting'
            ? words.texts.waiting
            : ui.steps[it.stage];
      const button = el(
        'button',
        { type: 'button', 'data-stage': it.stage, ...(it === current && { 'aria-current': 'true' }) },
        picture,
        el('span', { class: 'name' }, it.file.name),
        el('span', { class: 'said' }, said),
      );
      button.addEventListener('click', () => onChoose(it));
      return el('li', {}, button);
    }),
  );
  // The list is made anew; who was in it by keyboard stays there.
  if (focused >= 0) list.children[focused]?.querySelector('button')?.focus();
}
