import { recognizeInPageLanguage } from './english.ts';
import type { GrayImage } from './grayscale.ts';
import type { LineWord, OcrEngine } from './ocr-engine.ts';
import { scaling } from './projection.ts';
import { warp } from './warp.ts';

/** Recognizes lines with a 5 again at another size: Tesseract reads a flat-topped 3 as a 5, but rarely at two sizes. */
export async function recognizeTwice(
  engine: OcrEngine,
  lines: readonly GrayImage[],
  signal: AbortSignal,
): Promise<LineWord[][]> {
  const { words: first, recognize } = await recognizeInPageLanguage(engine, lines, signal);
  const withFive = [...first.keys()].filter((index) => first[index]!.some(({ text }) => text.includes('5')));
  const second = await recognize(
    withFive.map((index) => downscale(lines[index]!)),
    signal,
  );
  for (const [at, index] of withFive.entries()) first[index] = reconcileReadings(first[index]!, second[at]!);
  return first;
}

const MAX_CONFIDENCE = 0.6;

/** Replaces each 5 that the second reading returns as a 3, if nothing else differs. */
export function reconcileReadings(first: readonly LineWord[], second: readonly LineWord[]): LineWord[] {
  if (first.length !== second.length) return [...first];
  return first.map((word, index) => {
    const other = second[index]!.text;
    const text = [...word.text].map((letter, at) => (letter === '5' && other[at] === '3' ? '3' : letter)).join('');
    return text !== word.text && text === other
      ? { ...word, text, confidence: Math.min(word.confidence, MAX_CONFIDENCE) }
      : word;
  });
}

const SCALE = 6 / 7;

const downscale = (line: GrayImage): GrayImage =>
  warp(
    line,
    scaling(1 / SCALE),
    Math.max(1, Math.round(line.width * SCALE)),
    Math.max(1, Math.round(line.height * SCALE)),
  );
