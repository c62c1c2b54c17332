import { highlightBox } from '../../../ui/browser/boxes.ts';
import { byId } from '../../../ui/browser/dom.ts';
import { showLocalTimes } from '../../../ui/browser/local-times.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { replaceContent } from '../../../ui/browser/refresh.ts';
import { findInputs, type Input, isChanged } from './review-inputs.ts';
import type { ReviewPage } from './review-texts.ts';

/**
 * Applies a freshly loaded page without touching unsaved input. Returns the new version; undefined if rows were added,
 * removed or replaced, which needs a reload.
 */
export function applyRefresh(fresh: Document): number | undefined {
  const [form, freshForm] = [byId('fields'), fresh.getElementById('fields')];
  if (freshForm === null || savedNames(form) !== savedNames(freshForm)) return undefined;
  const known = new Map(findInputs(form).map((input) => [input.name, input]));
  const pairs = findInputs(freshForm).map((input) => [known.get(input.name)!, input] as const);
  // A row that was saved a moment ago has no number yet.
  if (pairs.some(([input, freshInput]) => (storedRow(input) ?? storedRow(freshInput)) !== storedRow(freshInput)))
    return undefined;
  showLocalTimes(fresh);
  for (const [input, freshInput] of pairs) applyValue(input, freshInput);
  for (const place of document.querySelectorAll<HTMLElement>('[data-fresh]')) {
    const replacement = fresh.querySelector(`[data-fresh="${CSS.escape(place.dataset['fresh']!)}"]`);
    replaceContent(place, replacement);
  }
  highlightBox(document.activeElement?.getAttribute('name') ?? '');
  return pageData<ReviewPage>(fresh).data.version;
}

/** The names of all inputs except those in unsaved rows. */
function savedNames(form: Element): string {
  const isUnsaved = (row: Element | null) => row !== null && findInputs(row).every((cell) => !cell.dataset['saved']);
  return findInputs(form)
    .filter((input) => !isUnsaved(input.closest('tbody tr')))
    .map(({ name }) => name)
    .sort()
    .join();
}

/** The number of the row that never changes, unlike those in names. */
const storedRow = (input: Input) => input.closest('tr')?.dataset['storedRow'];

function applyValue(input: Input, fresh: Input): void {
  // Assigned only if it differs, because assigning moves the caret.
  if (!isChanged(input) && input.value !== fresh.value) input.value = fresh.value;
  input.dataset['saved'] = fresh.dataset['saved'] ?? '';
  const row = storedRow(fresh);
  if (row !== undefined) input.closest('tr')!.dataset['storedRow'] = row;
  const { review } = fresh.dataset;
  if (review === undefined) delete input.dataset['review'];
  else input.dataset['review'] = review;
  if (fresh.title !== input.title) input.title = fresh.title;
}
