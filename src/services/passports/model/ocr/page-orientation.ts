import type { GrayImage } from './grayscale.ts';
import { type LineWord, meanConfidence, type OcrEngine } from './ocr-engine.ts';
import type { PreprocessedPage } from './preprocess.ts';
import { recognizeTwice } from './re-ocr.ts';
import { MARGIN } from './text-regions.ts';

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

async function detectUpsideDown(
  engine: OcrEngine,
  { images }: PreprocessedPage,
  signal: AbortSignal,
): Promise<boolean> {
  const sample = [...images].sort((a, b) => b.data.length - a.data.length).slice(0, SAMPLE_SIZE);
  const [asIs, rotated] = await Promise.all([
    engine.recognize(sample, signal),
    engine.recognize(sample.map(rotate180), signal),
  ]);
  return meanConfidence(rotated.flat()) > meanConfidence(asIs.flat());
}

async function readAsIs(engine: OcrEngine, page: PreprocessedPage, signal: AbortSignal): Promise<ReadLine[]> {
  const read = await recognizeTwice(engine, page.images, signal);
  return read.map((words, index) => toView(words, page.regions[index]!, page.scale));
}

async function readUpsideDown(engine: OcrEngine, page: PreprocessedPage, signal: AbortSignal): Promise<ReadLine[]> {
  const { view, regions, images, scale } = page;
  const read = await recognizeTwice(engine, images.map(rotate180), signal);
  const rotated = read.map((words, index) => {
    const { right, bottom } = regions[index]!;
    return toView(words, { left: view.width - right, top: view.height - bottom }, scale);
  });
  return rotated.reverse();
}

function toView(words: readonly LineWord[], { left, top }: { left: number; top: number }, scale: number): ReadLine {
  return words.map((word) => ({
    ...word,
    left: left - MARGIN.across + word.left / scale,
    right: left - MARGIN.across + word.right / scale,
    top: top - MARGIN.down + word.top / scale,
    bottom: top - MARGIN.down + word.bottom / scale,
  }));
}

const rotate180 = ({ width, height, data }: GrayImage): GrayImage => ({ width, height, data: data.slice().reverse() });
