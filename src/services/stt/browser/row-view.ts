import { el, fill } from '../../../ui/browser/dom.ts';
import type { TimedElement } from '../../../ui/browser/word-highlight.ts';
import type { Formatters } from './formatters.ts';
import { isDoubtful, partsOf, type Row } from './transcript-rows.ts';

/** A row and its element. */
export interface RowView {
  row: Row;
  readonly element: HTMLElement;
  marks: readonly TimedElement[];
}

/** Renders the rows that are not edited. */
export function createRowRenderer({ texts, clock }: Formatters, space: string) {
  function timeButton(seconds: number): HTMLElement {
    const time = clock(seconds);
    const label = fill(texts.playFrom, { time });
    const at = String(seconds);
    return el('button', { type: 'button', class: 'link time', 'data-at': at, 'aria-label': label }, time);
  }

  /** Shows the words of the row. */
  function render(view: RowView): RowView {
    const line = el('span', { class: 'line' });
    view.marks = partsOf(view.row).map((part) => {
      const isUnsure = isDoubtful(view.row, part);
      const element = el(isUnsure ? 'mark' : 'span', { class: 'word', 'data-at': String(part.start) }, part.text);
      if (isUnsure) element.title = texts.edit.doubtful;
      line.append(element, space);
      return { start: part.start, end: part.end, element };
    });
    view.element.replaceChildren(timeButton(view.row.segment.start), line);
    return view;
  }

  return {
    render,
    create: (row: Row): RowView => render({ row, element: el('p'), marks: [] }),
    /** Shows a field in place of the words. */
    renderField(view: RowView, field: HTMLElement): void {
      view.marks = [];
      view.element.replaceChildren(timeButton(view.row.segment.start), field);
    },
  };
}
