import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { showLocalTimes } from '../../../ui/browser/local-times.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { fetchPage, replaceContent } from '../../../ui/browser/refresh.ts';
import { RequestError, request } from '../../../ui/browser/requests.ts';
import type { ListPage } from './list-texts.ts';

/** The stream has no progress, so the list is polled while a document is in progress. */
const PROGRESS_MS = 1500;
/** After an error response of the stream (too many tabs), after which the browser does not reconnect. */
const NO_STREAM_MS = 5000;

const find = <T extends HTMLElement>(row: Element, selector: string) => row.querySelector<T>(selector)!;

/** Reloads the document list after each event of the stream. */
export function createDocumentList({ texts }: ListPage, attempt: (act: () => Promise<unknown>) => void) {
  const list = byId('documents');
  const rowsOf = (place: Element) => [...place.children] as HTMLElement[];
  let isLoading = false;
  let isStale = false;

  async function refresh(): Promise<void> {
    isStale = true;
    if (isLoading) return;
    isLoading = true;
    try {
      while (isStale) {
        isStale = false;
        const page = await fetchPage(location.href);
        if (page === undefined) throw new RequestError(0, '');
        // After a sign-out in another tab, the page shows no documents.
        if (!pageData<ListPage>(page).data.hasSession) location.reload();
        else show(page);
      }
    } finally {
      isLoading = false;
    }
  }

  /** Refreshes without clearing the error of a user's action. */
  const refreshQuietly = () => void refresh().catch((error: unknown) => attempt(() => Promise.reject(error)));

  /** Reuses existing rows: the user may be typing in one. */
  function show(page: Document): void {
    const freshList = page.getElementById('documents')!;
    showLocalTimes(freshList);
    const existingRows = new Map(rowsOf(list).map((row) => [row.dataset['id'], row]));
    const newRows = rowsOf(freshList).map((fresh) => {
      const existing = existingRows.get(fresh.dataset['id']);
      if (existing !== undefined) return update(existing, fresh);
      return bind(document.importNode(fresh, true));
    });
    for (const row of rowsOf(list)) if (!newRows.includes(row)) row.remove();
    for (const [i, row] of newRows.entries())
      if (list.children[i] !== row) list.insertBefore(row, list.children[i] ?? null);
    byId('no-documents').hidden = newRows.length > 0;
    const [paging, freshPaging] = [byId('paging'), page.getElementById('paging')!];
    paging.hidden = freshPaging.hidden;
    if (!paging.isEqualNode(freshPaging)) replaceContent(paging, freshPaging);
    // The server redirects from a page without documents to the last one.
    if (new URL(page.URL).search !== location.search) history.replaceState(null, '', page.URL);
  }

  /** Keeps the rename form, except for a changed name. */
  function update(row: HTMLElement, fresh: HTMLElement): HTMLElement {
    const name = find(fresh, '.name').textContent ?? '';
    if (row.dataset['status'] !== fresh.dataset['status']) announce(`${name}: ${find(fresh, '.state').textContent}`);
    row.dataset['status'] = fresh.dataset['status'];
    if (find(row, '.name').textContent !== name) find<HTMLInputElement>(row, 'input[name=name]').value = name;
    for (const part of ['.summary', '.progress-status']) {
      if (!find(row, part).isEqualNode(find(fresh, part))) replaceContent(find(row, part), find(fresh, part));
    }
    const freshTools = rowsOf(find(fresh, '.tools'));
    for (const [i, tool] of rowsOf(find(row, '.tools')).entries()) tool.hidden = freshTools[i]!.hidden;
    return row;
  }

  function bind(row: HTMLElement): HTMLElement {
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
    return row;
  }

  function openStream(): void {
    const stream = new EventSource('api/tasks/stream');
    const streamState = byId('connection-status');
    for (const kind of ['snapshot', 'task', 'deleted']) stream.addEventListener(kind, refreshQuietly);
    stream.addEventListener('open', () => {
      streamState.textContent = texts.live;
    });
    stream.addEventListener('error', () => {
      streamState.textContent = texts.connectionLost;
      if (stream.readyState === EventSource.CLOSED) setInterval(refreshQuietly, NO_STREAM_MS);
    });
  }

  showLocalTimes(list);
  for (const row of rowsOf(list)) bind(row);
  openStream();
  setInterval(() => {
    if (list.querySelector('[data-status=PROCESSING]') !== null) refreshQuietly();
  }, PROGRESS_MS);
  return refresh;
}
