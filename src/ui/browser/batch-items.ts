import type { ApiClient } from './api.ts';
import { type Batch, type Item, itemRow } from './batch-views.ts';
import { byId } from './dom.ts';

const PAGE_SIZE = 100;

/** The table of the items of a batch, by pages: all items, or the failed ones. `maxItems`: of a batch. */
export function createBatchItems(api: ApiClient, maxItems: number) {
  let page = firstPage(maxItems);
  let isFiltered = false;
  /** The positions after which the pages of the failed items begin, as far as they were read. */
  const failedPages = [0];
  /** Of results, by task id: each is read once, because the service reads the whole result for it. */
  const summaries = new Map<string, string>();

  const call = async (batchId: string, query: string) =>
    (await api.call<{ items: readonly Item[] }>(`batches/${batchId}/items?${query}`)).items;

  async function readSummaries(batchId: string, items: readonly Item[]): Promise<void> {
    const missing = items.filter(({ status, task_id: task }) => status === 'done' && !summaries.has(task));
    const [first, last] = [missing[0]?.position, missing.at(-1)?.position];
    if (first === undefined || last === undefined) return;
    const query = `after=${first - 1}&limit=${last - first + 1}&summary=true`;
    for (const { status, task_id: task, summary = '' } of await call(batchId, query))
      if (status === 'done') summaries.set(task, summary);
  }

  const totalOf = ({ counts, total }: Batch) => (isFiltered ? counts.failed : total);

  return {
    turn(pages: number): void {
      page += pages;
    },
    /** Returns to the first page. */
    restart(onlyFailed = isFiltered): void {
      page = 0;
      isFiltered = onlyFailed;
    },
    keepAddress(batchId: string): void {
      const query = `id=${batchId}${page === 0 ? '' : `&page=${page + 1}`}`;
      history.replaceState(null, '', `${location.pathname}?${query}`);
    },
    /** Whether the batch has fewer pages than the address says. */
    isBehind: (batch: Batch): boolean => page > 0 && page * PAGE_SIZE >= totalOf(batch),
    /** Without failed items, shows all. */
    showFilter(hasFailed: boolean): void {
      isFiltered &&= hasFailed;
      byId<HTMLInputElement>('only-failed').checked = isFiltered;
    },
    /** Reads the current page. */
    async read(batchId: string): Promise<readonly Item[]> {
      if (!isFiltered) return call(batchId, `after=${page * PAGE_SIZE}&limit=${PAGE_SIZE}`);
      const items = await call(batchId, `status=failed&after=${failedPages[page]}&limit=${PAGE_SIZE}`);
      failedPages[page + 1] = items.at(-1)?.position ?? 0;
      return items;
    },
    async show(batch: Batch, items: readonly Item[]): Promise<void> {
      const total = totalOf(batch);
      // Without summaries, which the next refresh reads again, the table is still useful.
      await readSummaries(batch.batch_id, items).catch(() => undefined);
      const rows = byId('rows');
      const state = JSON.stringify([items, items.map((item) => summaries.get(item.task_id))]);
      byId('range').textContent = `${page * PAGE_SIZE + 1}–${page * PAGE_SIZE + items.length} / ${total}`;
      byId<HTMLButtonElement>('previous').disabled = page === 0;
      byId<HTMLButtonElement>('next').disabled = (page + 1) * PAGE_SIZE >= total;
      // Keeps the focus on a link of an unchanged table.
      if (rows.dataset['state'] === state) return;
      rows.dataset['state'] = state;
      rows.replaceChildren(...items.map((item) => itemRow(item, summaries.get(item.task_id))));
    },
  };
}

/** The address contains the page of the table from 1. */
function firstPage(maxItems: number): number {
  const shown = Number(new URLSearchParams(location.search).get('page'));
  return Number.isInteger(shown) && shown > 1 && shown <= maxItems ? shown - 1 : 0;
}
