import type { Field } from '../../extraction.ts';
import { cellKey } from '../../schema/keys.ts';
import type { ColumnSpec, Section, ValueSpec } from '../../schema/schema.ts';
import type { FormDocument } from './form-document.ts';
import { isSame } from './learn-lesson.ts';
import type { LessonTable } from './lesson.ts';
import type { MatchedLesson } from './match-templates.ts';
import { CONFIDENCE_ALONE, CONFIDENCE_DISPUTED, fieldOf, lowestConfidence, SURE } from './merge-field.ts';
import type { ReadRow } from './read-row.ts';
import { MAX_ROWS, readTable } from './read-table.ts';
import { normalizeValue } from './word-hash.ts';

type Fields = Readonly<Record<string, Field>>;

interface FoundTable {
  readonly rows: readonly ReadRow[];
  readonly score: number;
  readonly isRemoved: boolean;
  readonly corrected: boolean;
}

const MIN_VERIFIED = 0.85;

/** The rows of the table; undefined to keep those of the reader. */
export function tableOf(
  section: Section,
  lessons: readonly MatchedLesson[],
  document: FormDocument,
  fields: Fields,
): FoundTable | undefined {
  for (const { lesson, match } of lessons) {
    const table = lesson.tables.find((one) => one.section === section.key);
    if (!table || match.inText) continue;
    const { score } = match;
    if (table.groups.length === 0 && !table.cards) {
      return table.corrected && table.readShare === 0
        ? { rows: [], score, isRemoved: true, corrected: true }
        : undefined;
    }
    if (table.verifiedShare < MIN_VERIFIED || table.verifiedShare < table.readShare - 0.02) continue;
    const rows = readTable(table, section, { lesson, match, document, taken: new Set() });
    if (rows.length > 0 && !isWorse(rows, table, section, fields))
      return { rows, score, isRemoved: false, corrected: table.corrected };
  }
  return undefined;
}

/** The table of the reader is more whole; of two equal ones, the reader's if it had read most of the earlier one. */
function isWorse(rows: readonly ReadRow[], { readShare }: LessonTable, section: Section, fields: Fields): boolean {
  const own = Array.from({ length: MAX_ROWS }, (_, i) =>
    section.table!.columns.flatMap((spec) => {
      const field = fields[cellKey(section, i + 1, spec)];
      return field ? [{ spec, value: field.value }] : [];
    }),
  );
  const difference = wholeCells(own.filter((row) => row.length > 0)) - wholeCells(rows);
  return readShare >= 0.5 ? difference >= 0 : difference > 0;
}

/**
 * The cells of rows whose number follows that of the row before, or starts a floor; of all rows if there are no numbers. Numbers may
 * begin with letters (`G1`, `G.1`).
 */
function wholeCells(
  rows: readonly (readonly { readonly spec: ValueSpec; readonly value: Field['value'] }[])[],
): number {
  const numbers = rows.map((row) => String(row.find(({ spec }) => spec.numbering)?.value ?? ''));
  const countOf = (number: string) => Number.parseInt(number.replace(/^\p{L}{1,2}[.-]?(?=\d)/u, ''), 10);
  const isWhole = (i: number) => {
    const [number, before] = [countOf(numbers[i]!), countOf(numbers[i - 1] ?? '0')];
    return number === 1 || number === before + 1 || (number === before && numbers[i] !== numbers[i - 1]);
  };
  const counted = numbers.some(Boolean) ? rows.filter((_, i) => isWhole(i)) : rows;
  return counted.reduce((sum, row) => sum + row.length, 0);
}

/** Replaces the cells of the reader, but for those that are the same or sure. */
export function replaceTable(
  combined: Record<string, Field>,
  section: Section,
  { rows, score, corrected }: FoundTable,
  document: FormDocument,
): void {
  const own = new Map<string, Field>();
  for (const key of Object.keys(combined)) {
    if (!key.startsWith(`${section.key}:`) || !/:\d+\./u.test(key)) continue;
    own.set(key, combined[key]!);
    delete combined[key];
  }
  const certainty = Math.min(1, 0.4 + 0.75 * score);
  // With other rows, or rows in another order, the reader's cell may be of another room.
  const hasSameRows = new Set([...own.keys()].map((key) => key.split('.')[0])).size === rows.length;
  const isSameTable = hasSameRows && !isReordered(rows, own, section);
  for (const [i, row] of rows.entries()) {
    for (const { spec, value, tokens } of row) {
      const key = cellKey(section, i + 1, spec);
      const before = own.get(key);
      const disagrees = before && isSameTable ? { disagrees: true as const } : {};
      if (before && isSame(before.value, value)) combined[key] = before;
      else if (before && isSameTable && (before.confidence ?? 0) >= SURE) combined[key] = { ...before, ...disagrees };
      else {
        const confidence = before || !corrected ? CONFIDENCE_DISPUTED : CONFIDENCE_ALONE;
        const share = confidence * certainty * lowestConfidence(tokens);
        combined[key] = { ...fieldOf(value, tokens, Math.round(100 * share) / 100, document), ...disagrees };
      }
    }
  }
}

/** At least two rows have more cells in common with other rows of the reader than with those in their place. */
function isReordered(rows: readonly ReadRow[], own: ReadonlyMap<string, Field>, section: Section): boolean {
  const keyOf = (spec: ValueSpec, value: Field['value']) =>
    `${section.table!.columns.indexOf(spec as ColumnSpec)} ${normalizeValue(String(value))}`;
  const rowsOf = new Map<string, number[]>();
  for (const i of rows.keys()) {
    for (const spec of section.table!.columns) {
      const field = own.get(cellKey(section, i + 1, spec));
      if (!field) continue;
      const key = keyOf(spec, field.value);
      rowsOf.set(key, [...(rowsOf.get(key) ?? []), i]);
    }
  }
  const moved = rows.filter((row, i) => {
    const common = new Map<number, number>();
    for (const { spec, value } of row)
      for (const at of rowsOf.get(keyOf(spec, value)) ?? []) common.set(at, (common.get(at) ?? 0) + 1);
    return Math.max(0, ...common.values()) > (common.get(i) ?? 0);
  });
  return moved.length > 1;
}
