import { rotate180, wordsOnView } from './line-images.ts';
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

async function readAsIs(engine: OcrEngine, page: PreprocessedPage, signal: AbortSignal): Promise<ReadLine[]> {
  const { lines } = page;
  const images = lines.map(({ image }) => image);
  const read = await recognizeTwice(engine, images, signal);
  return read.map((words, index) => wordsOnView(words, lines[index]!));
}

async function readUpsideDown(engine: OcrEngine, page: PreprocessedPage, signal: AbortSignal): Promise<ReadLine[]> {
  const { view, lines } = page;
  const images = lines.map(({ image }) => rotate180(image));
  const read = await recognizeTwice(engine, images, signal);
  const rotated = read.map((words, index) => {
    const line = lines[index]!;
    return wordsOnView(words.map((word) => turned(word, line.image)), line).map((word) => turned(word, view));
  });
  return rotated.reverse();
}

/** The place of a word after half a turn of its image. */
const turned = (word: LineWord, { width, height }: { width: number; height: number }): LineWord => ({
  ...word,
  left: width - word.right,
  top: height - word.bottom,
  right: width - word.left,
  bottom: height - word.top,
});
