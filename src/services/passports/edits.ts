import { createOnce } from '../../base/create-once.ts';
import { type Detail, InvalidInput } from '../../http/validation-details.ts';
import type { CompletedDocument } from './documents.ts';
import { isSameValue, type Value } from './extraction.ts';
import { enumLabels, tableRowNumbers } from './present.ts';
import { cellKey, type KeyTarget, MAX_ROW, resolveKey, rowBetween } from './schema/keys.ts';
import type { Schema, Section, ValueSpec } from './schema/schema.ts';
import { maxLengthOf, parseValue, type ValueProblem } from './schema/values.ts';

/** The version that the edits of a form apply to; no document field has this name. */
export const VERSION_FIELD = 'version';
/** Confirms the document after the edits; for browsers without a script. */
export const CONFIRM_FIELD = 'confirm';

export interface ParsedEdit {
  readonly key: string;
  readonly target: KeyTarget;
  readonly value: Value;
}

/** Parses form values by field type; throws one {@link InvalidInput} with all errors. */
export function parseEdits(form: ReadonlyMap<string, string>, schema: Schema): readonly ParsedEdit[] {
  const details: Detail[] = [];
  const parsedEdits: ParsedEdit[] = [];
  for (const [key, text] of form) {
    const target = resolveKey(schema, key);
    if (target === undefined) {
      details.push({ loc: ['body', key.slice(0, 200)], msg: 'There is no such field', type: 'extra_forbidden' });
      continue;
    }
    const parsed = parseValue(target.spec, text);
    if (parsed.ok) parsedEdits.push({ key, target, value: parsed.value });
    else details.push({ loc: ['body', key], ...problemDetail(parsed.problem, target.spec), input: text.slice(0, 200) });
  }
  if (details.length > 0) throw new InvalidInput(details);
  return parsedEdits;
}

/** Throws for unknown keys, before any document is loaded. */
export function checkFieldKeys(form: ReadonlyMap<string, string>, schema: Schema): void {
  if ([...form.keys()].some((key) => resolveKey(schema, key) === undefined)) parseEdits(form, schema);
}

/** Of all corrected values of a document, which each reading of it loads; 10 000 rooms have 500 000. */
const MAX_CHARACTERS = 2_000_000;

/**
 * Maps visible row numbers to stored keys. Rows after the last are new and must follow without gaps; rows with a fraction are
 * inserted between the visible ones. The corrected values of a document together have at most {@link MAX_CHARACTERS}.
 */
export function toStoredEdits(
  parsedEdits: readonly ParsedEdit[],
  opened: CompletedDocument,
  schema: Schema,
): { key: string; value: Value }[] {
  const details: Detail[] = [];
  const added = new Map<string, Set<number>>();
  // Counting the rows of a long table takes milliseconds.
  const rowsIn = createOnce((section: Section) => tableRowNumbers(opened, schema, section));
  const insertedIn = createOnce((section: Section) => placeInserted(parsedEdits, opened, section, rowsIn(section)));
  const newRowsIn = createOnce((section: Section) => {
    const known = new Set<number | undefined>(rowsIn(section).all);
    return [...insertedIn(section).values()].filter((row) => !known.has(row)).length;
  });
  for (const { target } of parsedEdits) {
    if (target.kind !== 'cell' || isInserted(target.row)) continue;
    const visibleCount = rowsIn(target.section).stored.length;
    if (target.row <= visibleCount) continue;
    const rows = added.get(target.section.key) ?? new Set<number>();
    added.set(target.section.key, rows.add(target.row - visibleCount));
  }
  const edits = parsedEdits.map(({ key, target, value }) => {
    if (target.kind === 'field') return { key, value };
    const { stored, all, next } = rowsIn(target.section);
    const count = all.length + newRowsIn(target.section) + (added.get(target.section.key)?.size ?? 0);
    const isNew = isInserted(target.row) || target.row > stored.length;
    if (isNew && count > MAX_ROW) details.push(noRoom(key));
    if (isInserted(target.row)) {
      const row = insertedIn(target.section).get(target.row);
      if (target.row > stored.length + 1) details.push(noSuchRow(key, stored.length));
      else if (row === undefined) details.push(noNumberBetween(key));
      return { key: cellKey(target.section, row ?? target.row, target.spec), value };
    }
    const storedRow = stored[target.row - 1];
    if (storedRow !== undefined) return { key: cellKey(target.section, storedRow, target.spec), value };
    const newRow = target.row - stored.length;
    if (newRow > added.get(target.section.key)!.size) details.push(noSuchRow(key, stored.length));
    // Emptied rows keep their number, so that the rows after them stay in order.
    const row = next + newRow - 1;
    if (row > MAX_ROW && count <= MAX_ROW) details.push(noRoom(key));
    return { key: cellKey(target.section, row, target.spec), value };
  });
  if (details.length > 0) throw new InvalidInput(details);
  checkLength(opened, edits);
  return edits;
}

/**
 * The stored numbers of inserted rows; undefined without room for one. A row with the values that an emptied one at its place had
 * when the document was read takes its number, so that it counts as read. Other emptied rows keep their numbers.
 */
