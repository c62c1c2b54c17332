import type { ApiClient } from '../../../ui/browser/api.ts';
import { el, fill } from '../../../ui/browser/dom.ts';
import type { RecordedSegment } from '../result.ts';
import type { Formatters } from './formatters.ts';
import { countConfirmed, type Edit, type HistoryEntry, historyEntries } from './history-entries.ts';

/** The maximum of the API. */
const MAX_EDITS = 1000;
/** Confirmed segments that an entry shows. Chosen. */
const MAX_SHOWN = 3;

/** The latest corrections of a transcript, newest first; read when the list is opened. */
export function createHistoryList(options: {
  readonly api: ApiClient;
  readonly taskId: string;
  readonly words: Formatters;
  /** Restores the segments before the edits, which are in the order to revert them. */
  onRevert(edits: readonly Edit[]): void;
}) {
  const { api, taskId, words, onRevert } = options;
  const texts = words.texts.edit;
  const path = `result/${taskId}/transcript/history?limit=${MAX_EDITS}`;
  const list = el('ul');
  const summary = el('summary', {}, texts.history);
  const element = el('details', { class: 'history', id: 'history' }, summary, list);

  async function load(): Promise<void> {
    try {
      const { edits } = await api.call<{ edits: readonly Edit[] }>(path);
      const items = historyEntries(edits).map(item);
      list.replaceChildren(...(items.length > 0 ? items : [el('li', {}, texts.noHistory)]));
    } catch (error) {
      list.replaceChildren(el('li', {}, words.errorText(error)));
    }
  }

  function item({ kind, edits }: HistoryEntry): HTMLElement {
    const latest = edits[0]!;
    const at = words.dates.format(Number(latest.changed_at) * 1000);
    const revert = el('button', { type: 'button', class: 'small' }, texts.revert);
    revert.addEventListener('click', () => onRevert(edits));
    const text = textOf(latest.inserted);
    const change = {
      confirmed: () => fill(texts.confirmedIn, { text: confirmedTextOf(edits), count: String(countConfirmed(edits)) }),
      unconfirmed: () => fill(texts.unconfirmedIn, { text }),
      timesChanged: () => fill(texts.timesChanged, { text }),
      textChanged: () => fill(texts.change, { from: textOf(latest.removed), to: text }),
    }[kind]();
    return el('li', {}, el('span', { class: 'hint' }, `${at}, ${latest.changed_by}`), change, revert);
  }

  const textOf = (segments: readonly RecordedSegment[]) =>
    segments.map(({ text }) => text).join(' | ') || texts.nothing;

  function confirmedTextOf(edits: readonly Edit[]): string {
    const all = [...new Set(edits.flatMap(({ inserted }) => inserted.map(({ text }) => text)))];
    return [...all.slice(0, MAX_SHOWN), ...(all.length > MAX_SHOWN ? ['…'] : [])].join(' | ');
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
