import type { ApiClient } from '../../../ui/browser/api.ts';
import { announce, el, fill } from '../../../ui/browser/dom.ts';
import { wordSeparator } from '../../../ui/browser/paragraphs.ts';
import type { TimedElement } from '../../../ui/browser/word-highlight.ts';
import type { RecordedSegment } from '../result.ts';
import { createConflictList } from './conflict-list.ts';
import { createCorrectionSaver, type SaveState, type Transcript } from './correction-saver.ts';
import type { Formatters } from './formatters.ts';
import { createHistoryList } from './history-list.ts';
import type { JobPlayer } from './job-player.ts';
import { createSaveStatus } from './save-status.ts';
import { mergeChanges, overwrite } from './segment-changes.ts';
import {
  isDoubtful,
  keptWords,
  mergeRows,
  normalize,
  partsOf,
  type Row,
  rowsOf,
  splitRow,
  timeAt,
} from './transcript-rows.ts';
import type { VocabularyOffers } from './vocabulary-offers.ts';

interface RowView {
  row: Row;
  readonly element: HTMLElement;
  marks: readonly TimedElement[];
  /** Words with low confidence. */
  doubtful: number;
}

export type TranscriptEditor = ReturnType<typeof createTranscriptEditor>;

/** Shows the rows of a transcript; one of them can be edited. A change renders only the rows that it concerns. */
export function createTranscriptEditor(options: {
  readonly api: ApiClient;
  readonly taskId: string;
  readonly transcript: Transcript;
  readonly words: Formatters;
  readonly player: JobPlayer;
  readonly offers: VocabularyOffers;
  readonly onMarks: (marks: readonly TimedElement[]) => void;
}) {
  const { api, taskId, transcript, words, player, offers, onMarks } = options;
  const { texts } = words;
  const edit = texts.edit;
  const space = wordSeparator(transcript.language);
  const list = el('div', { class: 'transcript', lang: transcript.language ?? '', id: 'transcript' });
  const toggle = el('button', { type: 'button', class: 'small', id: 'edit' }, edit.start);
  const isSaved = () => saver.isSaved() && conflicts.isEmpty();
  const status = createSaveStatus(words, isSaved);
  const doubtful = el('span', { class: 'hint', id: 'doubtful' });
  const keys = el('p', { class: 'hint', id: 'edit-keys', hidden: true }, edit.keys);
  let isEditing = false;
  let views: RowView[] = [];
  let open: { readonly view: RowView; readonly field: HTMLTextAreaElement } | undefined;

  const conflicts = createConflictList(words, {
    onUse(change) {
      close();
      const segments = views.map(({ row }) => row.segment);
      replaceAll(overwrite(segments, change));
      focusAt(change.removed[0]!.start);
      void saver.save();
    },
    onDone() {
      status.refresh();
      if (open) open.field.focus();
      else toggle.focus();
    },
  });
  const saver = createCorrectionSaver({
    ...{ api, taskId },
    segments: transcript.segments,
    current: segmentsOnPage,
    onMerge(segments, notApplied) {
      const editing = open && { start: open.view.row.segment.start, caret: open.field.selectionStart };
      open = undefined;
      replaceAll(segments);
      if (editing) openView(views.find(({ row }) => row.segment.start >= editing.start) ?? views.at(-1), editing.caret);
      if (notApplied.length > 0) conflicts.add(notApplied, segments);
      else if (isEditing) announce(edit.merged);
    },
    onState: showState,
  });

  const history = createHistoryList({
    ...{ api, taskId, words },
    onRevert({ removed, inserted }) {
      close();
      const { segments, conflicts: overwritten } = mergeChanges(inserted, removed, segmentsOnPage());
      if (overwritten.length > 0) {
        announce(edit.notReverted);
        return;
      }
      replaceAll(segments);
      if (isEditing) focusAt((removed[0] ?? inserted[0])!.start);
      else history.focus();
      void saver.save();
    },
  });

  replaceAll(transcript.segments);
  toggle.addEventListener('click', () => (isEditing ? stop() : start()));
  list.addEventListener('click', ({ target }) => {
    if (!isEditing || !(target as Element).closest('.line')) return;
    const element = (target as Element).closest('p');
    openView(views.find((view) => view.element === element));
  });

  function segmentsOnPage(withTyping = false): RecordedSegment[] {
    return views.flatMap((view) => {
      const text = withTyping && view === open?.view ? normalize(open.field.value) : view.row.segment.text;
      return text === '' ? [] : [{ ...view.row.segment, text }];
    });
  }

  function replaceAll(segments: Transcript['segments']): void {
    views = rowsOf(segments, keptWords(transcript, segments)).map(viewOf);
    list.replaceChildren(...views.map(({ element }) => element));
    showMarks();
  }

  function viewOf(row: Row): RowView {
    return render({ row, element: el('p'), marks: [], doubtful: 0 });
  }

  function render(view: RowView): RowView {
    const { segment } = view.row;
    const line = el('span', { class: 'line' });
    const parts = partsOf(view.row);
    view.doubtful = parts.filter(isDoubtful).length;
    view.marks = parts.map((part) => {
      const isUnsure = isDoubtful(part);
      const element = el(isUnsure ? 'mark' : 'span', { class: 'word', 'data-at': String(part.start) }, part.text);
      if (isUnsure) element.title = edit.doubtful;
      line.append(element, space);
      return { start: part.start, end: part.end, element };
    });
    view.element.replaceChildren(timeButton(segment.start), line);
    return view;
  }

  function timeButton(seconds: number): HTMLElement {
    const time = words.clock(seconds);
    const label = fill(texts.playFrom, { time });
    const at = String(seconds);
    return el('button', { type: 'button', class: 'link time', 'data-at': at, 'aria-label': label }, time);
  }

  function showMarks(): void {
    onMarks(views.flatMap(({ marks }) => marks));
    const count = views.reduce((sum, view) => sum + view.doubtful, 0);
    doubtful.textContent = count === 0 ? '' : fill(edit.doubtfulCount, { count: String(count) });
  }

  /** Continues at this time of the recording after a change elsewhere. */
  function focusAt(seconds: number): void {
    if (isEditing) openView(views.findLast(({ row }) => row.segment.start <= seconds) ?? views[0]);
    else toggle.focus();
  }

  function start(): void {
    isEditing = true;
    toggle.textContent = edit.stop;
    keys.hidden = false;
    void saver.save();
    focusAt(player.position());
  }

  function stop(): void {
    close();
    isEditing = false;
    toggle.textContent = edit.start;
    keys.hidden = true;
    toggle.focus();
    void saver.save();
  }

  function openView(view: RowView | undefined, caret = 0, selectionEnd = caret): void {
    if (view === undefined || view === open?.view) {
      if (selectionEnd > caret) open?.field.setSelectionRange(caret, selectionEnd);
      return;
    }
    close();
    const { start, end, text } = view.row.segment;
    const label = fill(edit.segment, { from: words.clock(start), to: words.clock(end) });
    const field = el('textarea', { rows: '1', 'aria-label': label, 'aria-describedby': 'edit-keys' });
    field.value = text;
    const tools = el('span', { class: 'tools' }, ...toolButtons());
    view.element.replaceChildren(timeButton(start), el('span', { class: 'editing' }, field, tools));
    [view.marks, view.doubtful] = [[], 0];
    open = { view, field };
    field.addEventListener('keydown', onKey);
    // When the field loses the focus.
    field.addEventListener('change', () => {
      if (commit()) void saver.save();
    });
    field.addEventListener('input', status.refresh);
    tools.addEventListener('keydown', ({ key }) => key === 'Escape' && field.focus());
    field.focus();
    field.setSelectionRange(caret, selectionEnd);
    view.element.scrollIntoView({ block: 'nearest' });
    const position = player.position();
    if (position < start || position >= end) player.seek(start);
    showMarks();
  }

  function toolButtons(): HTMLElement[] {
    const tools = [
      [edit.play, 'Alt+Enter', playOrPause],
      [edit.split, 'Control+Enter', split],
      [edit.merge, 'Delete', () => merge(0)],
    ] as const;
    return tools.map(([text, shortcut, act]) => {
      const button = el('button', { type: 'button', class: 'small', 'aria-keyshortcuts': shortcut }, text);
      button.addEventListener('click', act);
      return button;
    });
  }

  /** Takes the typed text over. Returns whether it differs. */
  function commit(): boolean {
    if (!open) return false;
    const { view, field } = open;
    const text = normalize(field.value);
    const { segment } = view.row;
    if (text === segment.text) return false;
    offers.add(segment.text, text);
    view.row = { ...view.row, segment: { ...segment, text } };
    return true;
  }

  /** Removes a row without text. */
  function close(): void {
    if (!open) return;
    commit();
    const { view } = open;
    open = undefined;
    if (view.row.segment.text === '') replaceViews(view, []);
    else render(view);
  }

  function replaceViews(first: RowView, replacement: readonly RowView[], count = 1): void {
    const at = views.indexOf(first);
    const removed = views.splice(at, count, ...replacement);
    first.element.before(...replacement.map(({ element }) => element));
    for (const { element } of removed) element.remove();
  }

  function move(by: 1 | -1): void {
    if (!open) return;
    const next = views[views.indexOf(open.view) + by];
    if (next) openView(next);
    else commit();
    void saver.save();
  }

  /** Selects the next or previous doubtful word, in a circle. */
  function moveToDoubtful(by: 1 | -1): void {
    if (!open) return;
    const { view, field } = open;
    const at = views.indexOf(view);
    const { selectionStart, selectionEnd } = field;
    const own = doubtfulWords(typed(open));
    // Without a selection, the word at the caret is the next one.
    const caret = selectionStart === selectionEnd && by === 1 ? selectionStart - 1 : selectionStart;
    const here = own.filter(([start]) => (start - caret) * by > 0);
    const others = [...views.slice(at + 1), ...views.slice(0, at)];
    const hasDoubt = ({ row }: RowView) => doubtfulWords(row).length > 0;
    const other = here.length > 0 ? undefined : by === 1 ? others.find(hasDoubt) : others.findLast(hasDoubt);
    const found = here.length > 0 ? here : other ? doubtfulWords(other.row) : own;
    const word = by === 1 ? found[0] : found.at(-1);
    if (!word) {
      announce(edit.noDoubtful);
      return;
    }
    if (other && (views.indexOf(other) - at) * by < 0) announce(by === 1 ? edit.fromStart : edit.fromEnd);
    openView(other ?? view, ...word);
    void saver.save();
  }

  /** The positions of the doubtful words in the text. */
  function doubtfulWords(row: Row): [start: number, end: number][] {
    let start = 0;
    return partsOf(row).flatMap((part) => {
      const end = start + part.text.length;
      const found: [number, number][] = isDoubtful(part) ? [[start, end]] : [];
      start = end + space.length;
      return found;
    });
  }

  function playOrPause(): void {
    if (open) player.toggle(timeAt(typed(open), open.field.selectionStart));
  }

  function split(): void {
    if (!open) return;
    const { view, field } = open;
    const rows = splitRow(typed(open), field.selectionStart);
    if (!rows) {
      announce(edit.notSplit);
      return;
    }
    commit();
    open = undefined;
    const [first, second] = rows.map(viewOf) as [RowView, RowView];
    replaceViews(view, [first, second]);
    openView(second, 0);
    announce(edit.wasSplit);
    void saver.save();
  }

  /** Merges the open row with the next one, or the previous one (-1). */
  function merge(offset: 0 | -1): void {
    if (!open) return;
    commit();
    const at = views.indexOf(open.view) + offset;
    const [first, second] = [views[at], views[at + 1]];
    if (!first || !second) {
      announce(edit.notMerged);
      return;
    }
    open = undefined;
    const merged = viewOf(mergeRows(first.row, second.row, space));
    replaceViews(first, [merged], 2);
    openView(merged, normalize(first.row.segment.text).length);
    announce(edit.wasMerged);
    void saver.save();
  }

  const typed = ({ view, field }: NonNullable<typeof open>): Row => ({
    ...view.row,
    segment: { ...view.row.segment, text: field.value },
  });

  function onKey(event: KeyboardEvent): void {
    const field = event.target as HTMLTextAreaElement;
    const { selectionStart, selectionEnd, value } = field;
    const act = ((): (() => void) | undefined => {
      if (event.isComposing) return undefined;
      const { key } = event;
      if (key === 'Enter' && (event.ctrlKey || event.metaKey)) return split;
      if (key === 'Enter' && event.altKey) return playOrPause;
      if (key === 'Enter') return () => move(event.shiftKey ? -1 : 1);
      if (key === 'ArrowDown' && event.altKey) return () => moveToDoubtful(1);
      if (key === 'ArrowUp' && event.altKey) return () => moveToDoubtful(-1);
      if (key === 'Backspace' && selectionEnd === 0) return () => merge(-1);
      if (key === 'Delete' && selectionStart === value.length) return () => merge(0);
      return key === 'Escape' ? () => cancel(field) : undefined;
    })();
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Restores the text; without a change, ends editing. */
  function cancel(field: HTMLTextAreaElement): void {
    const { text } = open!.view.row.segment;
    if (field.value === text) stop();
    else {
      field.value = text;
      announce(edit.restored);
      status.refresh();
    }
  }

  function showState(state: SaveState): void {
    status.show(state);
    if (state !== 'saved') return;
    conflicts.refresh(segmentsOnPage());
    history.refresh();
  }

  const bar = el('div', { class: 'row edit-bar' }, toggle, doubtful, status.element);
  return {
    element: el('div', { class: 'editor' }, bar, keys, conflicts.element, list, offers.element, history.element),
    isEditing: () => isEditing,
    showMarks,
    text: () => views.map(({ row }) => row.segment.text).join(space),
    /** Reads the stored corrections. */
    load: () => void saver.save(),
    /** Returns whether the text on the page is stored; otherwise the status shows why not. */
    async save(): Promise<boolean> {
      commit();
      if (!saver.isSaved()) await saver.save();
      return saver.isSaved();
    },
    isSaved,
  };
}
