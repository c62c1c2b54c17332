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

/** Like the body of a single request. */
const MAX_ITEM_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** The lines of a body in JSON lines; skips empty ones. Holds one line and one chunk in memory. */
export async function* readJsonLines(body: AsyncIterable<Buffer>): AsyncGenerator<ItemText, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 0;
  for await (const chunk of body) {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      const text = textOf(bytes.subarray(0, end), ++line);
      if (text !== '') yield { line, text };
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > MAX_ITEM_BYTES) throw tooLong(line + 1);
    rest = bytes;
  }
  const text = textOf(rest, ++line);
  if (text !== '') yield { line, text };
}

function textOf(bytes: Buffer, line: number): string {
  if (bytes.length > MAX_ITEM_BYTES) throw tooLong(line);
  if (!isUtf8(bytes)) throw validationError(`Line ${line}: the text is not UTF-8.`);
  const text = bytes.toString('utf8').trim();
  return line === 1 ? text.replace(/^\uFEFF/, '') : text;
}

const tooLong = (line: number) => validationError(`Line ${line}: longer than ${MAX_ITEM_BYTES} bytes.`);

/**
 * The rows of a CSV (RFC 4180) whose header names fields of `schema`; separated by commas, semicolons or tabs. A cell of a
 * field that is no text contains JSON; an empty cell is an absent field.
 */
export async function* readCsvItems(
  body: AsyncIterable<Buffer>,
  schema: TObject,
): AsyncGenerator<ItemText, void, undefined> {
  let header: readonly string[] | undefined;
  for await (const { line, cells } of readRows(body)) {
    header ??= columnsOf(cells, schema);
    if (line.isHeader) continue;
    const members = header.flatMap((name, at) => {
      const cell = cells[at] ?? '';
      return cell === '' ? [] : [memberText(schema, name, cell)];
    });
    yield { line: line.number, text: `{${members.join(',')}}` };
  }
}

function columnsOf(names: readonly string[], { properties }: TObject): readonly string[] {
  for (const [at, name] of names.entries()) {
    if (Object.hasOwn(properties, name) && names.indexOf(name) === at) continue;
    const fields = Object.keys(properties).join(', ');
    throw validationError(`Line 1: the header must consist of different names out of ${fields}.`);
  }
  return names;
}

/** A member of a JSON object. The text of a field that is no text is JSON. */
export const memberText = ({ properties }: TObject, name: string, text: string): string =>
  `${JSON.stringify(name)}:${isText(properties[name] as Field) ? JSON.stringify(text) : text}`;

interface Field {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Field[];
}

const isText = (field: Field): boolean =>
  field.type === 'string' || typeof field.const === 'string' || field.anyOf?.every(isText) === true;

async function* readRows(body: AsyncIterable<Buffer>) {
  const chunks = body[Symbol.asyncIterator]();
  const { value: first = Buffer.alloc(0) } = await chunks.next();
  const source = Readable.from(
    (async function* () {
      yield first as Buffer;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    })(),
  );
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(first as Buffer),
    info: true,
    max_record_size: MAX_ITEM_BYTES,
    relax_column_count_less: true,
    skip_empty_lines: true,
  });
  source.once('error', (error) => parser.destroy(error));
  let isHeader = true;
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<Row>) {
      yield { line: { number: info.lines, isHeader }, cells: record };
      isHeader = false;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error['lines'] === 'number' ? `Line ${error['lines']}: ` : '';
    throw validationError(`${line}${MESSAGES[error.code] ?? 'the CSV is not well-formed'}.`);
  } finally {
    source.destroy();
  }
}

interface Row {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

const MESSAGES: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: `the row is longer than ${MAX_ITEM_BYTES} bytes`,
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'the row has more cells than the header',
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
};

const DELIMITERS = [',', ';', '\t'];

/** By the first line; field names contain no delimiter. */
function delimiterOf(bytes: Buffer): string {
  const [line = ''] = bytes.toString('utf8').split(/[\r\n]/, 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}
