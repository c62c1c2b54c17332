import { type FoundValue, readValue } from '../../schema/values.ts';
import type { FieldSpec } from '../../schema/schema.ts';
import type { Block } from './blocks.ts';
import { type Line, textOf, type Token } from './sheet.ts';
import type { Occurrence } from './occurrences.ts';

/** A value that stands where a label says. */
export interface Candidate {
  readonly key: string;
  readonly label: Occurrence;
  readonly tokens: readonly Token[];
  readonly text: string;
  readonly value: FoundValue['value'];
  /** 0..1: label, place and form together. */
  readonly score: number;
}

/** Where a value stands to its label, and how often that is right. */
const PLACES = { colon: 1, same: 0.92, right: 0.98, below: 0.8, above: 0.85 } as const;
type Place = keyof typeof PLACES;

export interface Layout {
  readonly blocks: readonly Block[];
  readonly labels: ReadonlyMap<Block, readonly Occurrence[]>;
}

/** The tokens that may be the value of the label, in each place where one may stand. */
export function* valuesOf(label: Occurrence, spec: FieldSpec, layout: Layout): Generator<{ place: Place; tokens: Token[] }> {
  const same = rest(label, layout);
  if (same.tokens.length > 0) {
    const tokens = spec.type === 'string' ? [...same.tokens, ...continued(same.tokens, label, layout)] : same.tokens;
    yield { place: same.colon ? 'colon' : 'same', tokens };
  }
  const nextInBlock = (layout.labels.get(label.block) ?? []).some(({ from }) => from >= label.to);
  if (!nextInBlock && !same.filled) {
    const right = toTheRight(label, layout);
    if (right.length > 0) {
      const tokens = spec.type === 'string' ? [...right, ...continued(right, label, layout)] : right;
      yield { place: 'right', tokens: [...(same.tokens.length && spec.type !== 'string' ? same.tokens : []), ...tokens] };
    }
    const below = beside(label, layout, 'below');
    if (below.length > 0 && right.length === 0) yield { place: 'below', tokens: below };
    const above = beside(label, layout, 'above');
    if (above.length > 0 && asideLabel(label)) yield { place: 'above', tokens: above };
  }
}

/** What the tokens are as a value of the field. */
export function candidate(
  key: string,
  spec: FieldSpec,
  label: Occurrence,
  place: Place,
  tokens: readonly Token[],
): Candidate | undefined {
  const cleaned = trimmed(tokens);
  const text = textOf(cleaned);
  if (text === '' || /^[-—–_.\s]*$/u.test(text)) return undefined;
  const labelText = textOf(label.block.tokens.slice(label.from, label.to + 3));
  const found = readValue(spec, text, labelText);
  if (!found) return undefined;
  const used = spec.type === 'string' ? cleaned : within(cleaned, found);
  const value = spec.type === 'string' ? tidy(text) : found.value;
  if (value === '') return undefined;
  // A number far behind its label is seldom meant by it.
  const late = spec.type === 'string' ? 1 : 0.9 ** Math.max(0, words(text.slice(0, found.start)) - 2);
  return { key, label, tokens: used, text: textOf(used), value, score: label.score * PLACES[place] * late * shaped(spec, value) };
}

const words = (text: string): number => text.match(/\p{L}{2,}/gu)?.length ?? 0;

export function shaped(spec: FieldSpec, value: unknown): number {
  if (!spec.shapes) return 1;
  return spec.shapes.some((shape) => new RegExp(shape, 'u').test(String(value))) ? 1.05 : 0.75;
}

