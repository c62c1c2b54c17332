import { schemaPattern } from '../../schema/pattern.ts';
import type { PartSpec } from '../../schema/schema.ts';
import { type Candidate, createCandidate } from './candidates.ts';
import type { Occurrence } from './label-finder.ts';
import { joinText, type Token } from './page-tokens.ts';
import { findValuePositions, type Layout } from './value-positions.ts';

/** Assembles a value that a form asks for in parts, such as an address by street, house and flat. */
export function assembleCompositeValue(
  key: string,
  layout: Layout,
  whole: readonly Candidate[],
): Candidate | undefined {
  const completeValue = new Set(
    whole.filter((one) => one.key === key && one.score > 0.5).flatMap(({ tokens }) => tokens),
  );
  const best = new Map<number, { piece: Candidate; part: PartSpec }>();
  for (const label of [...layout.labels.values()].flat()) {
    const { target } = label;
    if (target.kind !== 'part' || target.key !== key || isFilledIn(label)) continue;
    // "ул. Садовая, дом 98" in a complete address is not a label, unless blanks are filled in.
    const inside = label.block.tokens.slice(label.from, label.to).some((token) => completeValue.has(token));
    if (inside && !label.block.row.some(({ filled }) => filled)) continue;
    const named = findKindAndName(label, layout);
    const piece = named && createCandidate(key, { type: 'string' }, label, 'right', named);
    if (piece) {
      best.set(target.index, { piece, part: target.part });
      continue;
    }
    for (const { place, tokens } of findValuePositions(label, layout, {
      long: false,
      stops: (other) => !isFilledIn(other),
    })) {
      const piece = createCandidate(key, { type: 'string' }, label, place, tokens.slice(0, MAX_WORDS));
      const known = best.get(target.index)?.piece;
      if (piece && (!known || isBetter(piece, known))) best.set(target.index, { piece, part: target.part });
    }
  }
  const pieces = onMainPage([...best].sort(([a], [b]) => a - b).map(([, one]) => one));
  const [first] = pieces;
  if (!first || pieces.length < 2) return undefined;
  const tokens: Token[] = pieces.flatMap(({ piece }) => piece.tokens);
  return {
    key,
    label: first.piece.label,
    tokens,
    value: pieces.map(({ piece, part }) => formatPart(part, String(piece.value))).join(', '),
    score: pieces.reduce((sum, { piece }) => sum + piece.score, 0) / pieces.length,
  };
}

/** Finds type and name in one row (`Улица | пер. | Речной`) or two (`Улица | тип | пер.` above `| наименование | Речной`). */
function findKindAndName({ block, to }: Occurrence, { blocks }: Layout): readonly Token[] | undefined {
  if (!block.cell || to < block.tokens.length) return undefined;
  const [first, second] = block.row.slice(block.row.indexOf(block) + 1);
  if (!first || !second || second.cell!.x0 > first.cell!.x1 + 4) return undefined;
  if (/^\p{Ll}[\p{Ll}-]{0,4}\.$/u.test(joinText(first.tokens))) return [...first.tokens, ...second.tokens];
  if (!/^(тип|вид)$/iu.test(joinText(first.tokens))) return undefined;
  const named = blocks.find(
    ({ sheet, cell, tokens }) =>
      sheet === block.sheet &&
      cell &&
      Math.abs(cell.x0 - first.cell!.x0) < 4 &&
      Math.abs(cell.y0 - first.cell!.y1) < 4 &&
      /^(наименование|название)$/iu.test(joinText(tokens)),
  );
  const name = named?.row[named.row.indexOf(named) + 1];
  return name ? [...second.tokens, ...name.tokens] : second.tokens;
}

/** Whether the label is part of a filled-in value: `б-р Строителей`. */
const isFilledIn = ({ block, score }: Occurrence): boolean => block.filled && score < 0.95;

const MAX_WORDS = 6;

const isBetter = (a: Candidate, b: Candidate): boolean =>
  a.score > b.score + 0.01 || (a.score > b.score - 0.01 && position(a.label) < position(b.label));
const position = ({ block, from }: Occurrence): number => block.tokens[from]!.id;

function onMainPage(pieces: { piece: Candidate; part: PartSpec }[]): { piece: Candidate; part: PartSpec }[] {
  const pages = pieces.map(({ piece }) => piece.label.block.sheet);
  const count = (sheet: unknown) => pages.filter((one) => one === sheet).length;
  const most = [...pages].sort((a, b) => count(b) - count(a))[0];
  return pieces.filter(({ piece }) => piece.label.block.sheet === most);
}

function formatPart({ write, unless }: PartSpec, value: string): string {
  if (unless !== undefined && schemaPattern(unless, 'iu').test(value)) return value;
  return write.replace('{}', value);
}
