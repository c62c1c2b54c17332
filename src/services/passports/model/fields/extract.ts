import type { Field } from '../../extraction.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { cellKey, everyField } from '../../schema/keys.ts';
import { schemaPattern } from '../../schema/pattern.ts';
import type { FieldSpec, Schema } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import { type Block, splitBlocks } from './blocks.ts';
import { type Candidate, createCandidate } from './candidates.ts';
import { assembleCompositeValue } from './composite-values.ts';
import { normalizeText } from './correct-text.ts';
import { createField, lowerByOcr } from './create-field.ts';
import { findLabels, type Occurrence } from './label-finder.ts';
import { indexFieldLabels } from './label-index.ts';
import { joinText, type Token, tokenizePages, tokensInRange } from './page-tokens.ts';
import { findSharedValues } from './shared-labels.ts';
import { extractTable, type ReadTable } from './tables.ts';
import { findValuePositions, type Layout, pageBlocks } from './value-positions.ts';

/** Extracts the fields and tables of `schema` by their labels; omits those that are not found. */
export function extractByLabels(read: readonly ReadPage[], schema: Schema): Record<string, Field> {
  const sheets = tokenizePages(read);
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
  const free = sheets.map((sheet) => ({ ...sheet, tokens: sheet.tokens.filter((token) => !usedTokens.has(token)) }));
  const split = free.map(splitBlocks);
  const blocks = split.flat();
  const pages = new Map(free.map((sheet, i) => [sheet, pageBlocks(split[i]!)]));
  const labelIndex = indexFieldLabels(schema);
  const layout = { pages, labels: findLabels(blocks, labelIndex) };
  const single = [...findCandidates(layout), ...findSharedValues(layout, labelIndex)];
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

/** Finds a value without a label, by the field's `marks` patterns. */
function matchPatterns(
  spec: FieldSpec,
  blocks: readonly Block[],
  isFree: (token: Token) => boolean,
): { value: string | number | boolean; tokens: readonly Token[]; score: number } | undefined {
  const patterns = (spec.marks ?? []).map((mark) => schemaPattern(mark, 'iu'));
  if (patterns.length === 0) return undefined;
  for (const block of blocks) {
    const tokens = spec.type === 'string' ? block.tokens : restOfLine(block);
    const text = joinText(tokens);
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      if (!match) continue;
      const found = readValue(spec, match[0]);
      if (!found) continue;
      const chosen = tokensInRange(tokens, { start: match.index + found.start, end: match.index + found.end });
      if (!chosen.every(isFree)) continue;
      const value = typeof found.value === 'string' ? normalizeText(found.value) : found.value;
      return { value, tokens: chosen, score: PATTERN_SCORE };
    }
  }
  return undefined;
}

/** Form blanks split a date into several blocks. */
const restOfLine = (block: Block): readonly Token[] =>
  block.cell ? block.tokens : block.row.slice(Math.max(0, block.row.indexOf(block))).flatMap(({ tokens }) => tokens);

const PATTERN_SCORE = 0.7;
