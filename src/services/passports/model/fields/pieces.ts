import { schemaPattern } from '../../schema/pattern.ts';
import type { PartSpec } from '../../schema/schema.ts';
import { type Candidate, candidate } from './candidates.ts';
import type { Occurrence } from './occurrences.ts';
import { type Layout, placesOf } from './places.ts';
import { type Token, textOf } from './sheet.ts';

/** A value that a form asks for piece by piece (an address by its street, house and flat), joined as its schema says. */
export function joined(key: string, layout: Layout, whole: readonly Candidate[]): Candidate | undefined {
  const within = new Set(whole.filter((one) => one.key === key && one.score > 0.5).flatMap(({ tokens }) => tokens));
  const best = new Map<number, { piece: Candidate; part: PartSpec }>();
  for (const label of [...layout.labels.values()].flat()) {
    const { target } = label;
    if (target.kind !== 'part' || target.key !== key || isFilledIn(label)) continue;
    // "ул. Садовая, дом 98" in a whole address asks for nothing, unless blanks are filled in behind its words.
    const inside = label.block.tokens.slice(label.from, label.to).some((token) => within.has(token));
    if (inside && !label.block.row.some(({ filled }) => filled)) continue;
    const named = kindAndName(label, layout);
    const piece = named && candidate(key, { type: 'string' }, label, 'right', named);
    if (piece) {
      best.set(target.index, { piece, part: target.part });
      continue;
    }
    for (const { place, tokens } of placesOf(label, layout, { long: false, stops: (other) => !isFilledIn(other) })) {
      const piece = candidate(key, { type: 'string' }, label, place, tokens.slice(0, MOST_WORDS));
      const known = best.get(target.index)?.piece;
      if (piece && (!known || better(piece, known))) best.set(target.index, { piece, part: target.part });
    }
  }
  const pieces = together([...best].sort(([a], [b]) => a - b).map(([, one]) => one));
  const [first] = pieces;
  if (!first || pieces.length < 2) return undefined;
  const used: Token[] = pieces.flatMap(({ piece }) => piece.tokens);
  return {
    key,
    label: first.piece.label,
    tokens: used,
    value: pieces.map(({ piece, part }) => written(part, String(piece.value))).join(', '),
    score: pieces.reduce((sum, { piece }) => sum + piece.score, 0) / pieces.length,
  };
}

/**
 * What stands in cells of its own behind a label: its kind, then its name, each in the next cell of the row (`Улица | пер.
 * | Речной`), or in rows of theirs that say which is which (`Улица | тип | пер.` over `| наименование | Речной`).
 */
function kindAndName({ block, to }: Occurrence, { blocks }: Layout): readonly Token[] | undefined {
  if (!block.cell || to < block.tokens.length) return undefined;
  const [first, second] = block.row.slice(block.row.indexOf(block) + 1);
  if (!first || !second || second.cell!.x0 > first.cell!.x1 + 4) return undefined;
  if (/^\p{Ll}[\p{Ll}-]{0,4}\.$/u.test(textOf(first.tokens))) return [...first.tokens, ...second.tokens];
  if (!/^(тип|вид)$/iu.test(textOf(first.tokens))) return undefined;
  const named = blocks.find(
    ({ sheet, cell, tokens }) =>
      sheet === block.sheet &&
      cell &&
      Math.abs(cell.x0 - first.cell!.x0) < 4 &&
      Math.abs(cell.y0 - first.cell!.y1) < 4 &&
      /^(наименование|название)$/iu.test(textOf(tokens)),
  );
  const name = named?.row[named.row.indexOf(named) + 1];
  return name ? [...second.tokens, ...name.tokens] : second.tokens;
}

/** What was filled in names no part, even where a word of it looks as one: `б-р Строителей`. */
const isFilledIn = ({ block, score }: Occurrence): boolean => block.filled && score < 0.95;

const MOST_WORDS = 6;

/** The better label; of equals the earlier one. */
const better = (a: Candidate, b: Candidate): boolean =>
  a.score > b.score + 0.01 || (a.score > b.score - 0.01 && order(a.label) < order(b.label));
const order = ({ block, from }: Occurrence): number => block.tokens[from]!.id;

/** Those on the page that most of them are on. */
function together(pieces: { piece: Candidate; part: PartSpec }[]): { piece: Candidate; part: PartSpec }[] {
  const pages = pieces.map(({ piece }) => piece.label.block.sheet);
  const count = (sheet: unknown) => pages.filter((one) => one === sheet).length;
  const most = [...pages].sort((a, b) => count(b) - count(a))[0];
  return pieces.filter(({ piece }) => piece.label.block.sheet === most);
}

function written({ write, unless }: PartSpec, value: string): string {
  if (unless !== undefined && schemaPattern(unless, 'iu').test(value)) return value;
  return write.replace('{}', value);
}
