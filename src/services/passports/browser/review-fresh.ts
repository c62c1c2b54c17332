import { light } from '../../../ui/browser/boxes.ts';
import { byId } from '../../../ui/browser/dom.ts';
import { exchange } from '../../../ui/browser/fresh.ts';
import { type Input, inputsOf, isChanged } from './review-inputs.ts';
import type { ReviewPage } from './review-texts.ts';

/**
 * Shows what has become of the values: as they are kept, their marks, their warnings, their history. What somebody is
 * typing stays, and every field stays where it is. Answers the version that is shown then; undefined where rows have
 * come or gone, so that only a new page can show it.
 */
export function takeOver(fresh: Document): number | undefined {
  const [form, anew] = [byId('fields'), fresh.getElementById('fields')];
  const data = fresh.getElementById('page-data')?.textContent;
  if (anew === null || !data) return undefined;
  if (kept(form) !== kept(anew)) return undefined;
  const known = new Map(inputsOf(form).map((input) => [input.name, input]));
  for (const input of inputsOf(anew)) takeValue(known.get(input.name)!, input);
  for (const place of document.querySelectorAll<HTMLElement>('[data-fresh]')) {
    const replacement = fresh.querySelector(`[data-fresh="${CSS.escape(place.dataset['fresh']!)}"]`);
    exchange(place, replacement);
  }
  light(document.activeElement?.getAttribute('name') ?? '');
  return (JSON.parse(data) as { own: ReviewPage }).own.version;
}

/** The names of what the service has a place for: rows that nobody has saved yet are the business of who is typing them. */
function kept(form: Element): string {
  const isUnsaved = (row: Element | null) => row !== null && inputsOf(row).every((cell) => !cell.dataset['saved']);
  return inputsOf(form)
    .filter((input) => !isUnsaved(input.closest('tbody tr')))
    .map(({ name }) => name)
    .sort()
    .join();
}

function takeValue(input: Input, fresh: Input): void {
  const text = fresh.dataset['saved'] ?? '';
  // Set only where it differs: it would move the caret of somebody who is there.
  if (!isChanged(input) && input.value !== text) input.value = text;
  input.dataset['saved'] = text;
  if ('doubt' in fresh.dataset) input.dataset['doubt'] = '';
  else delete input.dataset['doubt'];
}
