import type { CleanPage } from './clean.ts';
import type { Engine, LineWord } from './engine.ts';
import type { Grey } from './grey.ts';
import { MARGIN } from './pieces.ts';
import { readTwice } from './second-look.ts';

/** The words of a piece of text, placed in pixels of the view. */
export type ReadLine = readonly LineWord[];

/** Below this a page is not read but guessed at: perhaps it stands on its head. */
const SURE = 0.6;
/** So many pieces of text, the largest, tell which way is up. */
const SAMPLE = 12;

/**
 * Reads a page the way round in which it makes sense. `onHead`: that is the other way than it was given; places are then
 * those of the view turned by 180°. A page whose lines ran down was turned by chance, so both ways are tried; one that
 * was upright is read, and looked at from the other side only where that made no sense.
 */
export async function readUpright(
  engine: Engine,
  page: CleanPage,
  signal: AbortSignal,
): Promise<{ lines: ReadLine[]; onHead: boolean }> {
  if (page.view.turn === 0) {
    const lines = await readAsIs(engine, page, signal);
    if (sureness(lines.flat()) >= SURE) return { lines, onHead: false };
    return (await makesMoreSenseOnHead(engine, page, signal))
      ? { lines: await readOnHead(engine, page, signal), onHead: true }
      : { lines, onHead: false };
  }
  const onHead = await makesMoreSenseOnHead(engine, page, signal);
  return { lines: await (onHead ? readOnHead : readAsIs)(engine, page, signal), onHead };
}

async function makesMoreSenseOnHead(engine: Engine, { lines }: CleanPage, signal: AbortSignal): Promise<boolean> {
  const sample = [...lines].sort((a, b) => b.data.length - a.data.length).slice(0, SAMPLE);
  const [asIs, onHead] = await Promise.all([engine.read(sample, signal), engine.read(sample.map(turnedOver), signal)]);
  return sureness(onHead.flat()) > sureness(asIs.flat());
}

async function readAsIs(engine: Engine, page: CleanPage, signal: AbortSignal): Promise<ReadLine[]> {
  const read = await readTwice(engine, page.lines, signal);
  return read.map((words, index) => placed(words, page.pieces[index]!, page.scale));
}

async function readOnHead(engine: Engine, page: CleanPage, signal: AbortSignal): Promise<ReadLine[]> {
  const { view, pieces, lines, scale } = page;
  const read = await readTwice(engine, lines.map(turnedOver), signal);
  const turned = read.map((words, index) => {
    const { right, bottom } = pieces[index]!;
    return placed(words, { left: view.width - right, top: view.height - bottom }, scale);
  });
  // What was last comes first.
  return turned.reverse();
}

/** From pixels of the picture of a piece to those of the view. */
function placed(words: readonly LineWord[], { left, top }: { left: number; top: number }, scale: number): ReadLine {
  return words.map((word) => ({
    ...word,
    left: left - MARGIN.across + word.left / scale,
    right: left - MARGIN.across + word.right / scale,
    top: top - MARGIN.down + word.top / scale,
    bottom: top - MARGIN.down + word.bottom / scale,
  }));
}

/** By 180°. */
const turnedOver = ({ width, height, data }: Grey): Grey => ({ width, height, data: data.slice().reverse() });

/** How well letters were read: the mean confidence over their number. 0 where there are none. */
function sureness(words: readonly LineWord[]): number {
  let sum = 0;
  let letters = 0;
  for (const { text, confidence } of words) {
    sum += text.length * confidence;
    letters += text.length;
  }
  return letters === 0 ? 0 : sum / letters;
}
