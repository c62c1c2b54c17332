import type { Rectangle } from './binarize.ts';
import type { GrayImage } from './grayscale.ts';
import { joinWords, type LineWord } from './ocr-engine.ts';
import { cropRegion, MARGIN, type TextRegion } from './text-regions.ts';

/** An upright image of a line of text, and where it is on the view. */
export interface LineImage {
  readonly image: GrayImage;
  readonly region: TextRegion;
  /** Of the image relative to the view. */
  readonly scale: number;
  /** Whether the image was turned clockwise, because the text runs upwards on the view. */
  readonly isTurned: boolean;
  /** Whether the image was then turned by 180°. */
  readonly isUpsideDown: boolean;
  /** The parts of a line that was put together, from left to right; empty for other lines. */
  readonly parts: readonly LinePart[];
}

/** In pixels of the view, from the left edge of the put together line, and of the view. */
export interface LinePart {
  readonly at: number;
  readonly left: number;
  readonly width: number;
  /** Whether a space precedes it. */
  readonly startsWord: boolean;
}

/** The image of a region without rules and wide gaps, as it is on the page. */
export function cropLine(page: GrayImage, region: TextRegion, scale: number): LineImage {
  return { image: cropRegion(page, region, scale), region, scale, isTurned: false, isUpsideDown: false, parts: [] };
}

/** The image of a region whose text runs upwards. */
export function cropTurnedLine(page: GrayImage, { left, top, right, bottom }: TextRegion, scale: number): LineImage {
  const [width, height] = [bottom - top, right - left];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data[y * width + x] = page.data[(bottom - 1 - x) * page.width + left + y]!;
  const image = cropRegion({ width, height, data }, { left: 0, top: 0, right: width, bottom: height }, scale);
  return { image, region: { left, top, right, bottom }, scale, isTurned: true, isUpsideDown: false, parts: [] };
}

const EDGE = 2;

/** A character of a line that is put together. */
export interface LineCharacter {
  readonly box: Rectangle;
  /** In pixels, to the character before it. */
  readonly gap: number;
  readonly startsWord: boolean;
}

/** The image of characters that are far apart, closed up, from left to right. */
export function composeLine(page: GrayImage, inked: readonly LineCharacter[], scale: number): LineImage {
  // With the grey edge of the ink.
  const characters = inked.map(({ box, gap, startsWord }) => ({
    box: {
      left: Math.max(0, box.left - EDGE),
      top: Math.max(0, box.top - EDGE),
      right: Math.min(page.width, box.right + EDGE),
      bottom: Math.min(page.height, box.bottom + EDGE),
    },
    gap: Math.max(0, gap - 2 * EDGE),
    startsWord,
  }));
  const boxes = characters.map(({ box }) => box);
  const region = {
    left: boxes[0]!.left,
    top: Math.min(...boxes.map(({ top }) => top)),
    right: boxes.at(-1)!.right,
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
  const width = characters.reduce((sum, { box, gap }) => sum + gap + box.right - box.left, -characters[0]!.gap);
  const height = region.bottom - region.top;
  const data = new Uint8Array(width * height).fill(255);
  const parts: LinePart[] = [];
  let at = -characters[0]!.gap;
  for (const { box, gap, startsWord } of characters) {
    at += gap;
    parts.push({ at, left: box.left, width: box.right - box.left, startsWord });
    for (let y = box.top; y < box.bottom; y++) {
      const row = page.data.subarray(y * page.width + box.left, y * page.width + box.right);
      data.set(row, (y - region.top) * width + at);
    }
    at += box.right - box.left;
  }
  const image = cropRegion({ width, height, data }, { left: 0, top: 0, right: width, bottom: height }, scale);
  return { image, region, scale, isTurned: false, isUpsideDown: false, parts };
}

/** The same line turned by 180°. */
export const upsideDown = (line: LineImage): LineImage => ({
  ...line,
  image: rotate180(line.image),
  isUpsideDown: !line.isUpsideDown,
});

export const rotate180 = ({ width, height, data }: GrayImage): GrayImage => ({
  width,
  height,
  data: data.slice().reverse(),
});

/** A box after a turn of its image by 180°. */
export const turnedBox = (
  { left, top, right, bottom }: Rectangle,
  { width, height }: Pick<GrayImage, 'width' | 'height'>,
): Rectangle => ({ left: width - right, top: height - bottom, right: width - left, bottom: height - top });

/** The words of a line on the view; those of a line that was put together are separated where it has spaces. */
export function wordsOnView(words: readonly LineWord[], line: LineImage): LineWord[] {
  const upright = words.map((word) => (line.isUpsideDown ? { ...word, ...turnedBox(word, line.image) } : word));
  const separated = line.parts.length > 0 ? (wordsOfParts(upright, line) ?? joinParts(upright, line)) : upright;
  return separated.map((word) => ({ ...word, ...toView(word, line) }));
}

/** The words of a line with as many letters as characters were put together. */
function wordsOfParts(words: readonly LineWord[], { parts, scale, isUpsideDown }: LineImage): LineWord[] | undefined {
  const letters = words.flatMap((word) => [...word.text].map((text) => ({ ...word, text })));
  if (letters.length !== parts.length || isUpsideDown) return undefined;
  const found: LineWord[] = [];
  for (const [i, { at, width, startsWord }] of parts.entries()) {
    const [left, right] = [at, at + width].map((x) => (x + MARGIN.across) * scale) as [number, number];
    const letter = { ...letters[i]!, left, right };
    if (startsWord) found.push(letter);
    else found[found.length - 1] = joinWords(found.at(-1)!, letter);
  }
  return found;
}

/** Joins the words that no space separates. */
function joinParts(words: readonly LineWord[], { parts, scale }: LineImage): LineWord[] {
  const middle = ({ left, right }: Rectangle) => (left + right) / 2 / scale - MARGIN.across;
  const joined: LineWord[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const [from, to] = last ? [middle(last), middle(word)].sort((a, b) => a - b) : [];
    const isNew = parts.some(({ at, startsWord }) => startsWord && at > from! && at < to!);
    if (last && !isNew) joined[joined.length - 1] = joinWords(last, word);
    else joined.push(word);
  }
  return joined;
}

/** Converts a box in an image that is not turned by 180° to the view. */
function toView({ left, top, right, bottom }: Rectangle, { region, scale, isTurned, parts }: LineImage): Rectangle {
  const x = (at: number) => at / scale - MARGIN.across;
  const y = (at: number) => at / scale - MARGIN.down;
  if (isTurned) {
    return {
      left: region.left + y(top),
      top: region.bottom - x(right),
      right: region.left + y(bottom),
      bottom: region.bottom - x(left),
    };
  }
  const across = (at: number) => {
    const part = parts.findLast((one) => one.at <= at) ?? parts[0];
    return part ? part.left + at - part.at : region.left + at;
  };
  return {
    left: across(x(left) + EDGE) - EDGE,
    top: region.top + y(top),
    right: across(x(right) - EDGE) + EDGE,
    bottom: region.top + y(bottom),
  };
}
