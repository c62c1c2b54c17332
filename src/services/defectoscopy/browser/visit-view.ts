import { el } from '../../../ui/browser/dom.ts';
import * as visit from '../../../ui/browser/visit-list.ts';
import type { Inspection } from './inspection.ts';
import type { Words } from './words.ts';

/** The photos of this visit with what was seen on them. */
export function showVisit(
  all: readonly Inspection[],
  current: Inspection | undefined,
  words: Words,
  onChoose: (it: Inspection) => void,
): void {
  const said = ({ stage, state }: Inspection) => {
    if (stage === 'done') return words.verdict(state!.result!);
    return stage === 'waiting' ? words.texts.waiting : words.ui.steps[stage];
  };
  visit.showVisit(all, current, { said, picture, onChoose });
}

function picture({ preview }: Inspection): HTMLElement {
  const shown = el('img', { src: preview, alt: '', loading: 'lazy' });
  shown.addEventListener('error', () => shown.replaceWith(el('span', { class: 'missing' })));
  return shown;
}
