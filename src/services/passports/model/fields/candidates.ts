import { asDigits } from '../../schema/numbers.ts';
import { schemaPattern } from '../../schema/pattern.ts';
import type { ValueSpec } from '../../schema/schema.ts';
import { type FoundValue, readValue } from '../../schema/values.ts';
import type { Occurrence } from './label-finder.ts';
import { joinText, type Token } from './page-tokens.ts';
import { POSITION_SCORES, type ValuePosition } from './value-positions.ts';

export interface Candidate {
  readonly key: string;
  readonly label: Occurrence;
  readonly tokens: readonly Token[];
  readonly value: FoundValue['value'];
  /** 0..1, from label, position and shape. */
  readonly score: number;
}

/** Parses tokens at `place` relative to the label as a value; returns undefined for other text. */
export function createCandidate(
  key: string,
  spec: ValueSpec & { readonly shapes?: readonly string[] },
  label: Occurrence,
  place: ValuePosition,
  tokens: readonly Token[],
): Candidate | undefined {
  const cleaned = trimPunctuation(tokens);
  const text = joinText(cleaned);
  if (text === '' || /^[-—–_.\s]*$/u.test(text)) return undefined;
  if (spec.type === 'string') {
    const value = correctInitials(spec.shapes, normalizeText(text));
    if (!/[\p{L}\d]/u.test(value)) return undefined;
    const score = label.score * POSITION_SCORES[place] * shapeFactor(spec.shapes, value);
    return { key, label, tokens: cleaned, value, score };
  }
  const found = readValue(spec, text, joinText(label.block.tokens.slice(label.from, label.to + 3)));
  if (!found) return undefined;
  // A number after many words seldom belongs to the label.
  const distanceFactor = 0.9 ** Math.max(0, (text.slice(0, found.start).match(/\p{L}{2,}/gu)?.length ?? 0) - 2);
  return {
    key,
    label,
    tokens: tokensInRange(cleaned, found),
    value: found.value,
    score: label.score * POSITION_SCORES[place] * distanceFactor,
  };
}

/** The score factor for matching the field's `shapes`. */
export function shapeFactor(shapes: readonly string[] | undefined, value: string): number {
  if (!shapes) return 1;
  return shapes.some((shape) => schemaPattern(shape, 'u').test(value)) ? 1.05 : 0.7;
}

/** Corrects confused digits and letters if the result matches the field's `shapes`. */
export function correctInitials(shapes: readonly string[] | undefined, value: string): string {
  if (!shapes || shapeFactor(shapes, value) > 1) return value;
  const initials = value.replace(/(?<![\d\p{L}])(10|LL|[03469b[])(?![\d\p{L}])/gu, (match) => INITIALS[match] ?? match);
  const corrections = [initials, `${initials}.`, asDigits(value).replace(/\s/gu, '')];
  return corrections.find((one) => shapeFactor(shapes, one) > 1) ?? value;
}

const INITIALS: Readonly<Record<string, string>> = {
  0: 'О',
  3: 'З',
  4: 'Ч',
  6: 'Б',
  9: 'Э',
  10: 'Ю',
  LL: 'Щ',
  b: 'Б',
  '[': 'Г',
};

/** The tokens that overlap a range of their joined text. */
export function tokensInRange(
  tokens: readonly Token[],
  found: { readonly start: number; readonly end: number },
): Token[] {
  const used: Token[] = [];
  let at = 0;
  for (const token of tokens) {
    if (at > 0 && !token.glued) at++;
    const end = at + token.text.length;
    if (at < found.end && end > found.start) used.push(token);
    at = end;
  }
  return used;
}

function trimPunctuation(tokens: readonly Token[]): Token[] {
  const all = [...tokens];
  while (all[0] && /^[:;,.\-—–/|_=]+$/u.test(all[0].text)) all.shift();
  if (all.length > 1 && /^(№|N[oо°º]?\.?|No\.)$/u.test(all[0]!.text) && /^\d/u.test(all[1]!.text)) all.shift();
  while (all.length > 0 && /^[:;,|_/.]+$/u.test(all.at(-1)!.text)) all.pop();
  return all;
}

/** Normalizes spaces, punctuation and hyphenation of a value. */
export function normalizeText(text: string): string {
  const plain = text
    .replace(/^[\s:;,/|]+/u, '')
    .replace(/(?<![\s:;,/|_])[\s:;,/|_]+$/u, '')
    .replace(/(?<!\s)\s+([,.;:)])/gu, '$1')
    .replace(/([(«])\s+/gu, '$1')
    .replace(/(?<![\p{L}\d])6(?=-р(?!\p{L}))/gu, 'б')
    .replace(/(?<=\p{Ll}{3})-\s(?=\p{Ll})/gu, '')
    .replace(/(?<=\p{Ll}{3}|[»)]|(?<!\p{Lu}\.\s?)\d)\.$/u, '')
    .trim();
  return /^\([^()]*\)$/u.test(plain) ? plain.slice(1, -1) : plain;
}
