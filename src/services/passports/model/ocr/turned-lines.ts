import type { Component, Rectangle } from './binarize.ts';
import { type Rules, swapAxes } from './rules.ts';
import { nearestNeighbours } from './text-lines.ts';
import { boundingBox, groupLines, hasCentreIn } from './text-regions.ts';

export interface TurnedLines {
  readonly regions: readonly Rectangle[];
  /** The components of the page that are in none of these lines. */
  readonly rest: readonly Component[];
}

/**
 * Finds lines of text that run upwards or downwards on an upright page, as in the head of a table. The nearest letter of most of
 * their letters is above or below; in upright text the one beside it is nearer than the next line.
 */
export function takeTurnedLines(components: readonly Component[], height: number, { horizontal }: Rules): TurnedLines {
  const isLetter = ({ left, top, right, bottom }: Rectangle, most: number) => {
    const [narrow, wide] = [Math.min(right - left, bottom - top), Math.max(right - left, bottom - top)];
    return wide > 0.45 * height && wide < most * height && narrow > 0.1 * height && narrow < 3 * height;
  };
  const letters = components.filter((component) => isLetter(component, 3));
  if (letters.length > MAX_LETTERS) return { regions: [], rest: components };
  const turned = new Set(
    nearestNeighbours(letters).flatMap(([letter, near]) => (isAbove(letter, near, MAX_GAP * height) ? [letter] : [])),
  );
  const group = (members: Iterable<Component>) => {
    const mirrors = new Map([...members].map((one) => [mirrored(one), one]));
    return groupLines([...mirrors.keys()], height, horizontal.map(swapAxes)).map((line) =>
      line.letters.map((one) => mirrors.get(one)!),
    );
  };
  if (turned.size < MIN_LETTERS) return { regions: [], rest: components };
  // A letter at the end of a line may have its nearest neighbour in the next line.
  const lines = group(turned).filter((line) => line.length >= MIN_LETTERS);
  const bands = lines.map((line) => grown(boundingBox(line), 2 * height));
  // Letters that touch are one component.
  const members = components.filter(
    (one) => turned.has(one) || (isLetter(one, 8) && bands.some((band) => hasCentreIn(one, band))),
  );
  const regions = group(members).flatMap((line) => {
    const region = boundingBox(line);
    const share = line.filter((letter) => turned.has(letter)).length / line.length;
    const isHigh = region.bottom - region.top > MIN_ASPECT * (region.right - region.left);
    return line.length >= MIN_LETTERS && share >= MIN_SHARE && isHigh ? [withMarks(region, components)] : [];
  });
  return { regions, rest: components.filter((component) => !regions.some((region) => hasCentreIn(component, region))) };
}

const grown = ({ left, top, right, bottom }: Rectangle, by: number): Rectangle => ({
  left,
  top: top - by,
  right,
  bottom: bottom + by,
});

// Chosen.
/** Between two letters; lines of figures are further apart. */
const MAX_GAP = 0.45;
const MIN_LETTERS = 4;
/** Neighbours are compared in pairs: a page of more is hatched or noisy. */
const MAX_LETTERS = 10_000;
const MIN_ASPECT = 2;
const MIN_SHARE = 0.6;

/** With the dots and accents beside it, on either side. */
function withMarks(region: Rectangle, components: readonly Component[]): Rectangle {
  const near = 0.4 * (region.right - region.left);
  const marks = components.filter(
    ({ left, top, right, bottom }) =>
      right - left < near &&
      bottom - top < 2 * near &&
      left > region.left - near &&
      right < region.right + near &&
      top > region.top - near &&
      bottom < region.bottom + near,
  );
  return boundingBox([region, ...marks]);
}

const mirrored = ({ left, top, right, bottom, area }: Component): Component => ({
  left: top,
  top: left,
  right: bottom,
  bottom: right,
  area,
});

function isAbove(letter: Rectangle, near: Rectangle, maxGap: number): boolean {
  const dx = Math.abs(near.left + near.right - letter.left - letter.right);
  const dy = Math.abs(near.top + near.bottom - letter.top - letter.bottom);
  return dy > 1.5 * dx && Math.max(near.top, letter.top) - Math.min(near.bottom, letter.bottom) < maxGap;
}
