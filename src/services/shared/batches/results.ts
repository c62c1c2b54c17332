import type { TObject } from 'typebox';
import { csvTable } from '../../../base/csv-table.ts';
import { type Cell, xlsx } from '../../../base/xlsx/xlsx.ts';
import { type ZipEntry, zip } from '../../../base/xlsx/zip.ts';
import type { BatchItem } from '../../../tasks/batch-store.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { Task } from '../../../tasks/task.ts';

/** Items read at once: bounds the memory. */
const PAGE = 50;

export interface ResultFormat {
  readonly mediaType: string;
  /** `open` reads the results from the first one. */
  readonly bytes: (
    open: () => AsyncIterable<ItemResult>,
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

/**
 * For bodies with a `result` in `data`. A list of classes has a column of names and one of confidences; other lists of objects,
 * such as the words of a transcript, are only in JSON.
 */
export function resultTable({ properties }: TObject): ResultTable {
  const columns = Object.entries(properties as Record<string, Member>).flatMap(([name, member]) =>
    columnsOf(name, member),
  );
  return {
    columns: columns.map(({ name }) => name),
    cells(body) {
      const { result = {}, project, tags } = (JSON.parse(body) as Body).data;
      const cells = columns.map(({ name, member, cell }) => [name, cell(result[member])]);
      return { ...Object.fromEntries(cells), project, tags };
    },
  };
}

interface Member {
  readonly type?: string;
  readonly items?: { readonly properties?: Readonly<Record<string, unknown>> };
}

/** The members of a class and its confidence. */
const CLASSES = [
  ['name', 'conf'],
  ['defect', 'confidence'],
] as const;

function columnsOf(member: string, { items }: Member) {
  if (!items?.properties) return [{ name: member, member, cell: (value: unknown) => value }];
  const { properties } = items;
  const [label, confidence] = CLASSES.find((names) => names.every((name) => Object.hasOwn(properties, name))) ?? [];
  if (label === undefined) return [];
  type Classes = readonly Readonly<Record<string, unknown>>[] | undefined;
  return [
    { name: member, member, cell: (value: unknown) => (value as Classes)?.map((each) => each[label]) },
    {
      name: `${member.replace(/s$/, '')}_confidences`,
      member,
      cell: (value: unknown) => (value as Classes)?.map((each) => (each[confidence] as number).toFixed(3)),
    },
  ];
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
    bytes: (open, columns, cells) => csvTable(headerOf(columns), rowsOf(open(), columns, cells)),
  },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    bytes(open, columns, cells) {
      const header = headerOf(columns);
      return xlsx([{ name: 'Results', header, widths: header.map(() => 24), rows: rowsOf(open(), columns, cells) }]);
    },
  },
  zip: { mediaType: 'application/zip', bytes: (...args) => zip(filesOf(...args)) },
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

async function* jsonLines(open: () => AsyncIterable<ItemResult>): AsyncGenerator<Buffer, void, undefined> {
  for await (const { item, body } of open()) {
    const named = item.name === null ? '' : `"name":${JSON.stringify(item.name)},`;
    yield Buffer.from(`{"position":${item.position},${named}"result":${bodyOf(item, body)}}\n`);
  }
}

/** The table, and a JSON file per item with the path of its file in the request. */
async function* filesOf(
  open: () => AsyncIterable<ItemResult>,
  columns: Columns,
  cells: ResultTable['cells'],
): AsyncGenerator<ZipEntry, void, undefined> {
  yield { name: 'results.csv', content: textsOf(RESULT_FORMATS.csv.bytes(open, columns, cells)) };
  for await (const { item, body } of open()) {
    yield { name: `items/${item.name ?? item.position}.json`, content: [bodyOf(item, body)] };
  }
}

async function* textsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  for await (const chunk of chunks) yield chunk.toString('utf8');
}

const bodyOf = ({ task_id }: BatchItem, body: string | undefined): string =>
  body ?? JSON.stringify({ ok: true, data: { task_id, status: 'deleted' } });

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

/** A list of texts is joined; an object is a cell of JSON. */
function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.join('; ');
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
