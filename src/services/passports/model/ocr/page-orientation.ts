import { type LineImage, rotate180, turnedBox, upsideDown, wordsOnView } from './line-images.ts';
import { type LineWord, meanConfidence, type OcrEngine } from './ocr-engine.ts';
import type { PreprocessedPage } from './preprocess.ts';
import { recognizeTwice } from './re-ocr.ts';

/** In pixels of the view. */
export type ReadLine = readonly LineWord[];

/** Below this mean confidence the page may be upside down. */
const MIN_CONFIDENCE = 0.6;
/** Regions used to detect the orientation. */
const SAMPLE_SIZE = 12;

/** Recognizes a page in the orientation with the higher confidence. If `isUpsideDown`, the view is rotated by 180°. */
export async function readOriented(
  engine: OcrEngine,
  page: PreprocessedPage,
  signal: AbortSignal,
): Promise<{ lines: ReadLine[]; isUpsideDown: boolean }> {
  if (page.view.turn === 0) {
    const lines = await readAsIs(engine, page, signal);
    if (meanConfidence(lines.flat()) >= MIN_CONFIDENCE) return { lines, isUpsideDown: false };
    return (await detectUpsideDown(engine, page, signal))
      ? { lines: await readUpsideDown(engine, page, signal), isUpsideDown: true }
      : { lines, isUpsideDown: false };
  }
  const isUpsideDown = await detectUpsideDown(engine, page, signal);
  return { lines: await (isUpsideDown ? readUpsideDown : readAsIs)(engine, page, signal), isUpsideDown };
}

async function detectUpsideDown(engine: OcrEngine, { lines }: PreprocessedPage, signal: AbortSignal): Promise<boolean> {
  const sample = lines
    .map(({ image }) => image)
    .sort((a, b) => b.data.length - a.data.length)
    .slice(0, SAMPLE_SIZE);
  return isBetter(await Promise.all([sample, sample.map(rotate180)].map((images) => engine.recognize(images, signal))));
}

const isBetter = ([asIs, rotated]: readonly LineWord[][][]): boolean =>
  meanConfidence(rotated!.flat()) > meanConfidence(asIs!.flat());

async function readAsIs(engine: OcrEngine, { lines }: PreprocessedPage, signal: AbortSignal): Promise<ReadLine[]> {
  return readLines(engine, lines, signal);
}

async function readUpsideDown(
  engine: OcrEngine,
  { view, lines }: PreprocessedPage,
  signal: AbortSignal,
): Promise<ReadLine[]> {
  const read = await readLines(engine, lines.map(upsideDown), signal);
  return read.map((words) => words.map((word) => ({ ...word, ...turnedBox(word, view) }))).reverse();
}

/** Recognizes lines. Turned ones may run downwards instead of upwards. */
async function readLines(engine: OcrEngine, lines: readonly LineImage[], signal: AbortSignal): Promise<ReadLine[]> {
  const read = await recognize(engine, lines, signal);
  const turned = lines.filter(({ isTurned }) => isTurned);
  const confidence = meanConfidence(read.flatMap((words, index) => (lines[index]!.isTurned ? words : [])));
  if (turned.length === 0 || confidence >= MIN_CONFIDENCE) return read;
  const again = await recognize(engine, turned.map(upsideDown), signal);
  if (meanConfidence(again.flat()) <= confidence) return read;
  return read.map((words, index) => again[turned.indexOf(lines[index]!)] ?? words);
}

async function recognize(engine: OcrEngine, lines: readonly LineImage[], signal: AbortSignal): Promise<ReadLine[]> {
  const images = lines.map(({ image }) => image);
  const read = await recognizeTwice(engine, images, signal);
  return read.map((words, index) => wordsOnView(words, lines[index]!));
}
