import { el, fill } from '../../../ui/browser/dom.ts';
import { retryText } from '../../../ui/browser/poll-task.ts';
import type { SaveState } from './correction-saver.ts';
import type { Formatters } from './formatters.ts';

/** Shows whether the text on the page is stored. */
export function createSaveStatus({ texts: { edit }, ui, errorText }: Formatters, isSaved: () => boolean) {
  const element = el('span', { class: 'hint', id: 'edit-state', role: 'status' });

  function show(state: SaveState): void {
    const hasFailed = typeof state === 'object';
    element.classList.toggle('error', hasFailed);
    if (hasFailed) write(fill(edit.notSaved, { why: reasonOf(state) }));
    else if (state === 'saving') write(edit.saving);
    else refresh();
  }

  function reasonOf({ failed, retry }: Exclude<SaveState, string>): string {
    const sentence = errorText(failed);
    return retry ? retryText(retry, ui.retry, sentence) : sentence;
  }

  /** After a change of the text. An error stays until the next attempt to save. */
  function refresh(): void {
    if (!element.classList.contains('error')) write(isSaved() ? edit.saved : edit.unsaved);
  }

  /** Screen readers may announce the same text again. */
  function write(text: string): void {
    if (element.textContent !== text) element.textContent = text;
  }

  return { element, show, refresh };
}
