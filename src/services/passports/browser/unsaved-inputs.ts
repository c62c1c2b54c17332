import {
  addEmptyRow,
  findInputs,
  type Input,
  insertRow,
  isChanged,
  isInConflict,
  isIncomplete,
  shownValue,
} from './review-inputs.ts';
import type { ReviewTexts } from './review-texts.ts';

interface KeptInput {
  readonly name: string;
  /** Absent if only the focus is kept. */
  readonly text?: string;
  /** The text as the page shows it. */
  readonly shown: string;
  /** The value that `text` replaces. */
  readonly saved: string;
  readonly isFocused: boolean;
  /** The page asks whether `text` replaces the value of another user. */
  readonly isConflict: boolean;
  readonly row?: KeptRow;
}

/** Another user can change the number of a row, so its saved values identify it, and its position among equal rows. */
interface KeptRow {
  readonly values: readonly string[];
  readonly position: number;
  readonly count: number;
  /** The number that never changes of the row below, if this one is inserted. */
  readonly below?: string | undefined;
}

const storageKey = (id: string) => `passports-unsaved-${id}`;

/** Whether the form has values that are typed, wait to be saved, are being saved, or were rejected. */
export const hasUnsavedInputs = (form: Element): boolean => findInputs(form).some(isChanged);

/** Keeps the unsaved values and the focus for the page that this tab loads next. */
export function keepInputs(form: Element, id: string): void {
  const active = document.activeElement;
  const kept = findInputs(form)
    .filter((input) => isChanged(input) || input === active)
    .map(
      (input): KeptInput => ({
        name: input.name,
        ...(isChanged(input) && !isIncomplete(input) && { text: input.value }),
        shown: shownValue(input),
        saved: input.dataset['saved'] ?? '',
        isFocused: input === active,
        isConflict: isInConflict(input),
        ...rowOf(input),
      }),
    );
  sessionStorage.setItem(storageKey(id), JSON.stringify({ kept, focusedId: active?.id }));
}

interface RestoredInputs {
  /** Their saved value is the same as before. */
  readonly unsaved: Input[];
  /** Another user has changed their saved value. */
  readonly conflicting: Input[];
  /** Values of rows that another user has changed or removed. */
  readonly lost: string[];
  readonly focused: HTMLElement | null;
}

/** Fills in what {@link keepInputs} has kept. The text of the input with the focus may be incomplete, so it is not in `unsaved`. */
export function restoreInputs(form: Element, id: string, texts: ReviewTexts): RestoredInputs {
  const stored = sessionStorage.getItem(storageKey(id)) ?? '{"kept":[]}';
  sessionStorage.removeItem(storageKey(id));
  const { kept, focusedId = '' } = JSON.parse(stored) as { kept: KeptInput[]; focusedId?: string };
  const [unsaved, conflicting, lost]: [Input[], Input[], string[]] = [[], [], []];
  let focused = document.getElementById(focusedId);
  const newRows = new Map<string, Element>();
  for (const one of kept) {
    const input = findKept(form, one, { newRows, texts });
    if (one.isFocused && input !== undefined) focused = input;
    if (one.text === undefined) continue;
    if (input === undefined) {
      lost.push(one.shown);
      continue;
    }
    input.value = one.text;
    addEmptyRow(input, texts);
    if (!isChanged(input)) continue;
    if (one.isConflict || input.dataset['saved'] !== one.saved) conflicting.push(input);
    else if (!one.isFocused) unsaved.push(input);
  }
  return { unsaved, conflicting, lost, focused };
}

const savedValues = (row: Element) => findInputs(row).map((cell) => cell.dataset['saved'] ?? '');
const findRows = (body: Element, values: readonly string[]) =>
  [...body.children].filter((row) => savedValues(row).join('\0') === values.join('\0'));

function rowOf(input: Input): { row?: KeptRow } {
  const row = input.closest('tbody tr');
  if (row === null) return {};
  const values = savedValues(row);
  const equal = findRows(row.parentElement!, values);
  const below = row.matches('.inserted') ? nextStored(row) : undefined;
  return { row: { values, position: equal.indexOf(row), count: equal.length, below } };
}

function nextStored(row: Element): string | undefined {
  let next: Element | null = row;
  while (next !== null && !('storedRow' in (next as HTMLElement).dataset)) next = next.nextElementSibling;
  return (next as HTMLElement | null)?.dataset['storedRow'];
}

/** Unsaved rows become new ones, which `newRows` has by their earlier numbers. */
function findKept(
  form: Element,
  { name, row }: KeptInput,
  { newRows, texts }: { newRows: Map<string, Element>; texts: ReviewTexts },
): Input | undefined {
  if (row === undefined) return findInputs(form).find((input) => input.name === name);
  const [, section, number, column] = /^([^:]+):(\d+(?:\.\d+)?)\.([a-z]\w*)$/.exec(name)!;
  const body = form.querySelector(`[data-table="${CSS.escape(section!)}"] tbody`);
  if (body === null) return undefined;
  let place: Element | undefined;
  if (row.values.every((saved) => saved === '')) {
    const key = `${section}:${number}`;
    const below = row.below && body.querySelector<HTMLTableRowElement>(`[data-stored-row="${CSS.escape(row.below)}"]`);
    place = newRows.get(key) ?? (below ? insertRow(below, texts) : body.querySelector('tr.new')!);
    newRows.set(key, place);
  } else {
    const equal = findRows(body, row.values);
    if (equal.length === row.count) place = equal[row.position];
  }
  return place && findInputs(place).find((cell) => cell.name.endsWith(`.${column}`));
}
