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

/** What was read of the picture of a page. Spread it into a `ReadPage`: words and rules lie in the frame `reading`. */
export interface ScanRead {
  /** Piece by piece of text, from the top down. */
  readonly words: Word[];
  readonly rules: Rule[];
  readonly turn: Turn;
  readonly reading: Reading;
}

export interface ScanReader {
  /** Who reads: `tesseract rus+eng`, `tesseract.js kir+eng`. */
  readonly name: string;
  /** How many pages are read at once; more wait. */
  readonly lanes: number;
  /** Reads the picture of a page that is `size` points large. Throws {@link TooMuchToRead}. */
  read(raster: Raster, options: { size: { width: number; height: number }; signal: AbortSignal }): Promise<ScanRead>;
  close(): Promise<void>;
}

/** Where to look for what reads. */
export interface ScanReaderOptions {
  /** Tesseract's program; `none` makes do without it. */
  readonly tesseract?: string;
  /** A folder where the operator may have put a `rus.traineddata`, for machines without Tesseract. */
  readonly languages?: string;
  /** How many pages to read at once: one for each core. */
  readonly lanes?: number;
}

/**
 * The best reader that there is: the machine's Tesseract if it knows Russian, else the one that comes with the product.
 */
export async function openScanReader(options: ScanReaderOptions = {}): Promise<ScanReader> {
  const { tesseract = 'tesseract', languages, lanes = availableParallelism() } = options;
  const installed = tesseract === 'none' ? undefined : await openTesseract(tesseract, lanes);
  const engine = installed ?? (await openOwn(lanes, languages));
  const cleaners = openCleaners(lanes);
  return {
    name: engine.name,
    lanes,
    async read(raster, { size, signal }) {
      const page = await cleaners.clean(raster, signal);
      const { lines, onHead } = await readUpright(engine, page, signal);
      return placed(page, lines, onHead, { raster, size });
    },
    async close() {
      await Promise.all([engine.close(), cleaners.close()]);
    },
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** From pixels of the view to shares of the frame in which the page stands on its feet. */
function placed(
  { view, rules }: CleanPage,
  lines: readonly ReadLine[],
  onHead: boolean,
  { raster, size }: { raster: Size; size: Size },
): ScanRead {
  const share = ([x0, y0, x1, y1]: Box): Box => [x0 / view.width, y0 / view.height, x1 / view.width, y1 / view.height];
  const upright = ([x0, y0, x1, y1]: Box): Box => (onHead ? [1 - x1, 1 - y1, 1 - x0, 1 - y0] : [x0, y0, x1, y1]);
  const turn = (onHead ? view.turn + 180 : view.turn) as Turn;
  const toSource = onHead ? compose(view.toSource, quarterTurn(180, view)) : view.toSource;
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

/** What has neither a letter nor a digit is a remnant of a rule or a stain, unless the engine is sure of it. */
const isWord = ({ text, confidence }: LineWord): boolean => confidence >= 0.6 || /[\p{L}\p{N}]/u.test(text);

async function openOwn(lanes: number, languages?: string): Promise<Engine> {
  const { openTesseractJs } = await import('./tesseract-js.ts');
  return openTesseractJs(lanes, languages);
}
