import { announce, fill } from '../../../ui/browser/dom.ts';
import { doubtfulWords, nextDoubtful, type PlacedWord } from './doubtful-words.ts';
import type { JobPlayer } from './job-player.ts';
import { type RowList, typedRow } from './row-list.ts';
import type { SegmentActions } from './segment-field.ts';
import type { SpeechTexts } from './texts.ts';
import { confirmWord, mergeRows, normalize, splitRow, timeAt } from './transcript-rows.ts';
import type { UndoStack } from './undo-stack.ts';

/** The actions of the keys and buttons of the open row. */
export function createSegmentActions(options: {
  /** Its fields call these actions. */
  list(): RowList;
  readonly changes: UndoStack;
  readonly player: JobPlayer;
  readonly edit: SpeechTexts['edit'];
  readonly space: string;
  save(): void;
  /** Ends editing. */
  stop(): void;
  /** The typed text has changed. */
  refresh(): void;
  showMarks(): void;
  /** Words to check in the transcript. */
  doubtfulCount(): number;
}): SegmentActions {
  const { list, changes, player, edit, space, save, stop, refresh, showMarks, doubtfulCount } = options;

  function doubtfulAtCursor(): PlacedWord | undefined {
    const open = list().opened();
    if (!open) return undefined;
    const { selectionStart, selectionEnd } = open.field;
    const places = doubtfulWords(typedRow(open), space);
    return places.find(({ start, end }) => start <= selectionStart && selectionEnd <= end);
  }

  return {
    move(by) {
      const open = list().opened();
      if (!open) return;
      const views = list().views();
      const next = views[views.indexOf(open.view) + by];
      if (next) list().open(next);
      else if (list().commit()) showMarks();
      save();
    },
    moveToDoubtful(by) {
      const open = list().opened();
      if (!open) return;
      const { view, field } = open;
      const views = list().views();
      const at = views.indexOf(view);
      const selection = { start: field.selectionStart, end: field.selectionEnd };
      const all = views.map((each) => (each === view ? typedRow(open) : each.row));
      const next = nextDoubtful(all, at, selection, { by, space });
      if (!next) {
        announce(edit.noDoubtful);
        return;
      }
      if (next.isWrapped) announce(by === 1 ? edit.fromStart : edit.fromEnd);
      list().open(views[next.index], next.place.start, next.place.end);
      save();
    },
    playOrPause() {
      const open = list().opened();
      if (open) player.toggle(timeAt(typedRow(open), open.field.selectionStart));
    },
    playSegment() {
      const open = list().opened();
      if (open) player.playRange(open.view.row.segment);
    },
    split() {
      const open = list().opened();
      if (!open) return;
      const { view, field } = open;
      const halves = splitRow(typedRow(open), field.selectionStart, space);
      if (!halves) {
        announce(edit.notSplit);
        return;
      }
      list().commit();
      changes.record(
        [view.row.segment],
        halves.map(({ segment }) => segment),
      );
      const [, second] = list().replace(view, halves);
      list().open(second);
      announce(edit.wasSplit);
      save();
    },
    merge(offset) {
      const open = list().opened();
      if (!open) return;
      const views = list().views();
      const at = views.indexOf(open.view) + offset;
      const [first, second] = [views[at], views[at + 1]];
      if (!first || !second) {
        announce(edit.notMerged);
        return;
      }
      list().commit();
      const merged = mergeRows(first.row, second.row, space);
      changes.record([first.row.segment, second.row.segment], [merged.segment]);
      const [view] = list().replace(first, [merged], 2);
      list().open(view, normalize(first.row.segment.text).length);
      announce(edit.wasMerged);
      save();
    },
    confirm() {
      const open = list().opened();
      if (!open) return;
      const { view, field } = open;
      const place = doubtfulAtCursor();
      field.focus();
      if (!place) {
        announce(edit.notConfirmed);
        return;
      }
      list().commit();
      const { segment } = view.row;
      view.row = confirmWord(view.row, place.word);
      changes.record([segment], [view.row.segment]);
      showMarks();
      // Screen readers announce only another text.
      announce(fill(edit.confirmed, { word: place.word.text, count: String(doubtfulCount()) }));
      save();
    },
    canConfirm: () => doubtfulAtCursor() !== undefined,
    /** Restores the text; without a change, ends editing. */
    cancel() {
      const open = list().opened();
      if (!open || !list().isTyped()) {
        stop();
        return;
      }
      open.field.value = open.view.row.segment.text;
      announce(edit.restored);
      refresh();
    },
    onInput: refresh,
    onChange() {
      if (!list().commit()) return;
      showMarks();
      save();
    },
  };
}
