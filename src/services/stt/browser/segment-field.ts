import { el, fill } from '../../../ui/browser/dom.ts';
import type { RecordedSegment } from '../result.ts';
import type { Formatters } from './formatters.ts';
import { isLetterKey } from './shortcuts.ts';

/** Actions of the keys and buttons of the field. */
export interface SegmentActions {
  /** To the next segment or the previous one. */
  move(by: 1 | -1): void;
  /** To the next word to check or the previous one. */
  moveToDoubtful(by: 1 | -1): void;
  /** Plays from the cursor, pauses, or continues if the cursor has not moved since the pause. */
  playOrPause(): void;
  playSegment(): void;
  split(): void;
  /** With the next segment, or the previous one (-1). */
  merge(offset: 0 | -1): void;
  /** Confirms the word at the cursor. */
  confirm(): void;
  /** The cursor is in a word to check. */
  canConfirm(): boolean;
  cancel(): void;
  /** The text was typed. */
  onInput(): void;
  /** The field lost the focus with another text. */
  onChange(): void;
}

/** A text field of one segment with its buttons; `keys` in the texts describes its shortcuts. */
export function createSegmentField(
  { start, end, text }: RecordedSegment,
  { texts: { edit }, clock }: Formatters,
  actions: SegmentActions,
): { readonly element: HTMLElement; readonly field: HTMLTextAreaElement } {
  const label = fill(edit.segment, { from: clock(start), to: clock(end) });
  const field = el('textarea', { rows: '1', 'aria-label': label, 'aria-describedby': 'edit-keys' });
  field.value = text;
  const buttons = [
    [edit.play, 'Alt+Enter', actions.playOrPause],
    [edit.playSegment, 'Alt+Shift+Enter', actions.playSegment],
    [edit.split, 'Control+Enter', actions.split],
    [edit.merge, 'Delete', () => actions.merge(0)],
    [edit.confirm, 'Alt+C', actions.confirm],
  ] as const;
  const tools = buttons.map(([name, shortcut, act]) => {
    const button = el('button', { type: 'button', class: 'small', 'aria-keyshortcuts': shortcut }, name);
    button.addEventListener('click', act);
    return button;
  });
  const toolbar = el('span', { class: 'tools' }, ...tools);
  field.addEventListener('keydown', (event) => {
    const act = actionOf(event, field, actions);
    if (!act) return;
    event.preventDefault();
    act();
  });
  field.addEventListener('change', actions.onChange);
  field.addEventListener('input', actions.onInput);
  toolbar.addEventListener('keydown', ({ key }) => key === 'Escape' && field.focus());
  return { element: el('span', { class: 'editing' }, field, toolbar), field };
}

function actionOf(
  event: KeyboardEvent,
  { selectionStart, selectionEnd, value }: HTMLTextAreaElement,
  actions: SegmentActions,
): (() => void) | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event;
  if (isComposing) return undefined;
  if (key === 'Enter' && (ctrlKey || metaKey)) return actions.split;
  if (key === 'Enter' && altKey) return shiftKey ? actions.playSegment : actions.playOrPause;
  if (key === 'Enter') return () => actions.move(shiftKey ? -1 : 1);
  if (key === 'ArrowDown' && altKey) return () => actions.moveToDoubtful(1);
  if (key === 'ArrowUp' && altKey) return () => actions.moveToDoubtful(-1);
  // Option+C types ç on a Mac.
  if (isLetterKey(event, 'c') && altKey && !ctrlKey && (!isMac() || actions.canConfirm())) return actions.confirm;
  if (key === 'Backspace' && selectionEnd === 0) return () => actions.merge(-1);
  if (key === 'Delete' && selectionStart === value.length) return () => actions.merge(0);
  return key === 'Escape' ? actions.cancel : undefined;
}

const isMac = () => navigator.platform.startsWith('Mac');
