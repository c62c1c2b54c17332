import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { askAnew, exchange } from '../../../ui/browser/fresh.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { ask, Refused, sentenceOf } from '../../../ui/browser/requests.ts';
import { isTyping, keyOf } from './keyboard.ts';
import type { QueueData } from './queue-data.ts';

const { own: texts } = pageData<QueueData>();
const DECISIONS: Readonly<Record<string, string>> = {
  ...{ i: 'in_review', a: 'accepted', r: 'rejected', d: 'duplicate', o: 'open' },
};

const items = () => [...document.querySelectorAll<HTMLElement>('.report-item')];
const current = () => (document.activeElement as HTMLElement | null)?.closest<HTMLElement>('.report-item') ?? undefined;

byId('queue').addEventListener('submit', (event) => {
  const item = (event.target as HTMLElement).closest<HTMLElement>('.report-item');
  const { submitter } = event;
  if (item === null || !(submitter instanceof HTMLButtonElement)) return;
  event.preventDefault();
  void decide(item, submitter.value);
});

addEventListener('keydown', (event) => {
  const field = event.target instanceof HTMLTextAreaElement ? event.target : undefined;
  const item = current();
  if (field !== undefined && item !== undefined) return inNote(event, item);
  if (isTyping(event)) return;
  const key = keyOf(event);
  const act = KEYS[key];
  const status = DECISIONS[key];
  if (act !== undefined) {
    if (act(item, event) !== false) event.preventDefault();
  } else if (status !== undefined && item !== undefined) {
    event.preventDefault();
    press(item, status);
  }
});

/** False: the key does here what it always does. */
const KEYS: Readonly<Record<string, (item: HTMLElement | undefined, event: KeyboardEvent) => boolean | undefined>> = {
  j: (item) => go(item, 1),
  k: (item) => go(item, -1),
  n: (item) => focusOn(item?.querySelector('textarea')),
  t: (item) => follow(item?.querySelector<HTMLAnchorElement>('.trail-link')),
  // A link or button that has the focus has its own meaning of Enter.
  Enter: (item, { target }) => target === item && follow(item?.querySelector<HTMLAnchorElement>('.record')),
  '?': () => {
    const keys = byId<HTMLDetailsElement>('keys');
    keys.open = !keys.open;
    if (keys.open) keys.querySelector('summary')?.focus();
    return true;
  },
};

/** Escape leaves the note; Ctrl+Enter opens again what asked for a note. */
function inNote(event: KeyboardEvent, item: HTMLElement): void {
  if (event.key === 'Escape') item.focus();
  else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    const wanted = item.dataset['wanted'];
    if (wanted !== undefined) press(item, wanted);
  }
}

function go(item: HTMLElement | undefined, step: 1 | -1): true {
  const all = items();
  const at = item === undefined ? -1 : all.indexOf(item);
  const to = item === undefined ? all[0] : all[Math.min(all.length - 1, Math.max(0, at + step))];
  to?.focus();
  to?.scrollIntoView({ block: 'nearest' });
  return true;
}

function focusOn(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element != null;
}

function follow(link: HTMLAnchorElement | null | undefined): boolean {
  if (link != null) location.assign(link.href);
  return link != null;
}

/** As a press of the button that decides so; nothing where the report cannot become that. */
function press(item: HTMLElement, status: string): void {
  if (item.querySelector(`button[value="${status}"]`) !== null) void decide(item, status);
}

async function decide(item: HTMLElement, status: string): Promise<void> {
  const form = item.querySelector('form')!;
  const note = form.querySelector('textarea')!;
  const decided = item.dataset['status'] !== 'open' && item.dataset['status'] !== 'in_review';
  if (status === 'open' && decided && note.value.trim() === '') {
    item.dataset['wanted'] = status;
    tell(item, texts.needsNote, true);
    note.focus();
    return;
  }
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  body.set('status', status);
  const held = item.contains(document.activeElement);
  try {
    const report = await ask<{ status: string }>(form.action, { method: 'POST', body });
    await renew(item, fill(texts.decided, { state: texts.states[report.status] ?? report.status }), false);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) {
      tell(item, sentenceOf(error, texts), true);
      return;
    }
    await renew(item, undefined, true);
  }
  // Whoever goes on by keyboard goes on from here.
  if (held) document.getElementById(item.id)?.focus();
}

/** Shows the report as it is now; it stays where it was until the page is opened anew, so that nothing jumps. */
async function renew(item: HTMLElement, sentence: string | undefined, bad: boolean): Promise<void> {
  const [alone, queue] = await Promise.all([askAnew(everyOneOf(item.dataset['record'] ?? '')), askAnew(location.href)]);
  const fresh = alone?.getElementById(item.id);
  for (const place of document.querySelectorAll('[data-fresh="tabs"]')) {
    exchange(place, queue?.querySelector('[data-fresh="tabs"]') ?? null);
  }
  if (fresh == null) {
    location.reload();
    return;
  }
  const status = fresh.dataset['status'] ?? '';
  exchange(item, fresh);
  item.dataset['status'] = status;
  delete item.dataset['wanted'];
  tell(item, sentence ?? fill(texts.conflict, { state: (texts.states[status] ?? status).toLowerCase() }), bad);
}

/** The reports on a record as the queue shows them, whatever has become of them. */
const everyOneOf = (record: string) =>
  `reports?${new URLSearchParams({ status: 'all', record_id: record, limit: '200' })}`;

function tell(item: HTMLElement, sentence: string, bad: boolean): void {
  const line = item.querySelector<HTMLElement>('.outcome-line');
  if (line === null) {
    announce(sentence);
    return;
  }
  line.textContent = sentence;
  line.classList.toggle('bad', bad);
}