/** The tokens of which the found part of their text is. */
function within(tokens: readonly Token[], found: { start: number; end: number }): Token[] {
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

/** Without the marks and numbers of the form around a value. */
function trimmed(tokens: readonly Token[]): Token[] {
  const all = [...tokens];
  while (all[0] && /^[:;,.\-—–/|_=]+$/u.test(all[0].text)) all.shift();
  while (all.length > 0 && /^[:;,|_/]+$/u.test(all.at(-1)!.text)) all.pop();
  return all;
}

const tidy = (text: string): string =>
  text
    .replace(/^[\s:;,/|]+|[\s:;,/|_]+$/gu, '')
    .replace(/\s+([,.;:)])/gu, '$1')
    .replace(/([(«])\s+/gu, '$1')
    .trim();

/** The rest of the block behind the label, up to the next label. */
function rest(label: Occurrence, { labels }: Layout): { tokens: Token[]; colon: boolean; filled: boolean } {
  const { block, to } = label;
  const next = (labels.get(block) ?? []).find(({ from }) => from >= to)?.from ?? block.tokens.length;
  let tokens = block.tokens.slice(to, next);
  let colon = /:$/u.test(block.tokens[to - 1]!.text);
  // What stands before a colon is the label's own: "Общая площадь квартиры, кв. м:".
  const at = tokens.findIndex(({ text }) => text.endsWith(':'));
  if (!colon && at >= 0 && at < 8 && !tokens.slice(0, at).some(({ text }) => /\d{2}/u.test(text))) {
    colon = true;
    tokens = tokens.slice(at + 1);
  }
  if (!colon) tokens = behindAside(tokens);
  return { tokens, colon, filled: false };
}

/** Without what a label ends with: brackets, units after a comma. */
function behindAside(tokens: readonly Token[]): Token[] {
  let all = [...tokens];
  if (all[0]?.text.startsWith('(')) {
    const end = all.findIndex(({ text }) => /\)[,:;.]?$/u.test(text));
    if (end >= 0) all = all.slice(end + 1);
  }
  while (all[0] && /^(,|кв\.?|м|м²|м2|кв\.?м\.?,?|m²|m2|sq\.?|m|%|руб\.?|руб|\(?%\)?,?|№|г\.)[,:;]?$/u.test(all[0].text)) all.shift();
  return all;
}

/** The blocks to the right on the line, up to one that begins with a label; the next cell of a table. */
function toTheRight({ block }: Occurrence, { labels }: Layout): Token[] {
  const at = block.row.indexOf(block);
  if (block.cell) {
    const next = block.row[at + 1];
    return next && !starts(next, labels, 0.9) ? [...next.tokens] : [];
  }
  const tokens: Token[] = [];
  for (const next of block.row.slice(at + 1)) {
    const first = labels.get(next)?.[0];
    if (first && first.from === 0 && (tokens.length > 0 || first.score > 0.75)) break;
    const gap = tokens.length > 0 ? next.x0 - tokens.at(-1)!.x1 : 0;
    if (gap > 6 * block.height && tokens.length > 0) break;
    tokens.push(...(first ? next.tokens.slice(0, first.from) : next.tokens));
    if (first) break;
  }
  return tokens;
}

const starts = (block: Block, labels: Layout['labels'], score: number): boolean =>
  (labels.get(block) ?? []).some((label) => label.from <= 1 && label.score >= score);

/** The nearest block below or above that shares the label's width, if no label of its own. */
function beside({ block }: Occurrence, { blocks, labels }: Layout, side: 'below' | 'above'): Token[] {
  const near = blocks
    .filter((other) => other.sheet === block.sheet && other !== block && Boolean(other.cell) === Boolean(block.cell))
    .map((other) => ({ other, gap: side === 'below' ? other.y0 - block.y1 : block.y0 - other.y1 }))
    .filter(({ other, gap }) => gap > -0.4 * block.height && gap < 2.2 * block.height && shared(other, block) > 0)
    .sort((a, b) => a.gap - b.gap)[0]?.other;
  if (!near || starts(near, labels, 0.7)) return [];
  return [...near.tokens];
}

const shared = (a: Line, b: Line): number => Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);

/** Written small or in brackets, as labels are that stand below their blank. */
function asideLabel({ block, from }: Occurrence): boolean {
  return from <= 1 && /^\(/u.test(block.tokens[0]!.text);
}

/** Further lines of a text that goes on below its first line. */
function continued(first: readonly Token[], label: Occurrence, { blocks, labels }: Layout): Token[] {
  if (label.block.cell || first.length === 0) return [];
  const { sheet } = label.block;
  const more: Token[] = [];
  let last = first;
  const left = Math.min(...first.map(({ x0 }) => x0));
  for (;;) {
    const height = label.block.height;
    const bottom = Math.max(...last.map(({ y1 }) => y1));
    const next = blocks.find(
      (other) =>
        other.sheet === sheet &&
        !other.cell &&
        other.y0 > bottom - 0.5 * height &&
        other.y0 < bottom + 0.9 * height &&
        Math.abs(other.x0 - left) < 0.8 * height &&
        other.row[0] === other &&
        (labels.get(other) ?? []).length === 0,
    );
    if (!next || left < label.block.x1 - 1) return more;
    more.push(...next.tokens);
    last = next.tokens;
  }
}
