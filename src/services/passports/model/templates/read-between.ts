import { type FormToken, middleY } from './form-document.ts';
import type { Lesson, LessonField, LessonNeighbour, LessonPart } from './lesson.ts';
import { separate } from './read-place.ts';
import type { ReadPlace } from './read-projected.ts';
import { isValue, type PlaceContext } from './text-run.ts';

/** Words of the form beside a value that the document may lack. */
const MAX_SKIPPED = 2;

const MAX_TOKENS = 60;

/** Reads the tokens between the words of the form before and after a value, in the order of the text. */
export function readBetween(
  part: LessonPart,
  extent: LessonField['inText'],
  context: PlaceContext,
): ReadPlace | undefined {
  const { lesson, match, document } = context;
  const after = wordAfter(part, lesson);
  const start = nearest(match.tokens, after - 1, -1);
  const end = nearest(match.tokens, after, 1);
  if (!start || !end || start.token.page !== end.token.page) return undefined;
  const skipped = start.skipped + end.skipped;
  const between = document.tokens.slice(start.token.id + 1, end.token.id);
  // Words instead of the usual ones before the value.
  const label = start.skipped > 0 ? between.findLastIndex(({ text }) => text.endsWith(':')) : -1;
  const free = between.slice(label + 1).filter((token) => isValue(context, token));
  const tokens = extent === 'all' ? free : separate(free, part);
  const isUsable = tokens.length > 0 && tokens.length <= MAX_TOKENS && skipped <= MAX_SKIPPED;
  return isUsable ? { tokens, cost: skipped } : undefined;
}

/** The index of the first word of the form after a place, in reading order. */
function wordAfter(part: LessonPart, { words, em }: Lesson): number {
  const y = part.lines > 1 ? part.y0 + 0.5 * em : middleY(part);
  const last = words.findLastIndex((word) => {
    const below = middleY(word) - y;
    return below < -0.6 * em || (below < 0.6 * em && word.x0 < part.x0);
  });
  return last + 1;
}

function nearest(tokens: ReadonlyMap<number, FormToken>, from: number, step: 1 | -1) {
  for (let skipped = 0; skipped <= MAX_SKIPPED; skipped++) {
    const token = tokens.get(from + step * skipped);
    if (token) return { token, skipped };
  }
  return undefined;
}

const SPACE = 1.5;
const LINE_STEP = 2.6;

/** Words of the form stand directly before and after the value, or at the end and start of the lines around it. */
export function isInSentence(part: LessonPart, lesson: Lesson): boolean {
  const { words, em } = lesson;
  const after = wordAfter(part, lesson);
  const [left, right] = [words[after - 1], words[after]];
  if (!left || !right || part.by === 'option' || part.by === 'cell') return false;
  const isBeside = ({ direct, gap }: LessonNeighbour) => direct && gap < SPACE * em;
  const margin = Math.min(...words.map(({ x0 }) => x0)) + 3 * em;
  const edge = 0.8 * Math.max(...words.map(({ x1 }) => x1));
  const isNear = (y: number) => y > 0 && y < LINE_STEP * em;
  const startsLine = part.x0 < margin && left.x1 > edge && isNear(part.y0 - left.y0);
  const endsLine = part.x1 > edge && right.x0 < margin && isNear(right.y1 - part.y1);
  return (isBeside(part.before) || startsLine) && (isBeside(part.after) || endsLine);
}
