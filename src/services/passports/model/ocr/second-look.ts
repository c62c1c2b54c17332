import type { Engine, LineWord } from './engine.ts';
import type { Grey } from './grey.ts';
import { scaling } from './projection.ts';
import { warp } from './warp.ts';

/**
 * Reads lines, and those with a 5 once more, a little smaller. Tesseract takes the 3 with a flat top, which many faces
 * have, for a 5, and hardly ever a 5 for a 3; it does so at one size and not at the next. Where the two looks differ in
 * nothing else, it is a 3, of which nobody is sure.
 */
export async function readTwice(engine: Engine, lines: readonly Grey[], signal: AbortSignal): Promise<LineWord[][]> {
  const first = await engine.read(lines, signal);
  const doubtful = [...first.keys()].filter((index) => first[index]!.some(({ text }) => text.includes('5')));
  const second = await engine.read(
    doubtful.map((index) => smaller(lines[index]!)),
    signal,
  );
  for (const [at, index] of doubtful.entries()) first[index] = agreed(first[index]!, second[at]!);
  return first;
}

/** A look at a three that was taken for a five is worth no more than this. */
const DOUBT = 0.6;

/** The words of the first look, with a 3 for each 5 that the second look saw as one. */
export function agreed(first: readonly LineWord[], second: readonly LineWord[]): LineWord[] {
  if (first.length !== second.length) return [...first];
  return first.map((word, index) => {
    const other = second[index]!.text;
    const text = [...word.text].map((letter, at) => (letter === '5' && other[at] === '3' ? '3' : letter)).join('');
    return text !== word.text && text === other
      ? { ...word, text, confidence: Math.min(word.confidence, DOUBT) }
      : word;
  });
}

const BY = 6 / 7;

const smaller = (line: Grey): Grey =>
  warp(line, scaling(1 / BY), Math.max(1, Math.round(line.width * BY)), Math.max(1, Math.round(line.height * BY)));
