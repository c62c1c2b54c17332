import { el } from '../../../ui/browser/dom.ts';
import type { Recorded, RecordedSegment } from '../result.ts';
import type { Formatters } from './formatters.ts';
import { createRowRenderer, type RowView } from './row-view.ts';
import { changeBetween } from './segment-changes.ts';
import { createSegmentField, type SegmentActions } from './segment-field.ts';
import { keptWords, normalize, type Row, rowsOf } from './transcript-rows.ts';
import type { UndoStack } from './undo-stack.ts';

/** The row that is edited. */
export interface OpenRow {
  readonly view: RowView;
  readonly field: HTMLTextAreaElement;
}

export type RowList = ReturnType<typeof createRowList>;

/** The rows of a transcript, one of which can be open in a field. A change renders only the rows that it concerns. */
export function createRowList(options: {
  readonly transcript: Recorded;
  readonly words: Formatters;
  readonly space: string;
  readonly changes: UndoStack;
  readonly actions: SegmentActions;
  /** Rows were rendered or opened. */
  onShow(): void;
  onOpen(segment: RecordedSegment): void;
}) {
  const { transcript, words, space, changes, actions, onShow, onOpen } = options;
  const element = el('div', { class: 'transcript', lang: transcript.language ?? '', id: 'transcript' });
  const rows = createRowRenderer(words, space);
  const original = { ...transcript, words: transcript.words?.map((word, index) => ({ ...word, index })) ?? [] };
  let views: RowView[] = [];
  let open: OpenRow | undefined;

  function replaceAll(segments: readonly RecordedSegment[]): void {
    open = undefined;
    views = rowsOf(segments, keptWords(original, segments)).map(rows.create);
    element.replaceChildren(...views.map((view) => view.element));
    onShow();
  }

  /** Renders only the rows that differ. */
  function update(segments: readonly RecordedSegment[]): void {
    const change = changeBetween(
      views.map(({ row }) => row.segment),
      segments,
    );
    if (!change) return;
    const { position, removed, inserted } = change;
    const replacement = rowsOf(segments, keptWords(original, segments)).slice(position, position + inserted.length);
    replaceAt(position, removed.length, replacement);
    onShow();
  }

  /** Replaces `count` rows, which may be open. */
  const replace = (first: RowView, replacement: readonly Row[], count = 1): RowView[] =>
    replaceAt(views.indexOf(first), count, replacement);

  function replaceAt(position: number, count: number, replacement: readonly Row[]): RowView[] {
    const created = replacement.map(rows.create);
    const next = views[position]?.element ?? null;
    for (const view of created) element.insertBefore(view.element, next);
    const removed = views.splice(position, count, ...created);
    // Before its field loses the focus.
    if (removed.some((view) => view === open?.view)) open = undefined;
    for (const view of removed) view.element.remove();
    return created;
  }

  /** Takes the typed text over. Returns whether it differs. */
  function commit(): boolean {
    if (!open) return false;
    const { view, field } = open;
    const text = normalize(field.value);
    const { segment } = view.row;
    if (text === segment.text) return false;
    view.row = { ...view.row, segment: { ...segment, text } };
    changes.record([segment], [view.row.segment]);
    return true;
  }

  /** Removes a row without text. */
  function close(): void {
    if (!open) return;
    commit();
    const { view } = open;
    open = undefined;
    if (view.row.segment.text === '') replace(view, []);
    else rows.render(view);
  }

  return {
    element,
    views: (): readonly RowView[] => views,
    opened: () => open,
    /** The stored segments; `withTyping`: with the text that is being typed. */
    segments: (withTyping = false): RecordedSegment[] =>
      views.flatMap((view) => {
        const text = withTyping && view === open?.view ? normalize(open.field.value) : view.row.segment.text;
        return text === '' ? [] : [{ ...view.row.segment, text }];
      }),
    replaceAll,
    update,
    replace,
    commit,
    close,
    /** Opens a row; an open one only selects the text. */
    open(view: RowView | undefined, caret = 0, selectionEnd = caret): void {
      if (view === undefined || view === open?.view) {
        if (selectionEnd > caret) open?.field.setSelectionRange(caret, selectionEnd);
        return;
      }
      close();
      const created = createSegmentField(view.row.segment, words, actions);
      rows.renderField(view, created.element);
      open = { view, field: created.field };
      open.field.focus();
      open.field.setSelectionRange(caret, selectionEnd);
      view.element.scrollIntoView({ block: 'nearest' });
      onOpen(view.row.segment);
      onShow();
    },
    isTyped: () => open !== undefined && open.field.value !== open.view.row.segment.text,
  };
}

/** The row with the text of its field. */
export const typedRow = ({ view, field }: OpenRow): Row => ({
  ...view.row,
  segment: { ...view.row.segment, text: field.value },
});
