import { type Area, boundingBox, middleX, middleY } from '../fields/page-tokens.ts';
import { type FormDocument, type FormToken, isRuledOff } from './form-document.ts';
import type { LessonPart } from './lesson.ts';
import { isSign, isValue, type PlaceContext } from './text-run.ts';
import { groupBy } from './weak-words.ts';

// In heights of a word.
const MIN_STEP = 0.6;
const LINE_STEP = 2.3;
const ALIGNED = 1.5;
const INDENT = 6;
const SPACE = 0.25;

/**
 * Adds the lines above and below a text that belong to it: as many below as the lesson had, and more if the lesson's own
 * text had free room around it.
 */
export function withLines(
  start: readonly FormToken[],
  part: LessonPart,
  context: PlaceContext,
  wide: number,
): readonly FormToken[] {
  if (start.length === 0) return start;
  const lead = part.by === 'after' ? leadOf(start[0]!, context, wide) : [];
  const lines: (readonly FormToken[])[] = [...groupBy(start, ({ line }) => [line]).values()];
  for (let next = start; next.length > 0; ) {
    const isKnown = lines.length < part.lines;
    // A paragraph goes on below its label.
    const above = lines.length === 1 ? [...lead, ...lines[0]!] : lines.at(-1)!;
    next = nextLine(above, 1, context, { wide, slack: isKnown || lead.length > 0 ? INDENT : ALIGNED });
    if (part.grows && !isInRoom(next, 1, part, context)) break;
    if (!isKnown && !(part.grows && isWrapped([[...lead, ...lines[0]!], ...lines.slice(1), next], context))) break;
    if (next.length > 0) lines.push(next);
  }
  for (let next = start; part.grows && next.length > 0; ) {
    next = nextLine(lines[0]!, -1, context, { wide, slack: ALIGNED });
    if (!isInRoom(next, -1, part, context) || !isWrapped([next, ...lines], context)) break;
    lines.unshift(next);
  }
  return lines.flat();
}

/** The words before a value on its line without a wide space. */
function leadOf(first: FormToken, { document }: PlaceContext, wide: number): FormToken[] {
  const line = document.lines[first.line]!;
  const before = line.slice(0, line.indexOf(first));
  const gap = before.findLastIndex((token, i) => (before[i + 1] ?? first).x0 - token.x1 > wide);
  return before.slice(gap + 1);
}

/** The free text directly above or below a line, with the same left edge, right edge or middle. */
function nextLine(
  line: readonly FormToken[],
  step: 1 | -1,
  context: PlaceContext,
  { wide, slack }: { wide: number; slack: number },
): readonly FormToken[] {
  const { document } = context;
  const { em } = document;
  const own = boundingBox(line);
  for (let at = line[0]!.line + step; ; at += step) {
    const other = document.lines[at];
    if (!other || other[0]!.page !== line[0]!.page) return [];
    const beside = other.filter(({ x0, x1 }) => x0 < own.x1 && x1 > own.x0);
    if (beside.length === 0) {
      if (Math.abs(middleY(other[0]!) - middleY(own)) > 2 * LINE_STEP * em) return [];
      continue;
    }
    const distance = step * (middleY(beside[0]!) - middleY(own));
    if (distance < MIN_STEP * em || distance > LINE_STEP * em) return [];
    const chunk = splitChunks(other, context, wide, false).find((one) => one.some((token) => beside.includes(token)));
    if (!chunk || beside.some((token) => !isSign(token) && !chunk.includes(token))) return [];
    const area = boundingBox(chunk);
    const shifts = [area.x0 - own.x0, area.x1 - own.x1, middleX(area) - middleX(own)];
    return shifts.some((shift) => Math.abs(shift) < slack * em) && !isRuledBetween(document, own, area) ? chunk : [];
  }
}

/** Whether a line stands above the form's row below the value (`step` 1), or below the row above it. */
function isInRoom(line: readonly FormToken[], step: 1 | -1, { grows }: LessonPart, { match }: PlaceContext): boolean {
  const words = (step > 0 ? grows?.below : grows?.above) ?? [];
  const row = words.map((word) => match.tokens.get(word)).find((token) => token?.page === line[0]?.page);
  if (words.length === 0 || !line[0]) return line.length > 0;
  return row !== undefined && (step > 0 ? middleY(line[0]) < row.y0 : middleY(line[0]) > row.y1);
}

/** The first word of each line did not have room on the line above. */
function isWrapped(lines: readonly (readonly FormToken[])[], { document: { em } }: PlaceContext): boolean {
  const width = (line: readonly FormToken[]) => line.at(-1)!.x1 - line[0]!.x0;
  const full = Math.max(...lines.map(width));
  return lines.every((line, i) => {
    const first = lines[i + 1]?.[0];
    return !first || width(line) + SPACE * em + (first.x1 - first.x0) > full;
  });
}

function isRuledBetween({ horizontal }: FormDocument, a: Area, b: Area): boolean {
  const [above, below] = a.y0 < b.y0 ? [a, b] : [b, a];
  return horizontal.some(
    ({ x0, x1, y0 }) => y0 > middleY(above) && y0 < middleY(below) && x0 < middleX(above) && x1 > middleX(above),
  );
}

/** Splits a line at words of the form, other values, rules and spaces of at least `wide`. */
export function splitChunks(
  line: readonly FormToken[],
  context: PlaceContext,
  wide: number,
  spaced: boolean,
): FormToken[][] {
  const chunks: FormToken[][] = [];
  let last: FormToken | undefined;
  for (const token of line) {
    const isOpen =
      last &&
      chunks.length > 0 &&
      isValue(context, last) &&
      token.x0 - last.x1 < wide &&
      (spaced || !isRuledOff(context.document, last, token));
    if (isValue(context, token) && (isOpen || spaced || !isSign(token))) {
      if (isOpen) chunks.at(-1)!.push(token);
      else chunks.push([token]);
    }
    last = token;
  }
  return chunks;
}