function placeInserted(
  parsedEdits: readonly ParsedEdit[],
  { extraction: { fields } }: CompletedDocument,
  section: Section,
  { stored, all, next }: ReturnType<typeof tableRowNumbers>,
): Map<number, number | undefined> {
  const cells = parsedEdits.flatMap(({ target, value }) =>
    target.kind === 'cell' && target.section === section && isInserted(target.row) ? [{ ...target, value }] : [],
  );
  const isRead = (stored: number, typed: typeof cells) =>
    typed.every(({ spec, value }) => {
      const key = cellKey(section, stored, spec);
      return isSameValue(value, Object.hasOwn(fields, key) ? fields[key]!.value : null);
    });
  const placed = new Map<number, number | undefined>();
  let previous = { above: -1, at: 0 };
  for (const row of [...new Set(cells.map((cell) => cell.row))].sort((a, b) => a - b)) {
    const above = Math.floor(row);
    const before = above === previous.above ? previous.at : (stored[above - 1] ?? 0);
    const after = all.find((other) => other > before) ?? next;
    const visible = stored[above] ?? Number.POSITIVE_INFINITY;
    const emptied = all.filter((other) => before < other && other < visible).slice(0, MAX_COMPARED);
    const typed = cells.filter((cell) => cell.row === row);
    const at = emptied.find((other) => isRead(other, typed)) ?? rowBetween(before, after);
    placed.set(row, at);
    previous = { above, at: at ?? before };
  }
  return placed;
}

/** Emptied rows at one place; chosen so that a form of 500 rows takes milliseconds. */
const MAX_COMPARED = 100;

const isInserted = (row: number) => !Number.isInteger(row);

const noSuchRow = (key: string, count: number): Detail => {
  const msg = `There are ${count} rows; a new one is number ${count + 1}`;
  return { loc: ['body', key], msg, type: 'less_than_equal', ctx: { le: count + 1 } };
};

const noRoom = (key: string): Detail => {
  const msg = `The table has no room for another row: it can have ${MAX_ROW} rows, including emptied ones`;
  return { loc: ['body', key], msg, type: 'too_many_rows', ctx: { max_length: MAX_ROW } };
};

const noNumberBetween = (key: string): Detail => {
  const msg = 'No more rows can be inserted at this place. Add the row at the end of the table.';
  return { loc: ['body', key], msg, type: 'too_many_rows', ctx: { max_length: MAX_ROW } };
};

function checkLength({ edits: earlier }: CompletedDocument, edits: readonly { key: string; value: Value }[]): void {
  const values = new Map(earlier.map(({ key, value }) => [key, value]));
  const lengthBefore = lengthOf(values.values());
  for (const { key, value } of edits) values.set(key, value);
  const length = lengthOf(values.values());
  if (length <= MAX_CHARACTERS || length <= lengthBefore) return;
  const msg = `The corrected values of a document should have at most ${MAX_CHARACTERS} characters together`;
  throw new InvalidInput([{ loc: ['body'], msg, type: 'too_long', ctx: { max_length: MAX_CHARACTERS } }]);
}

function lengthOf(values: Iterable<Value>): number {
  let length = 0;
  for (const value of values) length += typeof value === 'string' ? value.length : 0;
  return length;
}

function problemDetail(problem: ValueProblem, spec: ValueSpec): Pick<Detail, 'msg' | 'type' | 'ctx'> {
  const { pattern = '', minimum: ge, maximum: le } = spec;
  const max_length = maxLengthOf(spec);
  const expected = (enumLabels(spec, 'en') ?? []).map(([value]) => `'${value}'`).join(', ');
  const details: Record<ValueProblem, ReturnType<typeof problemDetail>> = {
    type: WRONG_TYPE[spec.type],
    enum: { msg: `Input should be one of ${expected}`, type: 'enum', ctx: { expected } },
    pattern: { msg: 'Input has a wrong form', type: 'string_pattern_mismatch', ctx: { pattern } },
    minimum: { msg: `Input should be greater than or equal to ${ge}`, type: 'greater_than_equal', ctx: { ge } },
    maximum: { msg: `Input should be less than or equal to ${le}`, type: 'less_than_equal', ctx: { le } },
    too_long: {
      msg: `String should have at most ${max_length} characters`,
      type: 'string_too_long',
      ctx: { max_length },
    },
  };
  return details[problem];
}

const WRONG_TYPE: Record<ValueSpec['type'] & string, Pick<Detail, 'msg' | 'type'>> = {
  string: { msg: 'Input should be a valid string', type: 'string_type' },
  number: { msg: 'Input should be a valid number, unable to parse string as a number', type: 'float_parsing' },
  integer: { msg: 'Input should be a valid integer, unable to parse string as an integer', type: 'int_parsing' },
  date: { msg: 'Input should be a valid date', type: 'date_parsing' },
  boolean: { msg: 'Input should be a valid boolean, unable to interpret input', type: 'bool_parsing' },
  enum: { msg: 'Input should be one of the known values', type: 'enum' },
};
