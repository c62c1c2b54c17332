import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { TObject } from 'typebox';
import { validationError } from '../../../base/api-error.ts';

/** The JSON text of an item and its line in the request. */
export interface ItemText {
  readonly line: number;
  readonly text: string;
}

/** An item whose text cannot be read. */
export interface UnreadableItem {
  readonly line: number;
  readonly problem: string;
}

/** Like the body of a single request. */
const MAX_ITEM_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** The lines of a body in JSON lines; skips empty ones. Holds one line of at most `MAX_ITEM_BYTES` and one chunk in memory. */
export async function* readJsonLines(
  body: AsyncIterable<Buffer>,
): AsyncGenerator<ItemText | UnreadableItem, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 0;
  let isTooLong = false;
  const read = (bytes: Buffer) => {
    line++;
    const item = isTooLong ? tooLong(line) : itemOf(bytes, line);
    isTooLong = false;
    return item;
  };
  for await (const chunk of body) {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      const item = read(bytes.subarray(0, end));
      if (item) yield item;
      bytes = bytes.subarray(end + 1);
    }
    isTooLong ||= bytes.length > MAX_ITEM_BYTES;
    rest = isTooLong ? Buffer.alloc(0) : bytes;
  }
  const last = read(rest);
  if (last) yield last;
}

/** Undefined for an empty line. */
function itemOf(bytes: Buffer, line: number): ItemText | UnreadableItem | undefined {
  if (bytes.length > MAX_ITEM_BYTES) return tooLong(line);
  if (!isUtf8(bytes)) return { line, problem: 'The text is not UTF-8.' };
  const trimmed = bytes.toString('utf8').trim();
  const text = line === 1 ? trimmed.replace(/^\uFEFF/, '') : trimmed;
  return text === '' ? undefined : { line, text };
}

const tooLong = (line: number): UnreadableItem => ({ line, problem: `Longer than ${MAX_ITEM_BYTES} bytes.` });

/**
 * The rows of a CSV (RFC 4180) whose header names fields of `schema`; separated by commas, semicolons or tabs. A cell of a
 * field that is no text contains JSON, or a list of texts separated by semicolons, as in results; an empty cell is an
 * absent field.
 */
export async function* readCsvItems(
  body: AsyncIterable<Buffer>,
  schema: TObject,
): AsyncGenerator<ItemText | UnreadableItem, void, undefined> {
  let header: readonly string[] | undefined;
  for await (const { line, bytes } of readRows(body)) {
    const cells = bytes.map((cell) => cell.toString('utf8'));
    header ??= columnsOf(cells, schema);
    if (line.isHeader) continue;
    if (!bytes.every(isUtf8)) {
      yield { line: line.number, problem: 'The text is not UTF-8.' };
      continue;
    }
    const given = header.flatMap((name, at) => (cells[at] ? [{ name, text: textOf(schema, name, cells[at]) }] : []));
    const invalid = given.find(({ name, text }) => !isText(fieldOf(schema, name)) && !isJson(text));
    if (invalid) yield { line: line.number, problem: `The cell in the column ${invalid.name} is not valid JSON.` };
    else {
      const members = given.map(({ name, text }) => memberText(schema, name, text));
      yield { line: line.number, text: `{${members.join(',')}}` };
    }
  }
}

function columnsOf(names: readonly string[], { properties }: TObject): readonly string[] {
  for (const [at, name] of names.entries()) {
    if (Object.hasOwn(properties, name) && names.indexOf(name) === at) continue;
    const fields = Object.keys(properties).join(', ');
    const reason = Object.hasOwn(properties, name) ? 'occurs twice' : 'is not a field';
    throw validationError(
      `Line 1: column ${at + 1} (${JSON.stringify(name.slice(0, 100))}) ${reason}; the header must consist of different names out of ${fields}, separated by commas, semicolons or tabs.`,
    );
  }
  return names;
}

/** The start of a JSON list of texts; `[2026]; north` is a list of results. */
export const JSON_LIST = /^\s*\[\s*["\]]/;

/** The JSON of a list of texts that is written as `a; b`; other cells unchanged. */
function textOf(schema: TObject, name: string, cell: string): string {
  const { type, items } = fieldOf(schema, name);
  if (type !== 'array' || !items || !isText(items) || JSON_LIST.test(cell)) return cell;
  const texts = cell.split(';').map((text) => text.trim());
  return JSON.stringify(texts.filter((text) => text !== ''));
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A member of a JSON object. The text of a field that is no text is JSON. */
export const memberText = (schema: TObject, name: string, text: string): string =>
  `${JSON.stringify(name)}:${isText(fieldOf(schema, name)) ? JSON.stringify(text) : text}`;

const fieldOf = ({ properties }: TObject, name: string) => properties[name] as Field;

interface Field {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Field[];
  readonly items?: Field;
}

const isText = (field: Field): boolean =>
  field.type === 'string' || typeof field.const === 'string' || field.anyOf?.every(isText) === true;

async function* readRows(body: AsyncIterable<Buffer>) {
  const chunks = body[Symbol.asyncIterator]();
  const start = await readFirstLine(chunks);
  const delimiter = delimiterOf(start);
  const source = Readable.from(
    (async function* () {
      yield start.subarray(start.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0);
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    })(),
  );
  const parser = parse({
    delimiter,
    // Cells are bytes: the parser would replace those that are not UTF-8. It cannot remove a byte order mark then.
    encoding: null,
    info: true,
    max_record_size: MAX_ITEM_BYTES,
    relax_column_count_less: true,
    skip_empty_lines: true,
  });
  source.once('error', (error) => parser.destroy(error));
  let isHeader = true;
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<Row>) {
      yield { line: { number: info.lines, isHeader }, bytes: record };
      isHeader = false;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error['lines'] === 'number' ? `Line ${error['lines']}: ` : '';
    throw validationError(`${line}${messagesOf(delimiter)[error.code] ?? 'the CSV is not well-formed'}.`);
  } finally {
    source.destroy();
  }
}

interface Row {
  readonly record: Buffer[];
  readonly info: { readonly lines: number };
}

const messagesOf = (delimiter: string): Readonly<Record<string, string>> => ({
  CSV_MAX_RECORD_SIZE: `the row is longer than ${MAX_ITEM_BYTES} bytes`,
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: `the row has more cells than the header: cells are separated by ${DELIMITERS[delimiter]}, and a cell that contains one must be in quotes`,
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
});

/** At least the first line, unless it is longer than a row may be. */
async function readFirstLine(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for (let size = 0; size <= MAX_ITEM_BYTES; ) {
    const { done, value } = await chunks.next();
    if (done) break;
    read.push(value);
    size += value.length;
    if (value.includes(NEWLINE)) break;
  }
  return Buffer.concat(read);
}

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };

/** By the first line; field names contain no delimiter. */
function delimiterOf(bytes: Buffer): string {
  const [line = ''] = bytes.toString('utf8').split(/[\r\n]/, 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return Object.keys(DELIMITERS).reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}
