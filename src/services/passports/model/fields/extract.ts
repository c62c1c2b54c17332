import type { Field, Warning } from '../../extraction.ts';
import { onPage, type ReadPage } from '../../page.ts';
import { cellKey, everyField } from '../../schema/keys.ts';
import type { Schema } from '../../schema/schema.ts';
import { type Block, blocksOf } from './blocks.ts';
import { type Candidate, candidate } from './candidates.ts';
import { checked } from './checks.ts';
import { type LabelBook, labelBook, type Target } from './labels.ts';
import { marked } from './marks.ts';
import { findLabels, type Occurrence } from './occurrences.ts';
import { joined } from './pieces.ts';
import { type Layout, placesOf } from './places.ts';
import { sharedValues } from './shared-labels.ts';
import { placeOf, sheetsOf, type Token, textOf } from './sheet.ts';
import { type ReadTable, tableRows } from './tables.ts';
import { wrapped } from './wrapped.ts';

/**
 * The fields of `schema` that the pages hold, each with its value, place, the words it was read from and a confidence.
 * A field that stands nowhere is absent. Pure: the same pages give the same fields.
 */
export function extractFields(
  pages: readonly ReadPage[],
  schema: Schema,
): { fields: Record<string, Field>; warnings: Warning[] } {
  const sheets = sheetsOf(pages);
  const fields: Record<string, Field> = {};
  const taken = new Set<Token>();
  const tables = new Map<string, ReadTable>();
  for (const section of schema.sections) {
    if (!section.table) continue;
    const table = tableRows(sheets, section.table);
    tables.set(section.key, table);
    for (const token of table.used) taken.add(token);
    for (const [i, row] of table.rows.entries()) {
      for (const cell of row) fields[cellKey(section, i + 1, cell.spec)] = fieldOf(cell.tokens, cell.value, cell.score);
    }
  }
  const book = labelBook(schema);
  const layout = layoutOf(
    sheets.flatMap((sheet) => blocksOf({ ...sheet, tokens: sheet.tokens.filter((one) => !taken.has(one)) })),
    book,
  );
  const { blocks } = layout;
  const single = [...candidates(layout), ...sharedValues(layout, book)];
  const joint = [...everyField(schema)].flatMap(({ key, spec }) =>
    spec.parts ? (joined(key, layout, single) ?? []) : [],
  );
  const all = [...single, ...joint];
  for (const best of assigned(all)) {
    fields[best.key] = fieldOf(best.tokens, best.value, best.score);
    for (const token of best.tokens) taken.add(token);
  }
  for (const { key, spec } of everyField(schema)) {
    if (fields[key]) continue;
    const found = marked(spec, blocks, (token) => !taken.has(token));
    if (found) fields[key] = fieldOf(found.tokens, found.value, found.score);
  }
  totalled(fields, tables, schema);
  return checked(inOrder(fields, schema), schema);
}

function layoutOf(blocks: readonly Block[], book: LabelBook<Target>): Layout {
  const layout = { blocks, labels: withoutValues(findLabels(blocks, book)) };
  const joint = wrapped(layout, book);
  return joint.length === blocks.length ? layout : { blocks: joint, labels: withoutValues(findLabels(joint, book)) };
}

/** One small word in the cell behind a label is its value, though it could be a label itself: Назначение | жилое. */
function withoutValues(labels: Map<Block, Occurrence[]>): Map<Block, Occurrence[]> {
  for (const block of labels.keys()) {
    if (block.tokens.length > 1 || !/^\p{Ll}+$/u.test(block.tokens[0]!.text)) continue;
    const before = block.row[block.row.indexOf(block) - 1];
    if (before && (labels.get(before) ?? []).some(({ target }) => target.kind === 'field')) labels.set(block, []);
  }
  return labels;
}

function candidates(layout: Layout): Candidate[] {
  const all: Candidate[] = [];
  for (const label of [...layout.labels.values()].flat()) {
    const { target } = label;
    if (target.kind !== 'field') continue;
    // The words of a whole address name its parts: "д. 8, кв. 88" is no label.
    const stops = ({ target: other, score }: Occurrence) =>
      other.kind !== 'part' || (other.key !== target.key && score > 0.95);
    for (const { place, tokens } of placesOf(label, layout, { long: target.spec.type === 'string', stops })) {
      const one = candidate(target.key, target.spec, label, place, tokens);
      if (one) all.push(one);
    }
  }
  return all;
}

/** The best candidate of each field, no word used twice. */
function assigned(all: readonly Candidate[]): Candidate[] {
  const chosen = new Map<string, Candidate>();
  // A label may answer for two fields, but nothing is both label and value, nor the value of two.
  const values = new Set<number>();
  const labels = new Set<number>();
  for (const one of [...all].sort((a, b) => b.score - a.score)) {
    if (chosen.has(one.key) || one.tokens.some(({ id, glued }) => labels.has(id) || (values.has(id) && !glued)))
      continue;
    const own = one.label.block.tokens.slice(one.label.from, one.label.to);
    if (own.some(({ id }) => values.has(id))) continue;
    chosen.set(one.key, one);
    for (const { id } of one.tokens) values.add(id);
    for (const { id } of own) labels.add(id);
  }
  return [...chosen.values()];
}

/** A sum that the table itself states is the field that the schema checks it against, where nothing else says it. */
function totalled(fields: Record<string, Field>, tables: ReadonlyMap<string, ReadTable>, schema: Schema): void {
  for (const check of schema.checks ?? []) {
    if (!('sum' in check) || check.sum.length !== 1 || fields[check.equals]) continue;
    const [section, column] = check.sum[0]!.split(':') as [string, string];
    const table = tables.get(section);
    const cell = table?.totals.at(-1)?.find(({ spec }) => spec.key === column);
    if (cell) fields[check.equals] = fieldOf(cell.tokens, cell.value, 0.8);
  }
}

function fieldOf(tokens: readonly Token[], value: Field['value'], score: number): Field {
  const { sheet } = tokens[0]!;
  const { x0, y0, x1, y1 } = placeOf(tokens.filter((token) => token.sheet === sheet));
  const { page } = sheet;
  const read = tokens.flatMap(({ confidence }) => confidence ?? []);
  const sure = read.length > 0 ? Math.min(...read) : 1;
  return {
    value,
    confidence: Math.round(100 * Math.min(1, score) * sure) / 100,
    source: page.reader === 'text' ? 'text' : 'ocr',
    page: page.page,
    bbox: onPage(page, [x0 / sheet.width, y0 / sheet.height, x1 / sheet.width, y1 / sheet.height]),
    text: textOf(tokens),
  };
}

/** In the order of the schema, rows of tables from the first. */
function inOrder(fields: Record<string, Field>, schema: Schema): Record<string, Field> {
  const places = new Map([...everyField(schema)].map(({ key }, i) => [key, i]));
  const keys = Object.keys(fields).sort((a, b) => (places.get(a) ?? 1e6) - (places.get(b) ?? 1e6));
  return Object.fromEntries(keys.map((key) => [key, fields[key]!]));
}
