import { availableParallelism } from 'node:os';
import { type Box, type Reading, type Rule, type Turn, uprightFrame, type Word } from '../../page.ts';
import type { CleanPage } from './clean.ts';
import { openCleaners } from './cleaners.ts';
import { type Engine, type LineWord, TooMuchToRead } from './engine.ts';
import type { Raster } from './grey.ts';
import { russianLetters } from './letters.ts';
import { compose, inShares, quarterTurn } from './projection.ts';
import { type ReadLine, readUpright } from './read-upright.ts';
import { openTesseract } from './tesseract.ts';

export { TooMuchToRead };

/** The OCR result of a page, to be spread into a `ReadPage`. */
export interface ScanRead {
  readonly words: Word[];
  readonly rules: Rule[];
  readonly turn: Turn;
  readonly reading: Reading;
}

export interface ScanReader {
  /** `tesseract rus+eng` or `tesseract.js kir+eng`. */
  readonly name: string;
  /** Pages processed at the same time; more wait. */
  readonly lanes: number;
  /** `size` is in points. Throws {@link OcrTimeout}. */
  read(raster: Raster, options: { size: { width: number; height: number }; signal: AbortSignal }): Promise<ScanRead>;
  close(): Promise<void>;
}

export interface ScanReaderOptions {
  /** Path of the Tesseract program; `none` disables it. */
  readonly tesseract?: string;
  /** Folder with an optional `rus.traineddata` for Tesseract.js. */
  readonly languages?: string;
  readonly lanes?: number;
}

/** Opens the installed Tesseract if it supports Russian, otherwise Tesseract.js. */
export async function openScanReader(options: ScanReaderOptions = {}): Promise<ScanReader> {
  const { tesseract = 'tesseract', languages } = options;
  const concurrency = options.lanes ?? availableParallelism();
  const installed = tesseract === 'none' ? undefined : await openTesseract(tesseract, concurrency);
  const engine = installed ?? (await openBundled(concurrency, languages));
  const preprocessing = openCleaners(concurrency);
  return {
    name: engine.name,
    lanes: concurrency,
    async read(raster, { size, signal }) {
      const page = await preprocessing.clean(raster, signal);
      const { lines, isUpsideDown } = await readUpright(engine, page, signal);
      return toScanResult(page, lines, isUpsideDown, { raster, size });
    },
    async close() {
      await Promise.all([engine.close(), preprocessing.close()]);
    },
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Converts pixels of the view to shares of the upright frame. */
function toScanResult(
  { view, rules }: CleanPage,
  lines: readonly ReadLine[],
  isUpsideDown: boolean,
  { raster, size }: { raster: Size; size: Size },
): ScanRead {
  const share = ([x0, y0, x1, y1]: Box): Box => [x0 / view.width, y0 / view.height, x1 / view.width, y1 / view.height];
  const upright = ([x0, y0, x1, y1]: Box): Box => (isUpsideDown ? [1 - x1, 1 - y1, 1 - x0, 1 - y0] : [x0, y0, x1, y1]);
  const turn = (isUpsideDown ? view.turn + 180 : view.turn) as Turn;
  const toSource = isUpsideDown ? compose(view.toSource, quarterTurn(180, view)) : view.toSource;
  return {
    words: lines
      .flat()
      .filter(isWord)
      .map(({ text, confidence, left, top, right, bottom }) => ({
        text: russianLetters(text),
        box: share([left, top, right, bottom]),
        confidence,
      })),
    rules: [...rules.level, ...rules.plumb].map(({ x0, y0, x1, y1 }) => upright(share([x0, y0, x1, y1]))),
    turn,
    reading: { ...uprightFrame(size.width, size.height, turn), toPage: inShares(toSource, view, raster) },
  };
}

/** Others are remnants of rules or stains. */
const isWord = ({ text, confidence }: LineWord): boolean => confidence >= 0.6 || /[\p{L}\p{N}]/u.test(text);

async function openBundled(concurrency: number, languages?: string): Promise<Engine> {
  const { openTesseractJs } = await import('./tesseract-js.ts');
  return openTesseractJs(concurrency, languages);
}
