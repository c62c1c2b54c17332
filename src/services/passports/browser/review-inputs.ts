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
  const next = cloneEmpty(row);
  row.classList.remove('new');
  showButtons(row);
  row.after(next);
  renumberRow(next, String(Number(row.dataset['row']) + 1), texts);
}

/** Adds an empty row above a saved one, or returns the empty one that is there. It has no number of its own until it is saved. */
export function insertRow(below: HTMLTableRowElement, texts: ReviewTexts): HTMLTableRowElement {
  const existing = below.previousElementSibling;
  if (existing?.classList.contains('inserted') && !findInputs(existing).some(isChanged))
    return existing as HTMLTableRowElement;
  const row = cloneEmpty(below.parentElement!.querySelector<HTMLTableRowElement>('tr.new')!);
  row.classList.replace('new', 'inserted');
  showButtons(row);
  row.querySelector<HTMLElement>('.insert-row')!.hidden = true;
  below.before(row);
  renumberRows(below.parentElement!, texts);
  return row;
}

/** Adds a removed row again, like an inserted one, in place of the offer to undo its deletion. */
export function restoreRow(row: HTMLTableRowElement, offer: Element, texts: ReviewTexts): void {
  row.classList.add('inserted');
  delete row.dataset['storedRow'];
  row.querySelector<HTMLElement>('.insert-row')!.hidden = true;
  offer.replaceWith(row);
  renumberRows(row.parentElement!, texts);
}

function cloneEmpty(row: HTMLTableRowElement): HTMLTableRowElement {
  const copy = row.cloneNode(true) as HTMLTableRowElement;
  for (const cell of findInputs(copy)) {
    cell.value = '';
    markSaved(cell, '');
  }
  return copy;
}

function showButtons(row: Element): void {
  for (const button of row.querySelectorAll('button')) button.hidden = false;
}

/** The rows of tables that the service has. */
export const savedRows = (form: Element): Element[] =>
  [...form.querySelectorAll('tbody tr')].filter((row) => findInputs(row).some((cell) => cell.dataset['saved']));

/** Removes empty rows, and renumbers the others, as the service does. Keeps an inserted row that the user is about to fill in. */
export function dropEmptyRows(form: Element, texts: ReviewTexts): void {
  for (const body of form.querySelectorAll('tbody')) {
    for (const row of [...body.querySelectorAll('tr:not(.new, .undo)')]) {
      const cells = findInputs(row);
      if (cells.some((cell) => cell.dataset['saved'])) {
        if (row.classList.contains('inserted')) showButtons(row);
        row.classList.remove('inserted');
      } else if (!cells.some(isChanged) && !row.matches('.inserted:focus-within')) row.remove();
    }
    renumberRows(body, texts);
  }
}

/** Inserted rows do not count until they are saved: their numbers have a fraction. */
function renumberRows(body: Element, texts: ReviewTexts): void {
  let [last, inserted] = [0, 0];
  for (const row of body.querySelectorAll<HTMLTableRowElement>('tr:not(.undo)')) {
    [last, inserted] = row.classList.contains('inserted') ? [last, inserted + 1] : [last + 1, 0];
    renumberRow(row, inserted > 0 ? `${last}.${fractionOf(inserted)}` : String(last), texts);
  }
}

/** Of the nth row between two others: 1 … 9, 91 … 99, 991 …, which rise and end in no zero. */
const fractionOf = (nth: number): string => '9'.repeat(Math.floor((nth - 1) / 9)) + (((nth - 1) % 9) + 1);

function renumberRow(row: HTMLTableRowElement, to: string, texts: ReviewTexts): void {
  if (row.dataset['row'] === to) return;
  row.dataset['row'] = to;
  const shown = to.includes('.') ? fill(texts.insertedRow, { row: Math.ceil(Number(to)) }) : to;
  for (const cell of findInputs(row)) {
    cell.name = cell.name.replace(/:[\d.]+\./, `:${to}.`);
    cell.id = cell.name;
    const label = cell.getAttribute('aria-label') ?? '';
    cell.setAttribute('aria-label', label.replace(/(?<!\d)\d+(?: \([^()]*\))?$/, shown));
  }
  for (const [selector, text] of [
    ['.remove-row', texts.removeRow],
    ['.insert-row', texts.insertRow],
  ] as const) {
    const button = row.querySelector<HTMLElement>(selector)!;
    button.title = fill(text, { row: shown });
    button.setAttribute('aria-label', button.title);
  }
}
