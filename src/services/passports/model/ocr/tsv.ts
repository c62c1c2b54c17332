import type { LineWord } from './ocr-engine.ts';

/** Parses TSV: column 0 is the level (5: word), 1 the page, 6 to 9 the box, 10 the confidence in percent, 11 the text. */
export function parseTsv(tsv: string, pages: number, firstPage = 1): LineWord[][] {
  const words = Array.from({ length: pages }, (): LineWord[] => []);
  for (const row of tsv.split('\n')) {
    const cells = row.split('\t');
    const text = cells[11]?.trim();
    if (cells[0] !== '5' || !text) continue;
    const [left = 0, top = 0, width = 0, height = 0, percent = 0] = cells.slice(6, 11).map(Number);
    words[Number(cells[1]) - firstPage]?.push({
      text,
      left,
      top,
      right: left + width,
      bottom: top + height,
      confidence: Math.min(1, Math.max(0, percent / 100)),
    });
  }
  return words.map((line) => trimOverlaps(line.filter((word, i) => !isRepeated(word, line[i - 1]))));
}

/** Whether a word is the end of the word before it, which Tesseract returns once more: `руб.` and `б.` */
function isRepeated({ text, left, right }: LineWord, before: LineWord | undefined): boolean {
  if (!before || text.length < 2 || !/^\p{L}/u.test(text) || !before.text.endsWith(text)) return false;
  const width = before.right - before.left;
  // Others contain all words after them.
  const isOneWord = width < before.text.length * (before.bottom - before.top);
  return isOneWord && left > before.left && Math.abs(right - before.right) <= 2 && right - left < 0.5 * width;
}

/** Chosen. Of the height of a word: the space after it, and the widest character. */
const WORD_SPACE = 0.15;
const MAX_CHARACTER_WIDTH = 1;

/** Tesseract may give a word the box of all words after it on the line (tesseract-ocr/tesseract#3944). */
function trimOverlaps(line: readonly LineWord[]): LineWord[] {
  return line.map((word, i) => {
    const next = line[i + 1];
    if (!next || next.left <= word.left || word.right <= (next.left + next.right) / 2) return word;
    const height = word.bottom - word.top;
    const right = Math.min(
      next.left - Math.round(WORD_SPACE * height),
      word.left + MAX_CHARACTER_WIDTH * height * Math.max(2, word.text.length),
    );
    return { ...word, right: Math.max(word.left + 1, right) };
  });
}
