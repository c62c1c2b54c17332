import type { PartSpec } from '../../schema/schema.ts';
import { type Candidate, candidate } from './candidates.ts';
import type { Occurrence } from './occurrences.ts';
import { type Layout, placesOf } from './places.ts';
import type { Token } from './sheet.ts';

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
  if (unless !== undefined && new RegExp(unless, 'iu').test(value)) return value;
  return write.replace('{}', value);
}
