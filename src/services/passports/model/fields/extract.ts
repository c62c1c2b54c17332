import type { Field, Warning } from '../../extraction.ts';
import { onPage, type ReadPage } from '../../page.ts';
import { cellKey, everyField } from '../../schema/keys.ts';
import type { Schema } from '../../schema/schema.ts';
import { blocksOf } from './blocks.ts';
import { type Candidate, candidate, type Layout, valuesOf } from './candidates.ts';
import { labelBook } from './labels.ts';
import { findLabels } from './occurrences.ts';
import { placeOf, sheetsOf, textOf, type Token } from './sheet.ts';
import { tableRows } from './tables.ts';

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
  for (const section of schema.sections) {
    if (!section.table) continue;
    const { rows, used } = tableRows(sheets, section.table);
    for (const token of used) taken.add(token);
    for (const [i, row] of rows.entries()) {
      for (const cell of row) fields[cellKey(section, i + 1, cell.spec)] = fieldOf(cell.tokens, cell.value, cell.score);
    }
  }
  const blocks = sheets.flatMap((sheet) => blocksOf({ ...sheet, tokens: sheet.tokens.filter((one) => !taken.has(one)) }));
  const layout: Layout = { blocks, labels: findLabels(blocks, labelBook(schema)) };
  for (const best of assigned(candidates(layout))) fields[best.key] ??= fieldOf(best.tokens, best.value, best.score);
  return { fields: inOrder(fields, schema), warnings: [] };
}

function candidates(layout: Layout): Candidate[] {
  const all: Candidate[] = [];
  for (const label of [...layout.labels.values()].flat()) {
    const { target } = label;
    if (target.kind !== 'field') continue;
    for (const { place, tokens } of valuesOf(label, target.spec, layout)) {
      const one = candidate(target.key, target.spec, label, place, tokens);
      if (one) all.push(one);
    }
  }
  return all;
}

/** The best candidate of each field, no word used twice. */
function assigned(all: readonly Candidate[]): Candidate[] {
  const chosen = new Map<string, Candidate>();
  const used = new Set<Token>();
  for (const one of [...all].sort((a, b) => b.score - a.score)) {
    if (chosen.has(one.key) || one.tokens.some((token) => used.has(token))) continue;
    const labels = one.label.block.tokens.slice(one.label.from, one.label.to);
    if (labels.some((token) => used.has(token))) continue;
    chosen.set(one.key, one);
    for (const token of [...one.tokens, ...labels]) used.add(token);
  }
  return [...chosen.values()];
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
