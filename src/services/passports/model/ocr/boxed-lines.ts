import { median } from '../../../../base/median.ts';
import type { Rule } from '../../page-geometry.ts';
import { type BoxLine, findBoxLines } from '../fields/character-boxes.ts';
import type { Component, Rectangle } from './binarize.ts';
import type { LineCharacter } from './line-images.ts';
import type { Line, Rules } from './rules.ts';
import { boundingBox, hasCentreIn } from './text-regions.ts';

export interface BoxedLines {
  /** The characters of each line from left to right. */
  readonly lines: readonly (readonly LineCharacter[])[];
  /** The components of the page that are in no boxes. */
  readonly rest: readonly Component[];
  /** Without the rules between boxes. */
  readonly rules: Rules;
}

/**
 * Takes the characters out of boxes for one character each. The lines are split where two or more boxes are empty; one empty box is a
 * space. Ink at the edge of a box is a remnant of its rules.
 */
export function takeBoxedLines(
  components: readonly Component[],
  rules: Rules,
  { width, height, dpi }: { readonly width: number; readonly height: number; readonly dpi: number },
): BoxedLines {
  const known = new Map<Rule, Line>();
  for (const line of [...rules.horizontal, ...rules.vertical])
    known.set([line.x0 / width, line.y0 / height, line.x1 / width, line.y1 / height], line);
  const points = 72 / dpi;
  const found = findBoxLines({ rules: [...known.keys()], width: width * points, height: height * points });
  const taken = new Set<Component>();
  const between = new Set<Line>();
  const lines: LineCharacter[][] = [];
  for (const line of found) {
    const [top, bottom] = [
      Math.min(...line.boxes.map(([, y0]) => y0)),
      Math.max(...line.boxes.map(([, , , y1]) => y1)),
    ];
    const beside = components.filter((one) => one.bottom > top * height && one.top < bottom * height);
    const boxes = writtenBoxes(line, beside, { width, height });
    const written = boxes.filter(({ ink }) => ink.length > 0);
    if (written.filter(isSingle).length < MIN_SINGLE * written.length) continue;
    for (const rule of line.between) between.add(known.get(rule)!);
    for (const component of boxes.flatMap(({ ink }) => ink)) taken.add(component);
    lines.push(...split(boxes));
  }
  return {
    lines,
    rest: components.filter((component) => !taken.has(component)),
    rules: { horizontal: rules.horizontal, vertical: rules.vertical.filter((line) => !between.has(line)) },
  };
}

/** Share of the boxes; letters may be broken. */
const MIN_SINGLE = 0.75;

interface WrittenBox {
  readonly box: Rectangle;
  readonly ink: readonly Component[];
}

/** The boxes of a line with their ink, and the gaps between them without; two with a missing rule between them are separated. */
function writtenBoxes(
  { boxes, isBox }: BoxLine,
  components: readonly Component[],
  { width, height }: { width: number; height: number },
): WrittenBox[] {
  const size = median(boxes.filter((_, i) => isBox[i]).map(([x0, , x1]) => x1 - x0)) * width;
  const withInk = (box: Rectangle): WrittenBox => ({
    box,
    ink: components.filter((component) => hasCentreIn(component, box)),
  });
  return boxes.flatMap(([x0, y0, x1, y1], i) => {
    const box = { left: x0 * width, top: y0 * height, right: x1 * width, bottom: y1 * height };
    if (isBox[i]) return [withInk(box)];
    const isDouble = Math.abs(box.right - box.left - 2 * size) < 0.15 * size;
    if (!isDouble || (!isBox[i - 1] && !isBox[i + 1])) return [{ box, ink: [] }];
    const middle = (box.left + box.right) / 2;
    const halves = [withInk({ ...box, right: middle }), withInk({ ...box, left: middle })];
    return halves.every(isSingle) ? halves : [{ box, ink: [] }];
  });
}

/** The ink without remnants of the rules and noise. */
const charactersIn = ({ box, ink }: WrittenBox): Component[] =>
  ink.filter((component) => hasCentreIn(component, box, EDGE) && component.area >= MIN_AREA);

/** Whether the ink is in the middle, and its high parts not beside each other, unlike those of text between two lines of boxes. */
function isSingle(written: WrittenBox): boolean {
  const characters = charactersIn(written);
  if (characters.length === 0) return true;
  const { left, right } = boundingBox(characters);
  const { box } = written;
  if (Math.abs(left + right - box.left - box.right) > 2 * MAX_OFFSET * (box.right - box.left)) return false;
  const height = Math.max(...characters.map(({ top, bottom }) => bottom - top));
  const high = characters.filter(({ top, bottom }) => bottom - top > 0.6 * height).sort((a, b) => a.left - b.left);
  return high.every(({ left }, i) => i === 0 || left < high[i - 1]!.right);
}

/** Of the size of a box. */
const EDGE = 0.14;
const MAX_OFFSET = 0.25;
// Chosen, of the height of the characters.
const GAP = 0.22;
const SPACE = 0.9;

function split(boxes: readonly WrittenBox[]): LineCharacter[][] {
  const characters = boxes.map((box) => {
    const own = charactersIn(box);
    return own.length === 0 ? undefined : boundingBox(own);
  });
  const heights = characters.flatMap((character) => (character ? [character.bottom - character.top] : []));
  const height = median(heights.filter((one) => one > 0.5 * Math.max(...heights)));
  const lines: LineCharacter[][] = [];
  let last = 0;
  for (const [i, box] of characters.entries()) {
    if (!box) continue;
    const size = boxes[i]!.box.right - boxes[i]!.box.left;
    const isNext = lines.length > 0 && boxes[i]!.box.left - boxes[last]!.box.right < 1.5 * size;
    const startsWord = i - last > 1;
    const gap = Math.round((startsWord ? SPACE : GAP) * height);
    if (isNext && i - last <= 2) lines.at(-1)!.push({ box, gap, startsWord });
    else lines.push([{ box, gap: 0, startsWord: true }]);
    last = i;
  }
  return lines;
}

/** In pixels; smaller ink is noise. */
const MIN_AREA = 9;
