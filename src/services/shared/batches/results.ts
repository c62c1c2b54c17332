import { csvTable } from '../../../base/csv-table.ts';
import { type Cell, xlsx } from '../../../base/xlsx/xlsx.ts';
import type { BatchItem, TaskStore } from '../../../tasks/store.ts';
import type { Task } from '../../../tasks/task.ts';

/** Items read at once: bounds the memory. */
const PAGE = 50;

export interface ResultFormat {
  readonly mediaType: string;
  /** `columns`: members of the result; `further`: those beside it. */
  readonly bytes: (
    results: AsyncIterable<ItemResult>,
    columns: readonly string[],
    further: readonly string[],
  ) => AsyncIterable<Buffer>;
}

/** An item with the body of its `GET /result/{task_id}`; without one if its task was deleted. */
export interface ItemResult {
  readonly item: BatchItem;
  readonly body: string | undefined;
}

export const RESULT_FORMATS = {
  jsonl: { mediaType: 'application/jsonl; charset=utf-8', bytes: jsonLines },
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    bytes: (results, columns, further) =>
      csvTable([...ITEM_COLUMNS, ...columns, ...further], rowsOf(results, columns, further)),
  },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    bytes(results, columns, further) {
      const header = [...ITEM_COLUMNS, ...columns, ...further];
      return xlsx([{ name: 'Results', header, widths: header.map(() => 24), rows: rowsOf(results, columns, further) }]);
    },
  },
} as const satisfies Record<string, ResultFormat>;

/** The results of a batch in the order of its items. */
export async function* readResults(
  tasks: TaskStore,
  { service, batchId, present }: { service: string; batchId: string; present: (task: Task) => string },
): AsyncGenerator<ItemResult, void, undefined> {
  for (let after = 0; ; ) {
    const items = await tasks.batches.items(batchId, after, PAGE);
    const last = items.at(-1);
    if (last === undefined) return;
    after = last.position;
    const found = await Promise.all(items.map(({ task_id: id }) => tasks.read(service, id)));
    for (const [at, item] of items.entries()) {
      const task = found[at];
      yield { item, body: task && present(task) };
    }
  }
}

async function* jsonLines(results: AsyncIterable<ItemResult>): AsyncGenerator<Buffer, void, undefined> {
  for await (const { item, body } of results) {
    const { position, task_id } = item;
    const result = body ?? JSON.stringify({ ok: true, data: { task_id, status: 'deleted' } });
    yield Buffer.from(`{"position":${position},"result":${result}}\n`);
  }
}

export const GROUPING_COLUMNS = ['project', 'tags'];
const ITEM_COLUMNS = ['position', 'task_id', 'status', 'error_code', 'error'];

async function* rowsOf(
  results: AsyncIterable<ItemResult>,
  columns: readonly string[],
  further: readonly string[],
): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const { item, body } of results) {
    const data: Body['data'] = body === undefined ? {} : (JSON.parse(body) as Body).data;
    const { position, task_id, status, error_code, error } = item;
    const values = [...columns.map((name) => data.result?.[name]), ...further.map((name) => data[name])];
    yield [position, task_id, status ?? 'deleted', error_code, error, ...values.map(cellOf)];
  }
}

interface Body {
  readonly data: Readonly<Record<string, unknown>> & { readonly result?: Readonly<Record<string, unknown>> };
}

/** A list or an object is a cell of JSON. */
function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
