import { announce, el, fill } from '../../../ui/browser/dom.ts';
import { findInputs, type Input, insertRow, restoreRow } from './review-inputs.ts';
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

  async function removeRow(row: HTMLTableRowElement): Promise<void> {
    for (const earlier of form.querySelectorAll('tr.undo')) earlier.remove();
    const cells = findInputs(row);
    // Not a text that the service refused.
    const values = cells.map((cell) => (cell.matches('[aria-invalid]') ? cell.dataset['saved']! : cell.value));
    const isSaved = cells.some((cell) => cell.dataset['saved']);
    const number = row.dataset['row']!;
    const below = row.nextElementSibling;
    for (const cell of cells) cell.value = '';
    // Moves the focus before the row is removed.
    findInputs(below ?? row)[0]?.focus();
    await save(cells);
    if (!isSaved || row.isConnected || !below?.isConnected) return;
    const undo = el('button', { type: 'button', class: 'small' }, texts.undo);
    const message = fill(texts.rowDeleted, { row: number });
    const offer = el('tr', { class: 'undo' }, el('td', { colspan: String(row.cells.length) }, message, ' ', undo));
    below.before(offer);
    announce(`${message} ${texts.undoHint}`);
    undo.addEventListener('click', () => {
      offer.remove();
      restoreRow(row, below, texts);
      for (const [i, cell] of cells.entries()) cell.value = values[i]!;
      cells[0]!.focus();
      announce(fill(texts.rowRestored, { row: number }));
      void save(cells);
    });
  }
}
