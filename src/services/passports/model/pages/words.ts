import { composeCharacters } from '../../../../base/compose-characters.ts';
import type { Box, Turn, Word } from '../../page.ts';

/** One character as a PDF carries it. Places are in points from the top left corner of the page as it is shown. */
export interface Glyph {
  readonly text: string;
  /** Of its ink; of no width or height for a blank. */
  readonly ink: Box;
  /** Of the room that its font gives it: from where it begins to where the next one does. */
  readonly room: Box;
  /** In points. */
  readonly size: number;
  /** Which way the line runs: 0 to the right, 90 downwards, 180 to the left, 270 upwards. */
  readonly turn: Turn;
  /** Whether the PDF could not say which character it is. */
  readonly unknown: boolean;
}

/**
 * The words that the characters of a page make, in the order in which the page gives them, as shares of the page. A word
 * ends at a blank, where the line ends, and where the next character stands off by more than letters of a word do.
 * What lies outside the page is left out; what is drawn twice to look bold is there once.
 */
export function wordsOf(glyphs: readonly Glyph[], page: { width: number; height: number }): Word[] {
  const words: Word[] = [];
  let open: Glyph[] = [];
  const close = () => {
    const word = open.length > 0 ? wordOf(open, page) : undefined;
    if (word && !isEcho(word, words)) words.push(word);
    open = [];
  };
  for (const glyph of glyphs) {
    if (isBlank(glyph)) {
      close();
      continue;
    }
    const last = open.at(-1);
    if (last && !follows(glyph, last)) close();
    open.push(glyph);
  }
  close();
  return words;
}

/** Which way most of the text runs, as the turn that sets it upright. */
export function turnOf(glyphs: readonly Glyph[]): Turn {
  const votes = new Map<Turn, number>();
  for (const glyph of glyphs) if (!isBlank(glyph)) votes.set(glyph.turn, (votes.get(glyph.turn) ?? 0) + 1);
  const [most] = [...votes].sort((a, b) => b[1] - a[1])[0] ?? [0 as Turn];
  return ((360 - most) % 360) as Turn;
}

/**
 * Whether the text is none: mostly characters that the PDF cannot name, or Cyrillic that was written down as if it were
 * Latin (`Òåõíè÷åñêèé ïàñïîðò`: bytes of one code page read by another). Such pages look right and are read by their looks.
 */
export function isGarbage(glyphs: readonly Glyph[]): boolean {
  const seen = glyphs.filter((glyph) => !isBlank(glyph));
  const nameless = seen.filter((glyph) => glyph.unknown || NAMELESS.test(glyph.text)).length;
  if (nameless > seen.length * 0.2) return true;
  const letters = seen.filter((glyph) => /\p{L}/u.test(glyph.text));
  const accented = letters.filter((glyph) => /[\u00c0-\u00ff]/.test(glyph.text)).length;
  // French and Vietnamese stay below a third.
  return letters.length >= 10 && accented > letters.length * 0.6;
}

// Private use, unassigned and control characters, and the sign for "cannot be shown".
const NAMELESS = /[\p{Co}\p{Cn}\p{Cc}\ufffd]/u;

// Letters of a word follow each other within a tenth of their size; a blank is 0.25 wide, 0.15 in a line that is squeezed.
const MAX_GAP = 0.17;
// Kerning sets letters back by some hundredths; a new line or column sets back by more.
const MAX_SETBACK = 0.5;

function follows(next: Glyph, last: Glyph): boolean {
  if (next.turn !== last.turn) return false;
  const size = Math.max(next.size, last.size);
  const a = along(last.room, last.turn);
  const b = along(next.room, next.turn);
  const gap = b.from - a.to;
  if (gap > MAX_GAP * size || b.from < a.from - MAX_SETBACK * size || gap < -Math.max(size, a.to - a.from))
    return false;
  // Half a line apart is a superscript (m²); more is another line.
  return Math.abs(b.middle - a.middle) < 0.5 * size;
}

/** A box as its line sees it: where it begins and ends along the line, and its middle across. */
function along([x0, y0, x1, y1]: Box, turn: Turn): { from: number; to: number; middle: number } {
  switch (turn) {
    case 0:
      return { from: x0, to: x1, middle: (y0 + y1) / 2 };
    case 90:
      return { from: y0, to: y1, middle: (x0 + x1) / 2 };
    case 180:
      return { from: -x1, to: -x0, middle: (y0 + y1) / 2 };
    case 270:
      return { from: -y1, to: -y0, middle: (x0 + x1) / 2 };
  }
}

function wordOf(glyphs: readonly Glyph[], page: { width: number; height: number }): Word | undefined {
  const text = spelled(glyphs.map((glyph) => glyph.text).join(''));
  if (text === '') return undefined;
  const boxes = glyphs.map((glyph) => glyph.ink);
  const x0 = Math.min(...boxes.map((box) => box[0])) / page.width;
  const y0 = Math.min(...boxes.map((box) => box[1])) / page.height;
  const x1 = Math.max(...boxes.map((box) => box[2])) / page.width;
  const y1 = Math.max(...boxes.map((box) => box[3])) / page.height;
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return undefined;
  return { text, box: [within(x0), within(y0), within(x1), within(y1)], confidence: null };
}

const within = (share: number) => Math.min(1, Math.max(0, share));

/** One spelling of what looks the same: ligatures taken apart, letters with their accents as one, hyphens plain. */
function spelled(text: string): string {
  const plain = text
    .replace(/[\ufb00-\ufb06]/g, (ligature) => composeCharacters(ligature, 'NFKC'))
    .replace(/[\u0002\u00ad](?=.)/g, '')
    .replace(/[\u0002\u00ad\u2010\u2011]/g, '-')
    .replace(/[\p{Cc}\p{Cs}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/gu, '');
  return composeCharacters(plain, 'NFC');
}

const isBlank = (glyph: Glyph) => /^[\s\u00a0\u200b]*$/.test(glyph.text);

/** Drawn again within a hair's breadth; only the latest words can be its first drawing. */
function isEcho(word: Word, words: readonly Word[]): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) < 0.0025;
  return words
    .slice(-40)
    .some((other) => other.text === word.text && other.box.every((edge, index) => near(edge, word.box[index]!)));
}
