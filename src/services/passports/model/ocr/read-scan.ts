import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import type { Log } from '../../../../base/log.ts';
import { openThreadPool } from '../../../../base/thread-pool.ts';
import { startThread } from '../../../../base/worker-entry.ts';
import {
  type Box,
  quarterTurn,
  type ReadingFrame,
  type Rule,
  type Turn,
  uprightFrame,
  type Word,
} from '../../page-geometry.ts';
import type { Raster } from './grayscale.ts';
import { joinDecimals } from './join-decimals.ts';
import { type LineWord, type OcrEngine, OcrTimeout, type TextEngine } from './ocr-engine.ts';
import { restoreMarks } from './option-marks.ts';
import { type ReadLine, readOriented } from './page-orientation.ts';
import type { PreprocessedPage } from './preprocess.ts';
import { compose, toShares } from './projection.ts';
import { withoutRepeatedWords } from './repeated-words.ts';
import { toRussianLetters } from './russian-letters.ts';
import { openTesseract } from './tesseract.ts';
import { openWordReader } from './word-reader.ts';

export { OcrTimeout };

/** The OCR result of a page, to be spread into a `ReadPage`. */
export interface ScanResult {
  readonly words: Word[];
  readonly rules: Rule[];
  readonly turn: Turn;
  readonly reading: ReadingFrame;
}

export type ScanReader = Awaited<ReturnType<typeof openScanReader>>;

export interface ScanReaderOptions {
  /** Path of the Tesseract program; `none` disables it. */
  readonly tesseract?: string;
  /** Folder with an optional `rus.traineddata` for Tesseract.js. */
  readonly languages?: string;
  readonly concurrency?: number;
  readonly log?: Pick<Log, 'warn'>;
}

/** Opens the installed Tesseract if it supports Russian, otherwise Tesseract.js. */
export async function openScanReader(options: ScanReaderOptions = {}) {
  const { tesseract = 'tesseract', languages, log } = options;
  const concurrency = options.concurrency ?? availableParallelism();
  const installed = tesseract === 'none' ? undefined : await openTesseract(tesseract, concurrency, log);
  const wordReader = await openWordReader(concurrency);
  const openText = async () => installed ?? (await openBundled(concurrency, languages));
  const text = await openText().catch(async (error: unknown) => {
    await wordReader.close();
    throw error;
  });
  const engine: OcrEngine = { ...text, readWords: wordReader.read };
  // Half a second of CPU time per page. A thread that crashes fails only its own page.
  const threads = openThreadPool(() => startThread('./preprocess-thread', import.meta.url), 'OCR preprocessing');
  const limit = pLimit(concurrency);
  return {
    /** `tesseract Cyrillic+eng` or `tesseract.js kir+eng`. */
    name: engine.name,
    /** Pages processed at the same time; more wait. */
    concurrency,
    /** `size` is in points. Throws {@link OcrTimeout}. */
    async read(raster: Raster, { size, signal }: { size: Size; signal: AbortSignal }): Promise<ScanResult> {
      const page = await limit(() => threads.request<PreprocessedPage>(raster, signal));
      const { lines, isUpsideDown } = await readOriented(engine, page, signal);
      return toScanResult(page, lines, isUpsideDown, { raster, size });
    },
    async close(): Promise<void> {
      await Promise.all([text.close(), wordReader.close(), threads.close()]);
    },
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Converts pixels of the view to shares of the upright frame. */
function toScanResult(
  { view, rules, checkBoxes }: PreprocessedPage,
  lines: readonly ReadLine[],
  isUpsideDown: boolean,
  { raster, size }: { raster: Size; size: Size },
): ScanResult {
  const share = ([x0, y0, x1, y1]: Box): Box => [x0 / view.width, y0 / view.height, x1 / view.width, y1 / view.height];
  const upright = ([x0, y0, x1, y1]: Box): Box => (isUpsideDown ? [1 - x1, 1 - y1, 1 - x0, 1 - y0] : [x0, y0, x1, y1]);
  const turn = (isUpsideDown ? view.turn + 180 : view.turn) as Turn;
  const toSource = isUpsideDown ? compose(view.toSource, quarterTurn(180, view)) : view.toSource;
  return {
    words: [
      ...withoutRepeatedWords(lines.flatMap((line) => restoreMarks(joinDecimals(line))).filter(isWord)).map(
        ({ text, confidence, left, top, right, bottom }) => ({
          text: toRussianLetters(text),
          box: share([left, top, right, bottom]),
          confidence,
        }),
      ),
      ...checkBoxes.map(({ left, top, right, bottom, isTicked }) => ({
        text: isTicked ? '☑' : '☐',
        box: upright(share([left, top, right, bottom])),
        confidence: CHECK_BOX_CONFIDENCE,
      })),
    ],
    rules: [...rules.horizontal, ...rules.vertical].map(({ x0, y0, x1, y1 }) => upright(share([x0, y0, x1, y1]))),
    turn,
    reading: { ...uprightFrame(size.width, size.height, turn), toPage: toShares(toSource, view, raster) },
  };
}

/** Measured with a few hundred boxes, so not higher. */
const CHECK_BOX_CONFIDENCE = 0.95;

/** Others are remnants of rules or stains. */
const isWord = ({ text, confidence }: LineWord): boolean => confidence >= 0.6 || /[\p{L}\p{N}]/u.test(text);

async function openBundled(concurrency: number, languages?: string): Promise<TextEngine> {
  const { openTesseractJs } = await import('./tesseract-js.ts');
  return openTesseractJs(concurrency, languages);
}
