import type { Rectangle } from './binarize.ts';
import { recognizeInPageLanguage } from './english.ts';
import type { GrayImage } from './grayscale.ts';
import type { LineWord, OcrEngine } from './ocr-engine.ts';
import { reconcileWords } from './reconcile-words.ts';
import { MARGIN } from './text-regions.ts';

/** Words of a page that are read again; each is an image of its own. */
const MAX_AGAIN = 2000;

/** Recognizes lines, and then their words again with a network that reads single words. */
export async function recognizeTwice(
  engine: OcrEngine,
  lines: readonly GrayImage[],
  signal: AbortSignal,
): Promise<LineWord[][]> {
  const { words, isEnglish } = await recognizeInPageLanguage(engine, lines, signal);
  const chosen = words.flatMap((line, i) => line.map((word) => ({ word, image: lines[i]!, line }))).slice(0, MAX_AGAIN);
  const images = chosen.map(({ word, image, line }) => cropWord(image, word, line));
  const second = await engine.readWords(images, signal);
  const reconciled = new Map(chosen.map(({ word }, i) => [word, reconcileWords(word, second[i]!, isEnglish)]));
  return words.map((line) => line.map((word) => reconciled.get(word) ?? word));
}

interface Extent {
  readonly left: number;
  readonly right: number;
}

/** Crops a word from its line with a white margin. `others` are the words of the line. */
export function cropWord(line: GrayImage, word: Rectangle, others: readonly Extent[]): GrayImage {
  const { left, right } = extentOf(line, word, others);
  const width = right - left + 2 * MARGIN.across;
  const data = new Uint8Array(width * line.height).fill(255);
  for (let y = 0; y < line.height; y++)
    data.set(line.data.subarray(y * line.width + left, y * line.width + right), y * width + MARGIN.across);
  return { width, height: line.height, data };
}

/** The columns of a word, with the letters that Tesseract's box lacks, up to the boxes of the words beside it. */
export function extentOf(line: GrayImage, word: Rectangle, others: readonly Extent[]): Extent {
  const before = others.filter(({ left }) => left < word.left).map(({ right }) => Math.min(right, word.left));
  const behind = others.filter(({ right }) => right > word.right).map(({ left }) => Math.max(left, word.right));
  const edges = [
    { edge: Math.floor(word.left), limit: Math.max(0, ...before), outward: -1 },
    { edge: Math.ceil(word.right), limit: Math.min(line.width, ...behind), outward: 1 },
  ] as const;
  const [left, right] = edges.map((one) => lightestColumn(line, { ...one, edge: endOfLetters(line, word, one) }));
  return { left: left!, right: right! };
}

interface Edge {
  readonly edge: number;
  readonly limit: number;
  readonly outward: -1 | 1;
}

/** Columns of white between the letters of a word, at most, in pixels and in heights of the word; words are further apart. */
const MAX_LETTER_GAP = { pixels: 3, heights: 0.25 };
/** How many heights of a word its box may end before it. */
const MAX_LACKING = 1.5;

/** The edge of a box, moved outward over letters that touch it or nearly so. */
function endOfLetters(line: GrayImage, { top, bottom }: Rectangle, { edge, limit, outward }: Edge): number {
  const height = bottom - top;
  const gap = Math.min(MAX_LETTER_GAP.pixels, MAX_LETTER_GAP.heights * height);
  let end = edge;
  for (let border = edge; outward * (limit - border) > 0 && outward * (border - edge) < MAX_LACKING * height; ) {
    const x = outward > 0 ? border : border - 1;
    border += outward;
    if (lightOf(line, x) < (line.height - 0.5) * 255) end = border;
    else if (outward * (border - end) > gap) break;
  }
  return end;
}

/** Boxes of Tesseract may end inside a letter. */
const MAX_BOX_ERROR = 6;

/** The nearest of the lightest columns outward from an edge. */
function lightestColumn(line: GrayImage, { edge, limit, outward }: Edge): number {
  let best = edge;
  let lightest = -1;
  for (let step = 0; step <= MAX_BOX_ERROR; step++) {
    const border = edge + outward * step;
    if (outward * (border - limit) > 0) break;
    if (border <= 0 || border >= line.width) return Math.min(line.width, Math.max(0, border));
    const light = lightOf(line, outward > 0 ? border : border - 1);
    if (light > lightest + line.height) {
      lightest = light;
      best = border;
    }
  }
  return best;
}

/** The sum of the pixels of a column. */
function lightOf({ width, height, data }: GrayImage, x: number): number {
  let light = 0;
  for (let y = 0; y < height; y++) light += data[y * width + x]!;
  return light;
}
