import type { TObject } from 'typebox';
import { csvTable } from '../../../base/csv-table.ts';
import { type Cell, xlsx } from '../../../base/xlsx/xlsx.ts';
import type { BatchItem, TaskStore } from '../../../tasks/store.ts';
import type { Task } from '../../../tasks/task.ts';

/** Items read at once: bounds the memory. */
const PAGE = 50;

export interface ResultFormat {
  readonly mediaType: string;
  readonly bytes: (
    results: AsyncIterable<ItemResult>,
    columns: Columns,
    cells: ResultTable['cells'],
  ) => AsyncIterable<Buffer>;
}

/** The columns of a table. */
export interface Columns {
  readonly ofItem: readonly Exclude<keyof BatchItem, 'grouping'>[];
  readonly ofResult: readonly string[];
}

/** The columns and cells of a result. The cells include `project` and `tags`. */
export interface ResultTable {
  readonly columns: readonly string[];
  readonly cells: (body: string) => Readonly<Record<string, unknown>>;
}

/** For bodies with a `result` in `data`. */
export const resultTable = ({ properties }: TObject): ResultTable => ({
  columns: Object.keys(properties),
  cells(body) {
    const { result, project, tags } = (JSON.parse(body) as Body).data;
    return { ...result, project, tags };
  },
});

/** An item with the body of its `GET /result/{task_id}`; without one if its task was deleted. */
export interface ItemResult {
  readonly item: BatchItem;
  readonly body: string | undefined;
}

export const RESULT_FORMATS = {
  jsonl: { mediaType: 'application/jsonl; charset=utf-8', bytes: jsonLines },
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    bytes: (results, columns, cells) => csvTable(headerOf(columns), rowsOf(results, columns, cells)),
  },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    bytes(results, columns, cells) {
      const header = headerOf(columns);
      return xlsx([{ name: 'Results', header, widths: header.map(() => 24), rows: rowsOf(results, columns, cells) }]);
    },
  },
} as const satisfies Record<string, ResultFormat>;

/** The results of a batch in the order of its items. */
export async function* readResults(
  tasks: TaskStore,
  {
    service,
    batchId,
    present,
  }: { service: string; batchId: string; present: (task: Task) => string | Promise<string> },
): AsyncGenerator<ItemResult, void, undefined> {
  for (let after = 0; ; ) {
    const items = await tasks.batches.items(batchId, after, PAGE);
    const last = items.at(-1);
    if (last === undefined) return;
    after = last.position;
    const found = await Promise.all(items.map(({ task_id: id }) => tasks.read(service, id)));
    for (const [at, item] of items.entries()) {
      const task = found[at];
      yield { item, body: task && (await present(task)) };
    }
  }
}

async function* jsonLines(results: AsyncIterable<ItemResult>): AsyncGenerator<Buffer, void, undefined> {
  for await (const { item, body } of results) {
    const { position, task_id, name } = item;
    const named = name === null ? '' : `"name":${JSON.stringify(name)},`;
    const result = body ?? JSON.stringify({ ok: true, data: { task_id, status: 'deleted' } });
    yield Buffer.from(`{"position":${position},${named}"result":${result}}\n`);
  }
}

/** For a batch with a project or tags. */
export const GROUPING_COLUMNS = ['project', 'tags'];

/** `name` for the items of an archive. */
export const itemColumns = (isNamed: boolean): Columns['ofItem'] =>
  isNamed ? [...ITEM_COLUMNS, 'name'] : ITEM_COLUMNS;

const ITEM_COLUMNS = ['position', 'task_id', 'status', 'error_code', 'error'] as const;

const headerOf = ({ ofItem, ofResult }: Columns) => [...ofItem, ...ofResult];

async function* rowsOf(
  results: AsyncIterable<ItemResult>,
  { ofItem, ofResult }: Columns,
  cellsOf: ResultTable['cells'],
): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const { item, body } of results) {
    const cells = body === undefined ? {} : cellsOf(body);
    const stated = { ...item, status: item.status ?? 'deleted' };
    yield [...ofItem.map((name) => stated[name]), ...ofResult.map((name) => cellOf(cells[name]))];
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
