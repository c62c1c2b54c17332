import { createDateFormat } from '../../../ui/browser/date-format.ts';
import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { RequestError, request } from '../../../ui/browser/requests.ts';
import type { ListPage } from './list-texts.ts';

interface Item {
  readonly id: string;
  readonly filename: string;
  readonly status: keyof ListPage['texts']['statuses'];
  readonly cached: boolean;
  readonly created_at: string;
  readonly error_type: string | null;
}

const PROGRESS_MS = 1500;

/** Reloads the document list after each event of the stream. */
export function createDocumentList(
  { texts, page, limit, status, signedIn, errors }: ListPage,
  attempt: (act: () => Promise<unknown>) => void,
) {
  const list = byId('documents');
  const dateFormat = createDateFormat(document.documentElement.lang);
  const rows = () => [...list.children] as HTMLElement[];
  const find = <T extends HTMLElement>(row: HTMLElement, what: string) => row.querySelector<T>(what)!;
  let isLoading = false;
  let isStale = false;

  async function refresh(): Promise<void> {
    isStale = true;
    if (isLoading) return;
    isLoading = true;
    try {
      while (isStale) {
        isStale = false;
        const query = new URLSearchParams({ page: String(page), limit: String(limit), ...(status && { status }) });
        const { items } = await request<{ items: Item[] }>(`api/tasks?${query}`);
        show(items);
      }
    } finally {
      isLoading = false;
    }
  }

  /** Refreshes without clearing the error of a user's action. */
  const refreshQuietly = () => void refresh().catch((error: unknown) => attempt(() => Promise.reject(error)));

  /** Reuses existing rows: the user may be typing in one. */
  function show(items: readonly Item[]): void {
    const existingRows = new Map(rows().map((row) => [row.dataset['id']!, row]));
    const newRows = items.map((item) => {
      const row = existingRows.get(item.id) ?? createRow(item.id);
      update(row, item);
      return row;
    });
    for (const row of rows()) if (!newRows.includes(row)) row.remove();
    for (const [i, row] of newRows.entries())
      if (list.children[i] !== row) list.insertBefore(row, list.children[i] ?? null);
    byId('none').hidden = items.length > 0;
  }

  function createRow(id: string): HTMLElement {
    const row = (byId<HTMLTemplateElement>('document').content.cloneNode(true) as DocumentFragment).querySelector(
      'li',
    )!;
    row.dataset['id'] = id;
    row.dataset['status'] = '';
    if (signedIn) find<HTMLAnchorElement>(row, '.name').href = `task/${id}`;
    for (const link of row.querySelectorAll<HTMLAnchorElement>('.export'))
      link.href = `export/${id}/${link.dataset['path']}`;
    find<HTMLFormElement>(row, 'form').action = `task/${id}/rename`;
    bind(row);
    return row;
  }

  function update(row: HTMLElement, { filename, status: now, cached, created_at, error_type: why }: Item): void {
    find(row, '.why').textContent = why === null ? '' : ` · ${errors[why] ?? why}`;
    const before = row.dataset['status'];
    if (before && before !== now) announce(`${filename}: ${texts.statuses[now]}`);
    row.dataset['status'] = now;
    const name = find(row, '.name');
    if (name.textContent !== filename) {
      name.textContent = filename;
      find<HTMLInputElement>(row, 'input[name=name]').value = filename;
    }
    const time = find<HTMLTimeElement>(row, 'time');
    time.dateTime = created_at;
    time.textContent = dateFormat.format(new Date(created_at));
    find(row, '.cached').hidden = !cached;
    const state = find(row, '.state');
    state.className = `state ${now.toLowerCase()}`;
    state.textContent = texts.statuses[now];
    find(row, 'progress').hidden = now !== 'PROCESSING';
    for (const link of row.querySelectorAll<HTMLElement>('.export')) link.hidden = now !== 'SUCCESS';
    find(row, '.retry').hidden = now !== 'FAILED' && now !== 'ERROR';
  }

  function bind(row: HTMLElement): void {
    const id = row.dataset['id']!;
    find(row, '.retry').addEventListener('click', () =>
      attempt(async () => {
        await request(`api/task/${id}/retry`, { method: 'POST' });
        await refresh();
      }),
    );
    find(row, '.remove').addEventListener('click', () => {
      if (!confirm(fill(texts.removeSure, { name: find(row, '.name').textContent ?? '' }))) return;
      attempt(async () => {
        await request(`task/${id}`, { method: 'DELETE' });
        const next = row.nextElementSibling ?? row.previousElementSibling;
        row.remove();
        next?.querySelector<HTMLElement>('.remove')?.focus();
        await refresh();
      });
    });
  }

  function openStream(): void {
    const stream = new EventSource('api/tasks/stream');
    const streamState = byId('touch');
    for (const kind of ['snapshot', 'task', 'deleted']) stream.addEventListener(kind, refreshQuietly);
    stream.addEventListener('open', () => {
      streamState.textContent = texts.live;
    });
    stream.addEventListener('error', () => {
      streamState.textContent = texts.connectionLost;
      // After an error response (too many tabs) the browser does not reconnect, so the list is polled.
      if (stream.readyState !== EventSource.CLOSED) return;
      setInterval(refreshQuietly, 5000);
    });
  }

  /** The stream has no progress, so it is polled. */
  async function pollProgress(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, PROGRESS_MS));
      for (const row of rows().filter((one) => one.dataset['status'] === 'PROCESSING')) {
        const answer = await request<{ progress?: number }>(`api/task/${row.dataset['id']}/status`).catch(
          (error: unknown) => {
            if (!(error instanceof RequestError)) throw error;
            return undefined;
          },
        );
        if (answer?.progress !== undefined) find<HTMLProgressElement>(row, 'progress').value = answer.progress;
      }
    }
  }

  for (const row of rows()) bind(row);
  openStream();
  void pollProgress();
  return refresh;
}
