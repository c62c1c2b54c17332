import { composeCharacters } from '../../../../base/compose-characters.ts';
import { type Box, boundingBox, clipBox, type Turn, type Word } from '../../page-geometry.ts';

/** A character; boxes are in points from the top left corner of the displayed page. */
export interface Glyph {
  readonly text: string;
  /** The glyph; empty for a space. */
  readonly glyphBox: Box;
  /** The font's advance width and height. */
  readonly advanceBox: Box;
  readonly size: number;
  /** Text direction: 0 right, 90 down, 180 left, 270 up. */
  readonly turn: Turn;
  /** The PDF does not map the glyph to Unicode. */
  readonly unknown: boolean;
}

/** Groups characters into words, as shares of the page. Omits text off the page and drawn twice to look bold. */
export function groupWords(glyphs: readonly Glyph[], page: { width: number; height: number }): Word[] {
  const words: Word[] = [];
  for (const run of joinParts(groupRuns(glyphs))) {
    const word = wordOf(run, page);
    if (word && !isDuplicate(word, words)) words.push(word);
  }
  return words;
}

function groupRuns(glyphs: readonly Glyph[]): Glyph[][] {
  const runs: Glyph[][] = [];
  let open: Glyph[] | undefined;
  for (const glyph of glyphs) {
    if (isBlank(glyph)) {
      open = undefined;
      continue;
    }
    if (!open || !follows(glyph, open.at(-1)!)) {
      open = [];
      runs.push(open);
    }
    open.push(glyph);
  }
  return runs;
}

/** A part of a word and the next one are at most so many runs apart. */
const MAX_PARTS_BETWEEN = 20;
/** Of the font size, between parts of a word; a space is wider. */
const MAX_PART_GAP = 0.08;

/** Joins parts of a word between which PDFium returns other text of the line. */
function joinParts(runs: readonly Glyph[][]): Glyph[][] {
  const joined = new Set<Glyph[]>();
  return runs.flatMap((run, at) => {
    if (joined.has(run)) return [];
    const whole = [...run];
    // The next run does not follow this one.
    for (const part of runs.slice(at + 2, at + MAX_PARTS_BETWEEN)) {
      if (joined.has(part) || !continues(part[0]!, whole.at(-1)!)) continue;
      whole.push(...part);
      joined.add(part);
    }
    return [whole];
  });
}

function continues(next: Glyph, last: Glyph): boolean {
  const gap = along(next.advanceBox, next.turn).from - along(last.advanceBox, last.turn).to;
  return next.size === last.size && follows(next, last) && Math.abs(gap) < MAX_PART_GAP * last.size;
}

/** The clockwise rotation that makes most text upright. */
export function detectTurn(glyphs: readonly Glyph[]): Turn {
  const votes = new Map<Turn, number>();
  for (const glyph of glyphs) if (!isBlank(glyph)) votes.set(glyph.turn, (votes.get(glyph.turn) ?? 0) + 1);
  const [most] = [...votes].sort((a, b) => b[1] - a[1])[0] ?? [0 as Turn];
  return ((360 - most) % 360) as Turn;
}

/** Whether the page needs OCR: unmapped characters, or Cyrillic encoded as Latin-1 (`Òåõíè÷åñêèé ïàñïîðò`). */
export function isGarbled(glyphs: readonly Glyph[]): boolean {
  const visible = glyphs.filter((glyph) => !isBlank(glyph));
  const unmapped = visible.filter((glyph) => glyph.unknown || UNMAPPED.test(glyph.text)).length;
  if (unmapped > visible.length * 0.2) return true;
  const letters = visible.filter((glyph) => /\p{L}/u.test(glyph.text));
  const accented = letters.filter((glyph) => /[\u00c0-\u00ff]/.test(glyph.text)).length;
  // French and Vietnamese have less than a third.
  return letters.length >= 10 && accented > letters.length * 0.6;
}

// Private use, unassigned, control and replacement characters.
const UNMAPPED = /[\p{Co}\p{Cn}\p{Cc}\ufffd]/u;

// In font sizes. Letters are within 0.1 of each other; a space is 0.25, or 0.15 in condensed lines.
const MAX_GAP = 0.17;
// More than kerning, less than a new line or column.
const MAX_SETBACK = 0.5;

function follows(next: Glyph, last: Glyph): boolean {
  if (next.turn !== last.turn) return false;
  const size = Math.max(next.size, last.size);
  const a = along(last.advanceBox, last.turn);
  const b = along(next.advanceBox, next.turn);
  const gap = b.from - a.to;
  if (gap > MAX_GAP * size || b.from < a.from - MAX_SETBACK * size || gap < -Math.max(size, a.to - a.from))
    return false;
  return Math.abs(b.middle - a.middle) < 0.5 * size;
}

/** The extent along the text direction, and the middle across. */
function along([x0, y0, x1, y1]: Box, turn: Turn): { from: number; to: number; middle: number } {
  const [start, end, side, otherSide] = turn % 180 === 0 ? [x0, x1, y0, y1] : [y0, y1, x0, x1];
  const [from, to] = turn < 180 ? [start, end] : [-end, -start];
  return { from, to, middle: (side + otherSide) / 2 };
}

function wordOf(glyphs: readonly Glyph[], page: { width: number; height: number }): Word | undefined {
  const text = normalize(glyphs.map((glyph) => glyph.text).join(''));
  if (text === '') return undefined;
  const box = boundingBox(glyphs.map(({ glyphBox }) => glyphBox));
  const [x0, y0, x1, y1] = [box[0] / page.width, box[1] / page.height, box[2] / page.width, box[3] / page.height];
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return undefined;
  return { text, box: clipBox([x0, y0, x1, y1]), confidence: null };
}

/** Splits ligatures, composes accents, unifies hyphens. */
function normalize(text: string): string {
  const plain = text
    .replace(/[\ufb00-\ufb06]/g, (ligature) => composeCharacters(ligature, 'NFKC'))
    .replace(/[\u0002\u00ad](?=.)/g, '')
    .replace(/[\u0002\u00ad\u2010\u2011]/g, '-')
    .replace(/[\p{Cc}\p{Cs}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/gu, '');
  return composeCharacters(plain, 'NFC');
}

const isBlank = (glyph: Glyph) => /^[\s\u00a0\u200b]*$/.test(glyph.text);

/** Drawn again at almost the same position. */
function isDuplicate(word: Word, words: readonly Word[]): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) < 0.0025;
  return words
    .slice(-40)
    .some((other) => other.text === word.text && other.box.every((edge, index) => near(edge, word.box[index]!)));
}
