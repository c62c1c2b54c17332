import { schemaPattern } from '../../schema/pattern.ts';
import type { FieldSpec, ValueSpec } from '../../schema/schema.ts';
import { toTextValue } from '../fields/correct-text.ts';
import type { Token } from '../fields/page-tokens.ts';
import { inReadingOrder, textOf } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { after, before } from './whole-names.ts';

// OCR reads О as 0 and М as м.
const INITIALS = /^(?:[\p{L}03469]\.-?){1,2},?$/u;
const MAX_INITIALS = 2;
// Of two names with titles; the runs of words grow with the square.
const MAX_WORDS = 16;

/**
 * Adds initials beside the words, or leaves out words at the ends, if the value then has one of the `shapes` of its field
 * that describe a whole value. Of two names, the one that the network is surer of.
 */
export function fitShapes(
  members: readonly number[],
  reading: PageReading,
  name: string,
  spec: ValueSpec & Pick<FieldSpec, 'shapes'>,
): number[] {
  const shapes = (spec.shapes ?? []).filter((shape) => shape.startsWith('^') && shape.endsWith('$'));
  const patterns = shapes.map((shape) => schemaPattern(shape, 'u'));
  const fits = (tokens: readonly Token[]) => {
    const value = toTextValue(spec, textOf(tokens), tokens);
    // Names in English may have titles and degrees.
    return /\p{sc=Cyrl}/u.test(value) && /\p{Lu}\./u.test(value) && patterns.some((pattern) => pattern.test(value));
  };
  const { tokens, probabilityOf } = reading;
  const chosen = inReadingOrder(members.map((i) => tokens[i]!));
  if (patterns.length === 0 || members.length > MAX_WORDS) return [...members];
  const whole = withInitials(chosen, reading);
  if (fits(whole)) return indices(whole);
  if (fits(chosen)) return [...members];
  const score = (part: readonly Token[]) =>
    part.reduce((sum, token) => sum + probabilityOf(tokens.indexOf(token), name), 0) / part.length;
  const [part] = parts(chosen)
    .filter(fits)
    .sort((a, b) => Number(isBesideName(b)) - Number(isBesideName(a)) || score(b) - score(a));
  return part ? indices(part) : [...members];

  /** Whether the rest is another name. */
  function isBesideName(part: readonly Token[]): boolean {
    return fits(chosen.filter((token) => !part.includes(token)));
  }

  function indices(found: readonly Token[]): number[] {
    return found.map((token) => tokens.indexOf(token));
  }
}

/** The runs of at least two words. */
function parts(tokens: readonly Token[]): Token[][] {
  const found: Token[][] = [];
  for (let from = 0; from < tokens.length - 1; from++)
    for (let to = from + 2; to <= tokens.length; to++) found.push(tokens.slice(from, to));
  return found;
}

function withInitials(chosen: readonly Token[], { tokens, likeliest, areApart }: PageReading): Token[] {
  const isFree = (token: Token | undefined): token is Token =>
    token !== undefined &&
    INITIALS.test(token.text) &&
    !chosen.includes(token) &&
    likeliest(tokens.indexOf(token)) === 'none' &&
    !areApart(tokens.indexOf(token), tokens.indexOf(chosen[0]!));
  const found = [...chosen];
  for (const [next, add] of [
    [before, (token: Token) => found.unshift(token)],
    [after, (token: Token) => found.push(token)],
  ] as const) {
    for (let count = 0; count < MAX_INITIALS; count++) {
      const token = next(next === before ? found[0]! : found.at(-1)!, tokens);
      if (!isFree(token)) break;
      add(token);
    }
  }
  return found;
}
