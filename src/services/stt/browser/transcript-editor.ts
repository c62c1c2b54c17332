import type { ApiClient } from '../../../ui/browser/api.ts';
import { announce, el } from '../../../ui/browser/dom.ts';
import { wordSeparator } from '../../../ui/browser/paragraphs.ts';
import type { TimedElement } from '../../../ui/browser/word-highlight.ts';
import { createConflictList } from './conflict-list.ts';
import { createCorrectionSaver, type SaveState, type Transcript } from './correction-saver.ts';
import { placedWords } from './doubtful-words.ts';
import type { Formatters } from './formatters.ts';
import { createHistoryList } from './history-list.ts';
import type { JobPlayer } from './job-player.ts';
import { createReviewStatus } from './review-status.ts';
import { createRowList } from './row-list.ts';
import { createSaveStatus } from './save-status.ts';
import { createSegmentActions } from './segment-actions.ts';
import { changeBetween, mergeChanges, overwrite } from './segment-changes.ts';
import { isLetterKey } from './shortcuts.ts';
import { isDoubtful } from './transcript-rows.ts';
import { createUndoStack } from './undo-stack.ts';
import type { VocabularyOffers } from './vocabulary-offers.ts';

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
  const { edit } = words.texts;
  const space = wordSeparator(transcript.language);
  const toggle = el('button', { type: 'button', class: 'small', id: 'edit' }, edit.start);
  const undoButton = el('button', { type: 'button', class: 'small', id: 'undo', 'aria-keyshortcuts': 'Control+Z' });
  const isSaved = () => saver.isSaved() && conflicts.isEmpty();
  const status = createSaveStatus(words, isSaved);
  const review = createReviewStatus(edit, transcript, space);
  const keys = el('p', { class: 'hint', id: 'edit-keys' }, edit.keys);
  const changes = createUndoStack();
  let isEditing = false;

  const actions = createSegmentActions({
    ...{ list: () => list, changes, player, edit, space },
    ...{ stop, refresh, showMarks, save: () => void saver.save(), doubtfulCount: review.count },
  });
  const list = createRowList({
    ...{ transcript, words, space, changes, actions, onShow: showMarks },
    onOpen({ start, end }) {
      const position = player.position();
      if (position < start || position >= end) player.seek(start);
    },
  });
  const conflicts = createConflictList(words, {
    onUse(change) {
      list.close();
      replaceOwn(overwrite(list.segments(), change));
      focusAt(change.removed[0]!.start);
      void saver.save();
    },
    onDone() {
      status.refresh();
      (list.opened()?.field ?? toggle).focus();
    },
  });
  const saver = createCorrectionSaver({
    ...{ api, taskId },
    segments: transcript.segments,
    current: list.segments,
    onMerge(segments, notApplied) {
      const open = list.opened();
      const editing = open && { start: open.view.row.segment.start, caret: open.field.selectionStart };
      // The merged segments have the typed text: without a record, undo would revert an earlier change.
      list.commit();
      list.replaceAll(segments);
      const views = list.views();
      if (editing)
        list.open(views.find(({ row }) => row.segment.start >= editing.start) ?? views.at(-1), editing.caret);
      if (notApplied.length > 0) conflicts.add(notApplied, segments);
      else if (isEditing) announce(edit.merged);
    },
    onState: showState,
  });

  const history = createHistoryList({
    ...{ api, taskId, words },
    onRevert(edits) {
      list.close();
      let segments: Transcript['segments'] = list.segments();
      for (const { removed, inserted } of edits) {
        const merged = mergeChanges(inserted, removed, segments);
        if (merged.conflicts.length + merged.skipped.length > 0) {
          announce(edit.notReverted);
          return;
        }
        segments = merged.segments;
      }
      replaceOwn(segments);
      const { removed, inserted } = edits.at(-1)!;
      if (isEditing) focusAt((removed[0] ?? inserted[0])!.start);
      else history.focus();
      void saver.save();
    },
  });

  undoButton.textContent = edit.undo;
  setEditing(false);
  list.replaceAll(transcript.segments);
  toggle.addEventListener('click', () => (isEditing ? stop() : start()));
  undoButton.addEventListener('click', undo);
  list.element.addEventListener('click', ({ target }) => {
    if (!isEditing || !(target as Element).closest('.line')) return;
    const element = (target as Element).closest('p');
    const view = list.views().find((each) => each.element === element);
    const clicked = view?.marks.findIndex((mark) => mark.element === target) ?? -1;
    const place = view && placedWords(view.row, space)[clicked];
    // A word to check is selected as by the keys.
    list.open(view, place?.start, place && isDoubtful(view.row, place.word) ? place.end : place?.start);
  });
  document.addEventListener('keydown', (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, target } = event;
    if (!isLetterKey(event, 'z') || !(ctrlKey || metaKey) || altKey || shiftKey) return;
    if (!isEditing || !list.element.isConnected) return;
    // A text field undoes what was typed in it.
    const isTyping =
      target === list.opened()?.field ? list.isTyped() : (target as Element).matches('input, textarea, select');
    if (isTyping) return;
    event.preventDefault();
    undo();
  });

  /** A change of the user, which can be undone. */
  function replaceOwn(segments: Transcript['segments']): void {
    const change = changeBetween(list.segments(), segments);
    if (change) changes.record(change.removed, change.inserted);
    list.replaceAll(segments);
  }

  function showMarks(): void {
    const views = list.views();
    onMarks(views.flatMap(({ marks }) => marks));
    const { terms } = review.show(views.map(({ row }) => row));
    offers.show(terms);
    refreshUndo();
  }

  /** Continues at this time of the recording after a change elsewhere. */
  function focusAt(seconds: number): void {
    const views = list.views();
    if (isEditing) list.open(views.findLast(({ row }) => row.segment.start <= seconds) ?? views[0]);
    else toggle.focus();
  }

  function setEditing(value: boolean): void {
    isEditing = value;
    toggle.textContent = isEditing ? edit.stop : edit.start;
    for (const element of [keys, undoButton]) element.hidden = !isEditing;
  }

  function start(): void {
    setEditing(true);
    void saver.save();
    focusAt(player.position());
  }

  function stop(): void {
    list.close();
    setEditing(false);
    toggle.focus();
    showMarks();
    void saver.save();
  }

  /** Restores the segments before the last change of the user, and keeps later ones of others. */
  function undo(): void {
    list.close();
    const undone = changes.undo(list.segments());
    if (undone?.segments) list.update(undone.segments);
    focusAt(undone?.at ?? player.position());
    announce(undone === undefined ? edit.nothingToUndo : undone.segments ? edit.undone : edit.notUndone);
    void saver.save();
  }

  function refresh(): void {
    status.refresh();
    refreshUndo();
  }

  function refreshUndo(): void {
    undoButton.disabled = changes.isEmpty() && !list.isTyped();
  }

  function showState(state: SaveState): void {
    status.show(state);
    if (state !== 'saved') return;
    conflicts.refresh(list.segments());
    history.refresh();
  }

  const bar = el('div', { class: 'row edit-bar' }, toggle, undoButton, review.element, status.element);
  return {
    element: el(
      'div',
      { class: 'editor' },
      bar,
      keys,
      conflicts.element,
      list.element,
      offers.element,
      history.element,
    ),
    isEditing: () => isEditing,
    showMarks,
    text: () =>
      list
        .views()
        .map(({ row }) => row.segment.text)
        .join(space),
    /** Reads the stored corrections. */
    load: () => void saver.save(),
    /** Returns whether the text on the page is stored; otherwise the status shows why not. */
    async save(): Promise<boolean> {
      if (list.commit()) showMarks();
      if (!saver.isSaved()) await saver.save();
      return saver.isSaved();
    },
    isSaved,
  };
}
