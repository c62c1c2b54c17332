import type { Field } from '../../extraction.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { cellKey, everyField } from '../../schema/keys.ts';
import type { Schema } from '../../schema/schema.ts';
import { splitBlocks } from './blocks.ts';
import { type Candidate, createCandidate } from './candidates.ts';
import { assembleCompositeValue } from './composite-values.ts';
import { createField, lowerByOcr } from './create-field.ts';
import { findLabels, type Occurrence } from './label-finder.ts';
import { indexFieldLabels } from './label-index.ts';
import { type Token, tokenizePages } from './page-tokens.ts';
import { matchPatterns } from './pattern-match.ts';
import { extractTable, type ReadTable } from './tables.ts';
import { findValuePositions, type Layout } from './value-positions.ts';

/** Extracts the fields and tables of `schema` by their labels; omits those that are not found. */
export function extractByLabels(pages: readonly ReadPage[], schema: Schema): Record<string, Field> {
  const sheets = tokenizePages(pages);
  const fields: Record<string, Field> = {};
  const tables = new Map<string, ReadTable>();
  const usedTokens = new Set<Token>();
  for (const section of schema.sections) {
    if (!section.table) continue;
    const table = extractTable(sheets, section.table);
    tables.set(section.key, table);
    for (const token of table.usedTokens) usedTokens.add(token);
    for (const [i, row] of table.rows.entries()) {
      for (const cell of row)
        fields[cellKey(section, i + 1, cell.spec)] = createField(
          cell.tokens,
          cell.value,
          lowerByOcr(cell.score, cell.tokens),
        );
    }
  }
  const blocks = sheets.flatMap((sheet) =>
    splitBlocks({ ...sheet, tokens: sheet.tokens.filter((token) => !usedTokens.has(token)) }),
  );
  const layout = { blocks, labels: findLabels(blocks, indexFieldLabels(schema)) };
  const single = findCandidates(layout);
  const composite = [...everyField(schema)].flatMap(({ key, spec }) =>
    spec.parts ? (assembleCompositeValue(key, layout, single) ?? []) : [],
  );
  for (const best of assignCandidates([...single, ...composite])) {
    fields[best.key] = createField(best.tokens, best.value, lowerByOcr(best.score, best.tokens));
    for (const token of best.tokens) usedTokens.add(token);
  }
  for (const { key, spec } of everyField(schema)) {
    if (fields[key]) continue;
    const found = matchPatterns(spec, blocks, (token) => !usedTokens.has(token));
    if (found) fields[key] = createField(found.tokens, found.value, lowerByOcr(found.score, found.tokens));
  }
  addTableTotals(fields, tables, schema);
  return fields;
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
    if (cell) fields[check.equals] = createField(cell.tokens, cell.value, lowerByOcr(0.8, cell.tokens));
  }
}
