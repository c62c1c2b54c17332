import { availableParallelism } from 'node:os';
import { type Projection, type Reading, type Rule, type Turn, type Word } from '../../page.ts';
import { flattenBackground } from './background.ts';
import { type Grey, greyOf, type Raster } from './grey.ts';
import { inkOf, inkThreshold } from './ink.ts';
import { eraseRules } from './erase.ts';
import { findRules, type Ruled } from './rules.ts';
import { type Engine, openTesseract } from './tesseract.ts';
import { compose, quarter, uprightView } from './upright.ts';
import { warp } from './warp.ts';

/** What was read of a scanned page; spread it into a `ReadPage`. Words and rules lie in the frame `reading`. */
export interface ScanRead {
  readonly words: Word[];
  readonly rules: Rule[];
  readonly turn: Turn;
  readonly reading: Reading;
}

export interface ScanReader {
  /** Who reads: `tesseract rus+eng`, `tesseract.js kir+eng`. */
  readonly name: string;
  /** How many pages it reads at once; more wait. */
  readonly lanes: number;
  /** Reads the picture of a page that is `size` points large. */
  read(raster: Raster, options: { size: { width: number; height: number }; signal: AbortSignal }): Promise<ScanRead>;
  close(): Promise<void>;
}

export async function openScanReader({ tesseract = 'tesseract', lanes = availableParallelism() }: { tesseract?: string; lanes?: number } = {}): Promise<ScanReader> {
  const engine = await openTesseract(tesseract, lanes);
  if (!engine) throw new Error('No OCR engine.');
  return {
    name: engine.name,
    lanes: engine.lanes,
    read: (raster, { size, signal }) => readWith(engine, raster, size, signal),
    close: () => engine.close(),
  };
}

async function readWith(engine: Engine, raster: Raster, size: { width: number; height: number }, signal: AbortSignal): Promise<ScanRead> {
  const page = greyOf(raster);
  const view = uprightView(page);
  let { turn, toSource } = view;
  const cleanedPage = cleaned(page, view);
  let clean = cleanedPage.page;
  let rules = [...cleanedPage.rules.level, ...cleanedPage.rules.plumb].map((l): Rule => [l.x0 / clean.width, l.y0 / clean.height, l.x1 / clean.width, l.y1 / clean.height]);
  let words = await engine.read(clean, signal);
  if (turn === 90 || sureness(words) < 0.6) {
    const flipped = compose(toSource, quarter(180, view.width, view.height));
    const other = turned(clean);
    const others = await engine.read(other, signal);
    if (sureness(others) > sureness(words)) {
      words = others;
      rules = rules.map(([x0, y0, x1, y1]) => [1 - x1, 1 - y1, 1 - x0, 1 - y0]);
      clean = other;
      turn = turn === 90 ? 270 : 180;
      toSource = flipped;
    }
  }
  const lying = turn === 90 || turn === 270;
  return {
    words,
    rules,
    turn,
    reading: {
      width: (lying ? size.height : size.width),
      height: (lying ? size.width : size.height),
      toPage: shares(toSource, clean, page),
    },
  };
}

export function cleaned(page: Grey, view: { width: number; height: number; toSource: Projection }): { page: Grey; rules: Ruled } {
  const level = warp(page, view.toSource, view.width, view.height);
  const flat = flattenBackground(level, 48);
  const threshold = inkThreshold(flat);
  const ink = inkOf(flat, threshold);
  const rules = findRules(ink, 300);
  eraseRules(flat, ink, rules);
  whiten(flat.data, threshold);
  return { page: flat, rules };
}

/** Paper becomes white: what is nearer to it than to ink is its grain, and the noise of the camera. */
function whiten(data: Uint8Array, threshold: number): void {
  const white = threshold + (255 - threshold) * 0.5;
  const map = Uint8Array.from({ length: 256 }, (_, v) => Math.min(255, (v * 255) / white));
  for (let i = 0; i < data.length; i++) data[i] = map[data[i]!]!;
}

const turned = ({ width, height, data }: Grey): Grey => ({ width, height, data: data.slice().reverse() });

/** How well letters were read: the mean confidence over their number. */
function sureness(words: readonly Word[]): number {
  let sum = 0;
  let letters = 1;
  for (const { text, confidence } of words) {
    sum += text.length * (confidence ?? 0);
    letters += text.length;
  }
  return sum / letters;
}

/** The same projection between shares as between pixels. */
function shares(toSource: Projection, from: Grey, to: Grey): Projection {
  const [a, b, c, d, e, f, g, h, i] = toSource;
  return [
    (a * from.width) / to.width, (b * from.height) / to.width, c / to.width,
    (d * from.width) / to.height, (e * from.height) / to.height, f / to.height,
    g * from.width, h * from.height, i,
  ];
}
