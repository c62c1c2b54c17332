import { fill } from '../../../ui/browser/fill.ts';
import type { ReviewTexts } from './review-texts.ts';

/** `data-saved` is the value that the service has. */
export type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const INPUTS = 'input[name]:not([type=hidden]), select[name], textarea[name]';

export const findInputs = (place: Element): Input[] => [...place.querySelectorAll<Input>(INPUTS)];

export const asInput = (target: EventTarget | null): Input | undefined =>
  target instanceof Element && target.matches(INPUTS) ? (target as Input) : undefined;

/** A value of the input as the page shows it: a choice by its label. */
export const shownValue = (input: Input, value = input.value): string =>
  (input instanceof HTMLSelectElement && [...input.options].find((option) => option.value === value)?.text) || value;

/** The value of an incomplete date is empty. */
export const isIncomplete = (input: Input): boolean => input.validity.badInput;

export function isChanged(input: Input): boolean {
  const saved = input.dataset['saved'] ?? '';
  if (isIncomplete(input)) return true;
  if (input.value.trim() === saved.trim()) return false;
  // A control may show the saved value differently, for example without line breaks.
  const unchanged = input.cloneNode(true) as Input;
  unchanged.value = saved;
  return input.value.trim() !== unchanged.value.trim();
}

export function markSaved(input: Input, text: string): void {
  input.dataset['saved'] = text;
  clearMark(input);
}

/** Of a problem or a conflict. */
export function clearMark(input: Input): void {
  input.removeAttribute('aria-invalid');
  delete input.dataset['conflict'];
}

/** Whether the page asks whether the value replaces that of another user. */
export const isInConflict = (input: Input): boolean => 'conflict' in input.dataset;

export function addEmptyRow(input: Input, texts: ReviewTexts): void {
  const row = input.closest<HTMLTableRowElement>('tr.new');
  if (row === null || input.value.trim() === '') return;
  const next = row.cloneNode(true) as HTMLTableRowElement;
  row.classList.remove('new');
  row.querySelector<HTMLElement>('.remove-row')!.hidden = false;
  for (const cell of findInputs(next)) {
    cell.value = '';
    markSaved(cell, '');
  }
  row.after(next);
  renumberRow(next, Number(row.dataset['row']) + 1, texts);
}

/** The rows of tables that the service has. */
export const savedRows = (form: Element): Element[] =>
  [...form.querySelectorAll('tbody tr')].filter((row) => findInputs(row).some((cell) => cell.dataset['saved']));

/** Removes empty rows and renumbers the others, as the service does. */
export function dropEmptyRows(form: Element, texts: ReviewTexts): void {
  for (const body of form.querySelectorAll('tbody')) {
    const isEmpty = (row: Element) => findInputs(row).every((cell) => !cell.dataset['saved'] && !isChanged(cell));
    for (const row of [...body.querySelectorAll('tr:not(.new)')]) if (isEmpty(row)) row.remove();
    for (const [i, row] of [...body.querySelectorAll('tr')].entries()) renumberRow(row, i + 1, texts);
  }
}

function renumberRow(row: HTMLTableRowElement, to: number, texts: ReviewTexts): void {
  if (row.dataset['row'] === String(to)) return;
  row.dataset['row'] = String(to);
  for (const cell of findInputs(row)) {
    cell.name = cell.name.replace(/:\d+\./, `:${to}.`);
    cell.id = cell.name;
    cell.setAttribute('aria-label', (cell.getAttribute('aria-label') ?? '').replace(/(?<!\d)\d+$/, String(to)));
  }
  const remove = row.querySelector<HTMLElement>('.remove-row')!;
  remove.title = fill(texts.removeRow, { row: to });
  remove.setAttribute('aria-label', remove.title);
}
