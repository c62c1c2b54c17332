import { recognizeInPageLanguage } from './english.ts';
import type { GrayImage } from './grayscale.ts';
import { type LineWord, meanConfidence, type OcrEngine, OcrTimeout } from './ocr-engine.ts';
import { coreOf } from './reconcile-figures.ts';
import { reconcileWords } from './reconcile-words.ts';
import { MARGIN } from './text-regions.ts';
import type { WordReading } from './word-reader.ts';

/** Words of a page that are read again; each is an image of its own. */
const MAX_AGAIN = 2000;

/**
 * Recognizes lines, then their words again with a network that reads single words, and on a Russian page those in Latin
 * letters with Tesseract's Russian network: its networks together read `лист` as `nuct`. Without a Russian reading in time
 * the first one stays.
 */
export async function recognizeTwice(
  engine: OcrEngine,
  lines: readonly GrayImage[],
  signal: AbortSignal,
): Promise<LineWord[][]> {
  const { words, isEnglish } = await recognizeInPageLanguage(engine, lines, signal);
  const { recognizeEnglish, recognizeRussian } = engine;
  const replaced = new Map<LineWord, LineWord>();
  const current = (word: LineWord) => replaced.get(word) ?? word;
  async function readAgain<Reading>(
    isChosen: (text: string) => boolean,
    read: (images: readonly GrayImage[], signal: AbortSignal) => Promise<readonly Reading[]>,
    reconcile: (word: LineWord, second: Reading) => LineWord,
  ) {
    const chosen = words
      .flatMap((line, index) =>
        line
          .filter((word) => current(word).text === word.text && isChosen(word.text))
          .map((word) => ({ word, image: lines[index]! })),
      )
      .slice(0, MAX_AGAIN);
    const images = chosen.map(({ word, image }) => cropWord(image, word));
    const second = await read(images, signal).catch((error: unknown) => {
      if (error instanceof OcrTimeout) return [];
      throw error;
    });
    for (const [index, reading] of second.entries()) {
      const { word } = chosen[index]!;
      const reconciled = reconcile(current(word), reading);
      if (reconciled !== current(word)) replaced.set(word, reconciled);
    }
  }
  await readAgain(
    () => true,
    engine.readWords,
    (word, second: WordReading) => reconcileWords(word, second, isEnglish),
  );
  if (!isEnglish && recognizeEnglish && recognizeRussian) await readAgain(isLatin, recognizeRussian, reconcileLetters);
  return words.map((line) => line.map(current));
}

/** At least two Latin letters, and no Roman number. */
const isLatin = (text: string): boolean => /[a-z].*[a-z]/iu.test(text) && !/^[\P{L}IVXLC]+$/u.test(text);

/** Below this, the Russian reading of a word in Latin letters is ignored. */
const MIN_RUSSIAN_CONFIDENCE = 0.25;

/** The Russian letters of a word in Latin ones, with its own punctuation; a single letter only if it is an initial. */
export function reconcileLetters(word: LineWord, second: readonly LineWord[]): LineWord {
  const own = coreOf(word.text);
  const [before = '', after = ''] = word.text.split(own);
  const russian = second
    .map(({ text }) => text)
    .join('')
    .replace(/^[^\p{L}\d]+|(?<![^\p{L}\d])[^\p{L}\d]+$/gu, '');
  const confidence = meanConfidence(second);
  const isWord = /[а-яё].*[а-яё]/iu.test(russian) || (/^\p{Lu}$/u.test(russian) && after.startsWith('.'));
  const isAlike = Math.abs(russian.length - own.length) <= 0.5 * own.length;
  if (!isWord || !isAlike || /[a-z]/iu.test(russian) || confidence < MIN_RUSSIAN_CONFIDENCE) return word;
  return { ...word, text: before + russian + after, confidence };
}

/** Crops a word from its line with a white margin. */
export function cropWord(line: GrayImage, word: { readonly left: number; readonly right: number }): GrayImage {
  const left = lightestColumn(line, Math.floor(word.left), -1);
  const right = lightestColumn(line, Math.ceil(word.right), 1);
  const width = right - left + 2 * MARGIN.across;
  const data = new Uint8Array(width * line.height).fill(255);
  for (let y = 0; y < line.height; y++)
    data.set(line.data.subarray(y * line.width + left, y * line.width + right), y * width + MARGIN.across);
  return { width, height: line.height, data };
}

/** Boxes of Tesseract may end inside a letter. */
const MAX_BOX_ERROR = 6;

/** The nearest of the lightest columns outward from the edge of a box. */
function lightestColumn({ width, height, data }: GrayImage, edge: number, outward: -1 | 1): number {
  let best = edge;
  let lightest = -1;
  for (let step = 0; step <= MAX_BOX_ERROR; step++) {
    const border = edge + outward * step;
    if (border <= 0 || border >= width) return Math.min(width, Math.max(0, border));
    const x = outward > 0 ? border : border - 1;
    let light = 0;
    for (let y = 0; y < height; y++) light += data[y * width + x]!;
    if (light > lightest + height) {
      lightest = light;
      best = border;
    }
  }
  return best;
}
