import type { ApiClient } from '../../../ui/browser/api.ts';
import { el, fill } from '../../../ui/browser/dom.ts';
import type { Formatters } from './formatters.ts';
import type { SegmentChange } from './segment-changes.ts';

interface Edit extends SegmentChange {
  /** Unix seconds. */
  readonly changed_at: string;
  readonly changed_by: string;
}

/** The latest corrections of a transcript, newest first; read when the list is opened. */
export function createHistoryList(options: {
  readonly api: ApiClient;
  readonly taskId: string;
  readonly words: Formatters;
  /** Restores what the edit removed. */
  onRevert(edit: Edit): void;
}) {
  const { api, taskId, words, onRevert } = options;
  const texts = words.texts.edit;
  const list = el('ul');
  const summary = el('summary', {}, texts.history);
  const element = el('details', { class: 'history', id: 'history' }, summary, list);

  async function load(): Promise<void> {
    try {
      const { edits } = await api.call<{ edits: readonly Edit[] }>(`result/${taskId}/transcript/history`);
      const items = [...edits].reverse().map(item);
      list.replaceChildren(...(items.length > 0 ? items : [el('li', {}, texts.noHistory)]));
    } catch (error) {
      list.replaceChildren(el('li', {}, words.errorText(error)));
    }
  }

  function item(edit: Edit): HTMLElement {
    const [from, to] = [edit.removed, edit.inserted].map(
      (segments) => segments.map(({ text }) => text).join(' | ') || texts.nothing,
    ) as [string, string];
    const at = words.dates.format(Number(edit.changed_at) * 1000);
    const revert = el('button', { type: 'button', class: 'small' }, texts.revert);
    revert.addEventListener('click', () => onRevert(edit));
    return el(
      'li',
      {},
      el('span', { class: 'hint' }, `${at}, ${edit.changed_by}`),
      from === to ? fill(texts.confirmedIn, { text: to }) : fill(texts.change, { from, to }),
      revert,
    );
  }

  element.addEventListener('toggle', () => element.open && void load());
  return {
    element,
    focus: (): void => summary.focus(),
    /** Reads the list again if it is open. */
    refresh: (): void => {
      if (element.open) void load();
    },
  };
}
