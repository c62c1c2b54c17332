import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { createJsonLimiter, JSON_LIMITS } from '../../../http/json-limits.ts';
import { type Detail, InvalidInput, missingField } from '../../../http/validation-details.ts';
import { FIELDS } from './fields.ts';

/** Null: empty. */
export type Cell = string | null;

const ATTRIBUTE_PREFIX = 'attributes.';
const MAX_NAME_LENGTH = 200;
export const MAX_COLUMNS = 500;

/**
 * Skips empty rows. Throws {@link InvalidInput} for an invalid header, and 413 when the JSON in the cells exceeds the
 * limits of a JSON body.
 */
export function tableRecords(table: readonly (readonly Cell[])[]): JsonObject[] {
  const [header = [], ...rows] = table;
  const names = header.map((name) => (name ?? '').trim());
  while (names.at(-1) === '') names.pop();
  checkHeader(names);
  const weigh = createJsonLimiter(JSON_LIMITS);
  const parse = (cell: string) => {
    weigh(Buffer.from(cell));
    return parseJson(cell);
  };
  return rows
    .filter((row) => row.some((cell) => cell !== null && cell !== ''))
    .map((row) => recordOf(names, row, parse));
}

export const tableError = (msg: string): InvalidInput =>
  new InvalidInput([{ loc: ['body'], msg, type: 'value_error' }]);

function checkHeader(names: readonly string[]): void {
  if (names.length > MAX_COLUMNS) throw tableError(`A table has at most ${MAX_COLUMNS} columns`);
  const details: Detail[] = [];
  const complain = (name: string, msg: string, type: string) =>
    details.push({ loc: ['body', 'header', name.slice(0, MAX_NAME_LENGTH)], msg, type });
  if (!names.includes('record_id')) details.push(missingField(['body', 'header', 'record_id']));
  for (const [at, name] of names.entries()) {
    const known = (FIELDS as readonly string[]).includes(name) || isAttribute(name);
    if (!known)
      complain(name, `Unknown column; columns are ${FIELDS.join(', ')}, or attributes.NAME`, 'extra_forbidden');
    else if (names.indexOf(name) < at) complain(name, 'Duplicate column in the header', 'value_error');
  }
  if (details.length > 0) throw new InvalidInput(details);
}

const isAttribute = (name: string) =>
  name.startsWith(ATTRIBUTE_PREFIX) && name.length > ATTRIBUTE_PREFIX.length && name.length <= MAX_NAME_LENGTH;

function recordOf(names: readonly string[], row: readonly Cell[], parse: (cell: string) => JsonValue): JsonObject {
  const fields: [string, JsonValue][] = [];
  const attributes: [string, JsonValue][] = [];
  let json: JsonValue | undefined;
  for (const [at, name] of names.entries()) {
    const cell = row[at] ?? '';
    if (cell === '') continue;
    if (isAttribute(name)) attributes.push([name.slice(ATTRIBUTE_PREFIX.length), cell]);
    else if (name === 'attributes') json = parse(cell);
    else fields.push([name, cell]);
  }
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  // Rejected by the validation of the record.
  if (json !== undefined && !isObject) fields.push(['attributes', json]);
  else if (attributes.length > 0 || isObject) {
    fields.push(['attributes', Object.fromEntries([...Object.entries((json as JsonObject) ?? {}), ...attributes])]);
  }
  return Object.fromEntries(fields);
}

function parseJson(cell: string): JsonValue {
  try {
    return JSON.parse(cell) as JsonValue;
  } catch {
    return cell;
  }
}
