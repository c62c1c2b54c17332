import { recognizeInPageLanguage } from './english.ts';
import type { GrayImage } from './grayscale.ts';
import { type LineWord, meanConfidence, type OcrEngine, OcrTimeout, type Recognize } from './ocr-engine.ts';
import { MARGIN } from './text-regions.ts';

/** Words of a page that are read again; each is an image of its own. */
const MAX_AGAIN = 500;

/**
 * Recognizes lines, and two kinds of words of a Russian page again: those with confusable figures with the English
 * network, which reads figures independently (the Russian and Kyrgyz ones read the flat-topped 3 of PT Sans as a 5), and
 * those in Latin letters with the Russian network: both networks together read `лист` as `nuct`. Without a second reading in time the first one stays.
 */
export async function recognizeTwice(
  engine: OcrEngine,
  lines: readonly GrayImage[],
  signal: AbortSignal,
): Promise<LineWord[][]> {
  const { words, isEnglish } = await recognizeInPageLanguage(engine, lines, signal);
  const { recognizeEnglish, recognizeRussian, confusableFigures } = engine;
  if (isEnglish || !recognizeEnglish || !recognizeRussian) return words;
  const replaced = new Map<LineWord, LineWord>();
  const readAgain = async (
    isChosen: (text: string) => boolean,
    recognize: Recognize,
    reconcile: (word: LineWord, second: readonly LineWord[]) => LineWord,
  ) => {
    const chosen = words
      .flatMap((line, index) =>
        line.filter(({ text }) => isChosen(text)).map((word) => ({ word, image: lines[index]! })),
      )
      .slice(0, MAX_AGAIN);
    const images = chosen.map(({ word, image }) => cropWord(image, word));
    const second = await recognize(images, signal).catch((error: unknown) => {
      if (error instanceof OcrTimeout) return [];
      throw error;
    });
    for (const [index, read] of second.entries()) {
      const { word } = chosen[index]!;
      replaced.set(word, reconcile(word, read));
    }
  };
  const isDoubtful = (text: string) => confusableFigures.test(text) || OBLIQUE_ONE.test(text);
  await readAgain((text) => isDoubtful(text) && !isLatin(text), recognizeEnglish, reconcileFigures);
  await readAgain(isLatin, recognizeRussian, reconcileLetters);
  return words.map((line) => line.map((word) => replaced.get(word) ?? word));
}

/** At least two Latin letters, and no Roman number. */
const isLatin = (text: string): boolean => /[a-z].*[a-z]/iu.test(text) && !/^[\P{L}IVXLC]+$/u.test(text);

/** Below this, the Russian reading of a word in Latin letters is ignored. */
const MIN_RUSSIAN_CONFIDENCE = 0.25;

/** The Russian letters of a word in Latin ones, with its own punctuation; a single letter only if it is an initial. */
export function reconcileLetters(word: LineWord, second: readonly LineWord[]): LineWord {
  const own = /[\p{L}\d](.*[\p{L}\d])?/u.exec(word.text)?.[0] ?? '';
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

/** A slash where no fraction or number with a slash has one: a 1 in italics. */
const OBLIQUE_ONE = /(?<![\d\p{L}])\/(?=\d)|(?<=\d[.,])\//u;

/** Of words whose readings differ. */
const MAX_CONFIDENCE = 0.55;
/** Below this, a second reading that differs otherwise is ignored. */
const MIN_SECOND_CONFIDENCE = 0.4;

/** Lowers the confidence if the figures differ. If only 5s differ, and are read as 3s, they become 3s. */
export function reconcileFigures(word: LineWord, second: readonly LineWord[]): LineWord {
  const figures = word.text.replace(/\D/gu, '');
  // The English network has letters for single strokes and circles.
  const others = second
    .map(({ text }) => text.replace(/[lI|]/gu, '1').replace(/[oO]/gu, '0').replace(/\D/gu, ''))
    .join('');
  if (figures === others) return word;
  const upright = word.text.replace(OBLIQUE_ONE, '1');
  if (upright !== word.text && upright.replace(/\D/gu, '') === others) return { ...word, text: upright };
  const confidence = Math.min(word.confidence, MAX_CONFIDENCE);
  const differ = [...figures].filter(
    (figure, index) => figure !== others[index] && !(figure === '5' && others[index] === '3'),
  );
  if (figures.length === others.length && differ.length === 0) {
    let at = 0;
    return { ...word, confidence, text: word.text.replace(/\d/gu, () => others[at++]!) };
  }
  const isUncertain = second.length === 0 || second.some((part) => part.confidence < MIN_SECOND_CONFIDENCE);
  return isUncertain ? word : { ...word, confidence };
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
