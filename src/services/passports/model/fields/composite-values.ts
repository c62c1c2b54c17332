import { schemaPattern } from '../../schema/pattern.ts';
import type { PartSpec } from '../../schema/schema.ts';
import { type Candidate, createCandidate } from './candidates.ts';
import { findValuePositions, type Layout } from './value-positions.ts';

const MAX_WORDS = 6;

/** Assembles a value with labelled parts, such as an address by street, house and flat. */
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
    const { target, block } = label;
    if (target.kind !== 'part' || target.key !== key) continue;
    // "ул. Садовая, дом 98" in a complete address is not a label.
    if (block.tokens.slice(label.from, label.to).some((token) => completeValue.has(token))) continue;
    for (const { place, tokens } of findValuePositions(label, layout, { long: false, stops: () => true })) {
      const piece = createCandidate(key, { type: 'string' }, label, place, tokens.slice(0, MAX_WORDS));
      const known = best.get(target.index)?.piece;
      if (piece && (!known || piece.score > known.score)) best.set(target.index, { piece, part: target.part });
    }
  }
  const pieces = [...best].sort(([a], [b]) => a - b).map(([, one]) => one);
  const [first] = pieces;
  if (!first || pieces.length < 2) return undefined;
  return {
    key,
    label: first.piece.label,
    tokens: pieces.flatMap(({ piece }) => piece.tokens),
    value: pieces.map(({ piece, part }) => writePart(part, String(piece.value))).join(', '),
    score: pieces.reduce((sum, { piece }) => sum + piece.score, 0) / pieces.length,
  };
}

/** Writes a part of a value by its template, unless it is written out on the page or names its own kind: `здание № 14`. */
export function writePart({ write, unless }: PartSpec, value: string): string {
  if (unless === undefined) return write.replace('{}', value);
  return OWN_KIND.test(value) || schemaPattern(unless, 'iu').test(value) ? value : write.replace('{}', value);
}

/** The names and numbers of a composite value, without the kinds of its parts: `Тверь`, `2-й Фабричный`, `8а`. */
export const namesIn = (text: string): string[] =>
  (text.match(/[\p{L}\d][\p{L}\d.-]*/gu) ?? [])
    .filter((word) => /\d|\p{Lu}/u.test(word) && !/^\p{L}\.$/u.test(word))
    .map((word) => word.replace(/(?<!\.)\.+$/u, '').toLowerCase());

/** Words in lower case before a name or a number, but not those of a name in honour of a person. */
const OWN_KIND = /^(?!им\.|имени\s)(?:\p{Ll}[\p{Ll}-]*\.?\s+){1,3}[\p{Lu}«№\d]/u;
