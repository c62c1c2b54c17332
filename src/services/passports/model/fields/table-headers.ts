import type { ColumnSpec, TableSpec } from '../../schema/schema.ts';
import { type Block, groupLines, splitBlocks } from './blocks.ts';
import { indexColumnLabels, type LabelIndex, scorePhrase } from './label-index.ts';
import { boundingBox, type Sheet, type Token } from './page-tokens.ts';

export interface Extent {
  readonly x0: number;
  readonly x1: number;
}

export interface HeaderColumn extends Extent {
  readonly spec: ColumnSpec;
  readonly score: number;
}

interface MatchedColumns {
  readonly columns: readonly HeaderColumn[];
  readonly unknownColumns: readonly Extent[];
}

export interface Header extends MatchedColumns, Extent {
  readonly sheet: Sheet;
  readonly top: number;
  readonly bottom: number;
  readonly ruled: boolean;
  readonly tokens: readonly Token[];
}

const MIN_SCORE = 0.62;

/** Finds headers with at least two columns, one of them numeric, from the top. */
export function findHeaders(sheet: Sheet, spec: TableSpec): Header[] {
  const labelIndex = indexColumnLabels(spec.columns);
  const blocks = splitBlocks(sheet);
  const ruled = ruledHeaders(
    sheet,
    blocks.filter(({ cell }) => cell),
    labelIndex,
  );
  const free = freeHeaders(
    sheet,
    blocks.filter(({ cell }) => !cell),
    labelIndex,
  );
  return [...ruled, ...free].filter(isHeader).sort((a, b) => a.top - b.top);
}

const isHeader = ({ columns, unknownColumns }: Header): boolean =>
  columns.length >= 2 &&
  columns.some(({ spec }) => spec.type === 'number') &&
  (columns.some(({ spec }) => spec.type !== 'number') || unknownColumns.length > 0);

function ruledHeaders(sheet: Sheet, blocks: readonly Block[], labelIndex: LabelIndex<ColumnSpec>): Header[] {
  const headers: Header[] = [];
  const seen = new Set<Block>();
  for (const tall of [...blocks].sort((a, b) => a.y0 - b.y0 || height(b) - height(a))) {
    if (seen.has(tall)) continue;
    const band = blocks.filter(({ cell }) => cell!.y0 > tall.cell!.y0 - 4 && cell!.y1 < tall.cell!.y1 + 4);
    const leaves = band.filter(
      (one) => !band.some((other) => other !== one && other.cell!.y0 >= one.cell!.y1 - 4 && across(one, other) > 4),
    );
    const texts = leaves.map(({ cell, tokens }) => ({ place: cell!, tokens }));
    const { columns, unknownColumns } = matchColumns(texts, labelIndex);
    if (columns.length < 2) continue;
    for (const one of band) seen.add(one);
    headers.push({
      sheet,
      top: tall.cell!.y0,
      bottom: tall.cell!.y1,
      x0: Math.min(...band.map(({ cell }) => cell!.x0)),
      x1: Math.max(...band.map(({ cell }) => cell!.x1)),
      ruled: true,
      columns,
      unknownColumns,
      tokens: band.flatMap(({ tokens }) => tokens),
    });
  }
  return headers;
}

const height = ({ cell }: Block): number => cell!.y1 - cell!.y0;
const across = (a: Block, b: Block): number => Math.min(a.cell!.x1, b.cell!.x1) - Math.max(a.cell!.x0, b.cell!.x0);

/** Headers without rules: one line of texts. */
function freeHeaders(sheet: Sheet, blocks: readonly Block[], labelIndex: LabelIndex<ColumnSpec>): Header[] {
  const rows = [...new Set(blocks.map(({ row }) => row))];
  return rows.map((row) => {
    const { x0, y0, x1, y1 } = boundingBox(row);
    const tokens = row.flatMap((block) => block.tokens);
    const texts = row.map((block) => ({ place: block, tokens: block.tokens }));
    return { sheet, x0, x1, top: y0, bottom: y1, ruled: false, ...matchColumns(texts, labelIndex), tokens };
  });
}

interface HeaderText {
  readonly place: Extent;
  readonly tokens: readonly Token[];
}

function matchColumns(texts: readonly HeaderText[], labelIndex: LabelIndex<ColumnSpec>): MatchedColumns {
  const pairs = texts.flatMap(({ place, tokens }) => {
    const words = groupLines(tokens)
      .flat()
      .flatMap(({ text }) => labelIndex.lookUp(text) ?? []);
    if (words.length === 0) return [];
    return labelIndex.phrases.map((phrase) => ({ place, spec: phrase.target, score: scorePhrase(words, phrase) }));
  });
  const columns: (HeaderColumn & { place: object })[] = [];
  for (const { place, spec, score } of pairs.sort((a, b) => b.score - a.score)) {
    if (score < MIN_SCORE) break;
    if (columns.some((one) => one.spec === spec || one.place === place)) continue;
    columns.push({ spec, x0: place.x0, x1: place.x1, score, place });
  }
  const unknownColumns = texts.map(({ place }) => place).filter((place) => columns.every((one) => one.place !== place));
  return { unknownColumns, columns: columns.map(({ spec, x0, x1, score }) => ({ spec, x0, x1, score })) };
}
