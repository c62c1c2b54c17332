import { applyCrossChecks } from '../../cross-checks.ts';
import type { Field, Warning } from '../../extraction.ts';
import { type ReadPage, toPageBox } from '../../page-geometry.ts';
import { cellKey, everyField } from '../../schema/keys.ts';
import type { Schema } from '../../schema/schema.ts';
import { type Block, splitBlocks } from './blocks.ts';
import { type Candidate, createCandidate } from './candidates.ts';
import { assembleCompositeValue } from './composite-values.ts';
import { findLabels, type Occurrence } from './label-finder.ts';
import { indexFieldLabels, type LabelIndex, type Target } from './label-index.ts';
import { boundingBox, joinText, type Token, tokenizePages } from './page-tokens.ts';
import { matchPatterns } from './pattern-match.ts';
import { findSharedValues } from './shared-labels.ts';
import { extractTable, type ReadTable } from './tables.ts';
import { findValuePositions, type Layout } from './value-positions.ts';
import { joinWrappedLabels } from './wrapped-labels.ts';

/** Extracts the fields of `schema`; fields that are not found are absent. `refine` sees them before the cross-checks. */
export function extractByLabels(
  pages: readonly ReadPage[],
  schema: Schema,
  refine: (fields: Record<string, Field>) => Record<string, Field> = (fields) => fields,
): { fields: Record<string, Field>; warnings: Warning[] } {
  const sheets = tokenizePages(pages);
  const fields: Record<string, Field> = {};
  const usedTokens = new Set<Token>();
  const tables = new Map<string, ReadTable>();
  for (const section of schema.sections) {
    if (!section.table) continue;
    const table = extractTable(sheets, section.table);
    tables.set(section.key, table);
    for (const token of table.usedTokens) usedTokens.add(token);
    for (const [i, row] of table.rows.entries()) {
      for (const cell of row) fields[cellKey(section, i + 1, cell.spec)] = fieldOf(cell.tokens, cell.value, cell.score);
    }
  }
  const labelIndex = indexFieldLabels(schema);
  const layout = layoutOf(
    sheets.flatMap((sheet) => splitBlocks({ ...sheet, tokens: sheet.tokens.filter((one) => !usedTokens.has(one)) })),
    labelIndex,
  );
  const { blocks } = layout;
  const single = [...findCandidates(layout), ...findSharedValues(layout, labelIndex)];
  const composite = [...everyField(schema)].flatMap(({ key, spec }) =>
    spec.parts ? (assembleCompositeValue(key, layout, single) ?? []) : [],
  );
  for (const best of assignCandidates([...single, ...composite])) {
    fields[best.key] = fieldOf(best.tokens, best.value, best.score);
    for (const token of best.tokens) usedTokens.add(token);
  }
  for (const { key, spec } of everyField(schema)) {
    if (fields[key]) continue;
    const found = matchPatterns(spec, blocks, (token) => !usedTokens.has(token));
    if (found) fields[key] = fieldOf(found.tokens, found.value, found.score);
  }
  addTableTotals(fields, tables, schema);
  return applyCrossChecks(inSchemaOrder(refine(fields), schema), schema);
}

function layoutOf(blocks: readonly Block[], labelIndex: LabelIndex<Target>): Layout {
  const layout = { blocks, labels: removeValues(findLabels(blocks, labelIndex)) };
  const unwrapped = joinWrappedLabels(layout, labelIndex);
  if (unwrapped.length === blocks.length) return layout;
  return { blocks: unwrapped, labels: removeValues(findLabels(unwrapped, labelIndex)) };
}

/** A single lowercase word after a label is its value: Назначение | жилое. */
function removeValues(labels: Map<Block, Occurrence[]>): Map<Block, Occurrence[]> {
  for (const block of labels.keys()) {
    if (block.tokens.length > 1 || !/^\p{Ll}+$/u.test(block.tokens[0]!.text)) continue;
    const before = block.row[block.row.indexOf(block) - 1];
    if (before && (labels.get(before) ?? []).some(({ target }) => target.kind === 'field')) labels.set(block, []);
  }
  return labels;
}

function findCandidates(layout: Layout): Candidate[] {
  const found: Candidate[] = [];
  for (const label of [...layout.labels.values()].flat()) {
    const { target } = label;
    if (target.kind !== 'field') continue;
    // Part names in a complete address ("д. 8, кв. 88") are not labels.
    const stops = ({ target: other, score }: Occurrence) =>
      other.kind !== 'part' || (other.key !== target.key && score > 0.95);
    for (const { place, tokens } of findValuePositions(label, layout, { long: target.spec.type === 'string', stops })) {
      const one = createCandidate(target.key, target.spec, label, place, tokens);
      if (one) found.push(one);
    }
  }
  return found;
}

function assignCandidates(all: readonly Candidate[]): Candidate[] {
  const chosen = new Map<string, Candidate>();
  // A label may belong to two fields, but a word is never label and value, or value of two fields.
  const values = new Set<number>();
  const labels = new Set<number>();
  for (const one of [...all].sort((a, b) => b.score - a.score)) {
    if (chosen.has(one.key) || one.tokens.some(({ id, glued }) => labels.has(id) || (values.has(id) && !glued)))
      continue;
    const labelTokens = one.label.block.tokens.slice(one.label.from, one.label.to);
    if (labelTokens.some(({ id }) => values.has(id))) continue;
    chosen.set(one.key, one);
    for (const { id } of one.tokens) values.add(id);
    for (const { id } of labelTokens) labels.add(id);
  }
  return [...chosen.values()];
}

/** Sets missing fields from table totals that a cross-check equates with them. */
function addTableTotals(fields: Record<string, Field>, tables: ReadonlyMap<string, ReadTable>, schema: Schema): void {
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
  const { x0, y0, x1, y1 } = boundingBox(tokens.filter((token) => token.sheet === sheet));
  const { page } = sheet;
  const confidences = tokens.flatMap(({ confidence }) => confidence ?? []);
  const lowest = confidences.length > 0 ? Math.min(...confidences) : 1;
  return {
    value,
    confidence: Math.round(100 * Math.min(1, score) * lowest) / 100,
    source: page.reader === 'text' ? 'text' : 'ocr',
    page: page.page,
    bbox: toPageBox(page, [x0 / sheet.width, y0 / sheet.height, x1 / sheet.width, y1 / sheet.height]),
    text: joinText(tokens),
  };
}

function inSchemaOrder(fields: Record<string, Field>, schema: Schema): Record<string, Field> {
  const places = new Map([...everyField(schema)].map(({ key }, i) => [key, i]));
  const keys = Object.keys(fields).sort((a, b) => (places.get(a) ?? 1e6) - (places.get(b) ?? 1e6));
  return Object.fromEntries(keys.map((key) => [key, fields[key]!]));
}
