import { announce, el, fill } from '../../../ui/browser/dom.ts';
import { clearMark, findInputs, type Input, insertRow, isChanged, restoreRow } from './review-inputs.ts';
import type { ReviewTexts } from './review-texts.ts';

/** The buttons of table rows. `save` resolves after the save, also if it fails. */
export function initRowButtons(
  form: Element,
  texts: ReviewTexts,
  save: (changed: readonly Input[]) => Promise<void>,
): void {
  // Of a second click the cells are empty already.
  const removing = new Set<Element>();
  form.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('.remove-row, .insert-row');
    if (button === null) return;
    const row = button.closest('tr')!;
    if (removing.has(row)) return;
    if (button.matches('.insert-row')) findInputs(insertRow(row, texts))[0]!.focus();
    else {
      removing.add(row);
      void removeRow(row).finally(() => removing.delete(row));
    }
  });

  // Offers stay while rows are deleted and restored.
  form.addEventListener('input', () => {
    for (const offer of form.querySelectorAll('tr.undo')) offer.remove();
  });

  async function removeRow(row: HTMLTableRowElement): Promise<void> {
    const cells = findInputs(row);
    const typed = new Map(cells.map((cell) => [cell, cell.value]));
    // Not a text that the service refused.
    const values = cells.map((cell) => (cell.matches('[aria-invalid]') ? cell.dataset['saved']! : cell.value));
    const isSaved = cells.some((cell) => cell.dataset['saved']);
    const number = row.querySelector<HTMLInputElement>('.row-number input')?.dataset['saved'];
    const named = number ? fill(texts.rowNumber, { number }) : row.dataset['row']!;
    // Keeps the place of the row, because rows beside it may be removed meanwhile.
    const offer = el('tr', { class: 'undo' });
    row.after(offer);
    for (const cell of cells) cell.value = '';
    // Moves the focus before the row is removed.
    findInputs(nextRow(row))[0]!.focus();
    await save(cells);
    restoreUnsaved(typed);
    if (!isSaved || row.isConnected) offer.remove();
    if (!offer.isConnected) return;
    const undo = el('button', { type: 'button', class: 'small' }, texts.undo);
    const message = fill(texts.rowDeleted, { row: named });
    offer.append(el('td', { colspan: String(row.cells.length) }, message, ' ', undo));
    // The hint applies to the offer above the focused row.
    announce(offer.nextElementSibling!.matches('.undo') ? message : `${message} ${texts.undoHint}`);
    undo.addEventListener('click', () => {
      restoreRow(row, offer, texts);
      for (const [i, cell] of cells.entries()) cell.value = values[i]!;
      cells[0]!.focus();
      announce(fill(texts.rowRestored, { row: named }));
      void save(cells);
    });
  }
}

/** The row below, which may have another number; the last row of a table is for a new one. */
function nextRow(row: Element): Element {
  const next = row.nextElementSibling!;
  return next.matches('.undo') ? nextRow(next) : next;
}

/** The values of a row that could not be deleted. */
function restoreUnsaved(typed: ReadonlyMap<Input, string>): void {
  for (const [cell, text] of typed) {
    if (cell.value !== '' || !cell.matches('[aria-invalid]:not([data-conflict])')) continue;
    cell.value = text;
    if (!isChanged(cell)) clearMark(cell);
  }
}
