import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { showLocalTimes } from '../../../ui/browser/local-times.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { fetchPage, replaceContent } from '../../../ui/browser/refresh.ts';
import { errorMessage, RequestError, request } from '../../../ui/browser/requests.ts';
import { confirmLeaving } from '../../../ui/browser/unsent-input.ts';
import { isTyping, keyOf } from './keyboard.ts';
import type { QueuePageData } from './queue-data.ts';

const { data: texts } = pageData<QueuePageData>();
const states: Readonly<Record<string, string>> = texts.reportStates;
const DECISIONS: Readonly<Record<string, string>> = {
  ...{ i: 'in_review', a: 'accepted', r: 'rejected', d: 'duplicate', o: 'open' },
};

const items = () => [...document.querySelectorAll<HTMLElement>('.report-item')];
const current = () => (document.activeElement as HTMLElement | null)?.closest<HTMLElement>('.report-item') ?? undefined;

showLocalTimes(document);
confirmLeaving(() => document.querySelectorAll<HTMLFormElement>('.decision-form'));
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
  if (field !== undefined && item !== undefined) return handleNoteKey(event, item);
  if (isTyping(event)) return;
  const key = keyOf(event);
  const action = KEYS[key];
  const status = DECISIONS[key];
  if (action !== undefined) {
    if (action(item, event) !== false) event.preventDefault();
  } else if (status !== undefined && item !== undefined) {
    event.preventDefault();
    press(item, status);
  }
});

/** Shortcut actions; false keeps the browser's default. */
const KEYS: Readonly<Record<string, (item: HTMLElement | undefined, event: KeyboardEvent) => boolean | undefined>> = {
  j: (item) => go(item, 1),
  k: (item) => go(item, -1),
  n: (item) => focusOn(item?.querySelector('textarea')),
  t: (item) => follow(item?.querySelector<HTMLAnchorElement>('.audit-trail-link')),
  // Enter on a focused link or button activates that.
  Enter: (item, { target }) => target === item && follow(item?.querySelector<HTMLAnchorElement>('.record')),
  '?': () => {
    const keys = byId<HTMLDetailsElement>('keyboard-shortcuts');
    keys.open = !keys.open;
    if (keys.open) keys.querySelector('summary')?.focus();
    return true;
  },
};

function handleNoteKey(event: KeyboardEvent, item: HTMLElement): void {
  if (event.key === 'Escape') item.focus();
  else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    const pending = item.dataset['wanted'];
    if (pending !== undefined) press(item, pending);
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

function press(item: HTMLElement, status: string): void {
  if (item.querySelector(`button[value="${status}"]`) !== null) void decide(item, status);
}

async function decide(item: HTMLElement, status: string): Promise<void> {
  const form = item.querySelector('form')!;
  const note = form.querySelector('textarea')!;
  const decided = item.dataset['status'] !== 'open' && item.dataset['status'] !== 'in_review';
  if (status === 'open' && decided && note.value.trim() === '') {
    item.dataset['wanted'] = status;
    showOutcome(item, texts.needsNote, true);
    note.focus();
    return;
  }
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  body.set('status', status);
  const hadFocus = item.contains(document.activeElement);
  const sent = note.value;
  try {
    const report = await request<{ status: string }>(form.action, { method: 'POST', body });
    if (note.value === sent) note.value = '';
    await refresh(item, report.status);
    showOutcome(item, fill(texts.decided, { state: states[report.status] ?? report.status }), false);
  } catch (error) {
    const isConflict = error instanceof RequestError && error.status === 409;
    const current = isConflict ? await refresh(item) : undefined;
    const conflict = (state: string) => fill(texts.conflict, { state: (states[state] ?? state).toLowerCase() });
    showOutcome(item, current === undefined ? errorMessage(error, texts) : conflict(current), true);
    if (!isConflict) return;
  }
  if (hadFocus) item.focus();
}

/**
 * Shows the current report with the note that is being typed, at the same position until a reload, so the list does not
 * jump. Returns its status. If the report cannot be read, only `status` is known. Never reloads: other notes would be lost.
 */
async function refresh(item: HTMLElement, status?: string): Promise<string | undefined> {
  const reportUrl = `reports/${item.id}?${new URLSearchParams({ view: 'queue' })}`;
  const [reportPage, queuePage] = await Promise.all([fetchPage(reportUrl), fetchPage(location.href)]);
  const latest = reportPage?.getElementById(item.id) ?? null;
  const tabs = (page: Document | undefined) => page?.querySelector('[data-fresh="tabs"]') ?? null;
  replaceContent(tabs(document), tabs(queuePage));
  if (latest !== null) {
    showLocalTimes(latest);
    const note = item.querySelector('textarea')!.value;
    replaceContent(item, latest);
    item.querySelector('textarea')!.value = note;
  }
  const current = latest?.dataset['status'] ?? status;
  if (current !== undefined) item.dataset['status'] = current;
  delete item.dataset['wanted'];
  return current;
}

function showOutcome(item: HTMLElement, message: string, isError: boolean): void {
  const line = item.querySelector<HTMLElement>('.outcome-line');
  if (line === null) {
    announce(message);
    return;
  }
  line.textContent = message;
  line.classList.toggle('bad', isError);
}
