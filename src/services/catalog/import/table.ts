import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { type Detail, InvalidInput, missing } from '../../../http/details.ts';
import { JSON_BOUNDS, jsonScales } from '../../../http/json-weight.ts';
import { FIELDS } from './fields.ts';

/** A cell is text; null where it is empty. */
export type Cell = string | null;

/** Columns of this beginning are attributes, by the rest of their name. */
const ATTRIBUTE = 'attributes.';
const LONGEST_NAME = 200;
export const MOST_COLUMNS = 500;

/**
 * The rows of a table, each as its record would come in JSON; rows without a value are none. Throws
 * {@link InvalidInput} where the header, the first row, is not one of ours, and a refusal where the JSON in its cells is
 * too much.
 */
export function recordsOf(table: readonly (readonly Cell[])[]): JsonObject[] {
  const [header = [], ...rows] = table;
  const names = header.map((name) => (name ?? '').trim());
  while (names.at(-1) === '') names.pop();
  checkHeader(names);
  // All cells together come to no more than a body of JSON may.
  const weigh = jsonScales(JSON_BOUNDS);
  const parse = (cell: string) => {
    weigh(Buffer.from(cell));
    return parsed(cell);
  };
  return rows
    .filter((row) => row.some((cell) => cell !== null && cell !== ''))
    .map((row) => recordOf(names, row, parse));
}

/** What is wrong with a table as a whole. */
export const notATable = (msg: string): InvalidInput => new InvalidInput([{ loc: ['body'], msg, type: 'value_error' }]);

function checkHeader(names: readonly string[]): void {
  if (names.length > MOST_COLUMNS) throw notATable(`A table has at most ${MOST_COLUMNS} columns`);
  const details: Detail[] = [];
  const complain = (name: string, msg: string, type: string) =>
    details.push({ loc: ['body', 'header', name.slice(0, LONGEST_NAME)], msg, type });
  if (!names.includes('record_id')) details.push(missing(['body', 'header', 'record_id']));
  for (const [at, name] of names.entries()) {
    const known = (FIELDS as readonly string[]).includes(name) || isAttribute(name);
    if (!known)
      complain(
        name,
        `There is no field of this name; columns are ${FIELDS.join(', ')}, or attributes.NAME`,
        'extra_forbidden',
      );
    else if (names.indexOf(name) < at) complain(name, 'The column stands in the header twice', 'value_error');
  }
  if (details.length > 0) throw new InvalidInput(details);
}

const isAttribute = (name: string) =>
  name.startsWith(ATTRIBUTE) && name.length > ATTRIBUTE.length && name.length <= LONGEST_NAME;

function recordOf(names: readonly string[], row: readonly Cell[], parse: (cell: string) => JsonValue): JsonObject {
  const fields: [string, JsonValue][] = [];
  const attributes: [string, JsonValue][] = [];
  let whole: JsonValue | undefined;
  for (const [at, name] of names.entries()) {
    const cell = row[at] ?? '';
    if (cell === '') continue;
    if (isAttribute(name)) attributes.push([name.slice(ATTRIBUTE.length), cell]);
    else if (name === 'attributes') whole = parse(cell);
    else fields.push([name, cell]);
  }
  const isObject = typeof whole === 'object' && whole !== null && !Array.isArray(whole);
  // What is no object stays what it is, to be complained of like any other.
  if (whole !== undefined && !isObject) fields.push(['attributes', whole]);
  else if (attributes.length > 0 || isObject) {
    fields.push(['attributes', Object.fromEntries([...Object.entries((whole as JsonObject) ?? {}), ...attributes])]);
  }
  return Object.fromEntries(fields);
}

function parsed(cell: string): JsonValue {
  try {
    return JSON.parse(cell) as JsonValue;
  } catch {
    return cell;
  }
}
