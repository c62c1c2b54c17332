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
  /** Columns with unknown headers. */
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
    const texts = leaves.map((leaf) => {
      const above = band.filter(
        (other) => other !== leaf && other.cell!.y1 <= leaf.cell!.y0 + 4 && across(leaf, other) > 4,
      );
      return {
        place: leaf.cell!,
        alternatives: [leaf.tokens, [...above.flatMap(({ tokens }) => tokens), ...leaf.tokens]],
      };
    });
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

/** Headers without rules: up to four lines of stacked texts. */
function freeHeaders(sheet: Sheet, blocks: readonly Block[], labelIndex: LabelIndex<ColumnSpec>): Header[] {
  const rows = [...new Set(blocks.map(({ row }) => row))];
  const headers: Header[] = [];
  for (let from = 0; from < rows.length; from++) {
    let best: Header | undefined;
    for (let to = from + 1; to <= Math.min(rows.length, from + 4); to++) {
      const window = rows.slice(from, to);
      const last = window.at(-1)!;
      const before = window.at(-2);
      if (
        before &&
        Math.min(...last.map(({ y0 }) => y0)) - Math.max(...before.map(({ y1 }) => y1)) > 1.2 * last[0]!.height
      )
        break;
      if (last.filter(({ tokens }) => /^\d+[.,]\d/u.test(tokens[0]!.text)).length > 0) break;
      const { columns, unknownColumns } = matchColumns(stackTexts(window), labelIndex);
      const header: Header = {
        sheet,
        ...extent(window.flat()),
        ruled: false,
        columns,
        unknownColumns,
        tokens: window.flat().flatMap(({ tokens }) => tokens),
      };
      if (isHeader(header) && totalScore(header) > totalScore(best) + 0.01) best = header;
    }
    if (best) {
      headers.push(best);
      from = rows.findIndex((row) => Math.min(...row.map(({ y0 }) => y0)) >= best.bottom - 1) - 1;
      if (from < 0) break;
    }
  }
  return headers;
}

const totalScore = (header: Header | undefined): number =>
  header?.columns.reduce((all, { score }) => all + score, 0) ?? 0;

function extent(blocks: readonly Block[]): { top: number; bottom: number; x0: number; x1: number } {
  const { x0, y0, x1, y1 } = boundingBox(blocks);
  return { top: y0, bottom: y1, x0, x1 };
}

interface HeaderText {
  readonly place: Extent;
  /** The text of the lowest level, and with the levels above. */
  readonly alternatives: readonly (readonly Token[])[];
}

/** A block that spans several columns belongs to each of them. */
function stackTexts(window: readonly (readonly Block[])[]): HeaderText[] {
  const pieces = window.flatMap((row, level) => row.map((block) => ({ block, level })));
  const overlap = (a: Block, b: Block) => Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);
  return pieces
    .filter(({ block, level }) => !pieces.some((other) => other.level > level && overlap(other.block, block) > 0))
    .map(({ block, level }) => {
      const above = pieces
        .filter((other) => other.level < level && overlap(other.block, block) > 0)
        .map((other) => other.block);
      const narrow = above.filter((other) => other.x1 - other.x0 < 1.8 * (block.x1 - block.x0) + 20);
      return {
        place: boundingBox([block, ...narrow]),
        alternatives: [
          block.tokens,
          [...narrow, block].flatMap(({ tokens }) => tokens),
          [...above, block].flatMap(({ tokens }) => tokens),
        ],
      };
    });
}

function matchColumns(texts: readonly HeaderText[], labelIndex: LabelIndex<ColumnSpec>): MatchedColumns {
  const pairs = texts.flatMap(({ place, alternatives }) => {
    const read = alternatives.map((tokens) =>
      joinHyphenated(groupLines(tokens).flat()).flatMap((text) => labelIndex.lookUp(text) ?? []),
    );
    return labelIndex.phrases.map((phrase) => {
      const scores = read.map((words, i) => (words.length === 0 ? 0 : scorePhrase(words, phrase) - 0.02 * i));
      return { place, spec: phrase.target, score: Math.max(...scores) };
    });
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

function joinHyphenated(tokens: readonly Token[]): string[] {
  const words: string[] = [];
  for (const { text } of tokens) {
    const last = words.at(-1);
    if (last !== undefined && /\p{Ll}[-\u00ad\u2010]$/u.test(last) && /^\p{Ll}/u.test(text))
      words[words.length - 1] = last.slice(0, -1) + text;
    else words.push(text);
  }
  return words;
}
