import type { ValueSpec } from '../../schema/schema.ts';
import {
  type Area,
  areaAround,
  cellAt,
  type FormDocument,
  type FormToken,
  isRuledOff,
  middleX,
  middleY,
} from './form-document.ts';
import type { Lesson, LessonPart, PlaceMethod } from './lesson.ts';
import { type FormMatch, project } from './match-form.ts';
import { readTicked } from './read-option.ts';

export interface PlaceContext {
  readonly lesson: Lesson;
  readonly match: FormMatch;
  readonly document: FormDocument;
  /** Tokens of values read before. */
  readonly taken: ReadonlySet<FormToken>;
}

export interface ReadPlace {
  readonly tokens: readonly FormToken[];
  /** Cost of the position; places with lower costs are read first. */
  readonly cost: number;
}

/** Finds the tokens at a value's place by the learned method, else where nearby words of the form predict it. */
export function readPlace(part: LessonPart, spec: ValueSpec, context: PlaceContext): ReadPlace | undefined {
  const found = METHODS[part.by](part, spec, context) ?? readProjected(part, spec, context);
  if (!found) return undefined;
  const tokens =
    spec.type === 'string' && !part.spaced && part.by !== 'place' ? separate(found.tokens, part) : found.tokens;
  return tokens.length > 0 ? { ...found, tokens } : undefined;
}

type Method = (part: LessonPart, spec: ValueSpec, context: PlaceContext) => ReadPlace | undefined;

const isValue = ({ match, taken }: PlaceContext, token: FormToken): boolean =>
  !match.constants.has(token) && !taken.has(token);

/** Undefined without a similar cell; no tokens if the cell is empty. */
function readCell(part: LessonPart, _spec: ValueSpec, context: PlaceContext): ReadPlace | undefined {
  const { document, match, lesson } = context;
  if (!part.cell || part.spaced) return undefined;
  const place = project(lesson, match, part.cell);
  const cell = place && cellAt(document, middleX(place.area), middleY(place.area));
  if (!place || !cell || !isSimilar(cell, place.area)) return undefined;
  const inside = document.tokens.filter((token) => token.page === place.page && contains(cell, token));
  const before = wordIn(inside, match, part.before.word);
  const after = wordIn(inside, match, part.after.word);
  const tokens: FormToken[] = [];
  for (const token of inside.slice(before + 1)) {
    if (after > before && inside.indexOf(token) >= after) break;
    // A word of the form between two values ends the value.
    if (match.constants.has(token)) {
      if (before >= 0 && tokens.length > 0) break;
      continue;
    }
    if (isValue(context, token)) tokens.push(token);
  }
  return { tokens, cost: 0 };
}

function wordIn(tokens: readonly FormToken[], match: FormMatch, word: number | undefined): number {
  const token = word === undefined ? undefined : match.tokens.get(word);
  return token ? tokens.indexOf(token) : -1;
}

const contains = (area: Area, place: Area): boolean =>
  middleX(place) > area.x0 && middleX(place) < area.x1 && middleY(place) > area.y0 && middleY(place) < area.y1;

function isSimilar(a: Area, b: Area): boolean {
  const width = (a.x1 - a.x0) / (b.x1 - b.x0);
  const height = (a.y1 - a.y0) / (b.y1 - b.y0);
  return width > 0.6 && width < 1.6 && height > 0.3 && height < 4;
}

// In heights of a word.
const WIDE = 2.2;
const LINE_STEP = 2.6;
const MAX_MORE_LINES = 3;

/** The widest space within a value. Running text may be justified. */
function widest({ gap, space, after }: LessonPart, { em }: FormDocument, scale: number): number {
  const wide = Math.max(WIDE * em, (1.5 * gap) / scale);
  if (space === undefined || after.end) return wide;
  return Math.min(wide, Math.max((0.7 * space) / scale, (1.2 * gap) / scale, 0.7 * em));
}

/** Reads on from the word of the form left of the value. */
function readAfter(part: LessonPart, spec: ValueSpec, context: PlaceContext): ReadPlace | undefined {
  const { document, match } = context;
  const before = part.before.word === undefined ? undefined : match.tokens.get(part.before.word);
  if (!before) return undefined;
  const scale = match.scales[before.page] ?? 1;
  const wide = widest(part, document, scale);
  const line = document.lines[before.line]!;
  const rest = line.slice(line.indexOf(before) + 1);
  const firstGap = Math.max(wide, (1.3 * part.before.gap) / scale + 2 * document.em);
  const { tokens, ended } = readRun(rest, before, { ...context, wide, firstGap, spaced: part.spaced });
  const isDone = ended && !isOpen(tokens);
  const more = isDone || spec.type !== 'string' ? [] : readOn(part, tokens, before, context, wide);
  if (tokens.length + more.length > 0) return { tokens: [...tokens, ...more], cost: 1 };
  // The value may start on the next line.
  const wrapped = !ended && part.before.gap < 3 * document.em ? startOfNextLine(before, context, wide) : [];
  if (wrapped.length > 0) return { tokens: wrapped, cost: 2 };
  return part.before.gap < 6 * document.em ? { tokens: [], cost: 1 } : undefined;
}

/** Reads back from the word of the form right of the value. */
function readBefore(part: LessonPart, _spec: ValueSpec, context: PlaceContext): ReadPlace | undefined {
  const { document, match } = context;
  const after = part.after.word === undefined ? undefined : match.tokens.get(part.after.word);
  if (!after) return undefined;
  const wide = widest({ ...part, space: 0 }, document, match.scales[after.page] ?? 1);
  const line = document.lines[after.line]!;
  const tokens: FormToken[] = [];
  let last: FormToken = after;
  for (const token of line.slice(0, line.indexOf(after)).reverse()) {
    const gap = last.x0 - token.x1;
    if (!isValue(context, token) || gap > (tokens.length === 0 ? wide + part.after.gap : wide)) break;
    if (isRuledOff(document, token, last)) break;
    tokens.unshift(token);
    last = token;
  }
  return tokens.length > 0 ? { tokens, cost: 1.5 } : undefined;
}

interface RunOptions extends PlaceContext {
  readonly wide: number;
  readonly firstGap: number;
  readonly spaced: boolean;
}

/** `ended`: a word of the form, another value or a wide space follows on the line. */
function readRun(rest: readonly FormToken[], from: FormToken | undefined, options: RunOptions) {
  const { document, wide, firstGap, spaced } = options;
  const tokens: FormToken[] = [];
  let last = from;
  for (const token of rest) {
    const gap = last ? token.x0 - last.x1 : 0;
    const isFirst = tokens.length === 0;
    if (!isValue(options, token)) {
      // Punctuation and short words of the form directly after the label do not end the search.
      if (isFirst && options.match.constants.has(token) && token.word.length < 3 && gap < wide) {
        last = token;
        continue;
      }
      return { tokens, ended: true };
    }
    if (isFirst && !spaced && isSign(token) && gap < firstGap) {
      last = token;
      continue;
    }
    if (gap > (isFirst ? firstGap : wide)) return { tokens, ended: true };
    if (last && !spaced && !isFirst && isRuledOff(document, last, token)) return { tokens, ended: true };
    tokens.push(token);
    last = token;
  }
  return { tokens, ended: false };
}

/** Without check boxes on the line of the label, nothing stands at the place. */
function readOption(part: LessonPart, _spec: ValueSpec, { document, match }: PlaceContext): ReadPlace | undefined {
  const label = part.before.word === undefined ? undefined : match.tokens.get(part.before.word);
  return { tokens: (label && readTicked(label, document)) ?? [], cost: 0 };
}

const METHODS: Readonly<Record<PlaceMethod, Method>> = {
  option: readOption,
  cell: readCell,
  after: readAfter,
  before: readBefore,
  place: (part, spec, context) => readProjected(part, spec, context),
};

/** A bracket or a quotation is not closed yet. */
function isOpen(tokens: readonly FormToken[]): boolean {
  const text = tokens.map((token) => token.text).join(' ');
  const count = (signs: RegExp) => text.match(signs)?.length ?? 0;
  return count(/[(]/gu) > count(/[)]/gu) || count(/«/gu) > count(/»/gu);
}

/** Further lines of a text: below it, or from the left margin of running text. */
function readOn(
  part: LessonPart,
  start: readonly FormToken[],
  before: FormToken,
  context: PlaceContext,
  wide: number,
): FormToken[] {
  const { document, match } = context;
  const scale = match.scales[before.page] ?? 1;
  const right = Math.max(...document.tokens.filter(({ page }) => page === before.page).map(({ x1 }) => x1));
  const more: FormToken[] = [];
  let end = start.at(-1) ?? before;
  for (let lines = 1; lines < part.lines + MAX_MORE_LINES; lines++) {
    const isExpected = lines < part.lines || end.x1 > 0.88 * right || isOpen([...start, ...more]);
    if (!isExpected) break;
    const next = document.lines[end.line + 1];
    if (!next || next[0]!.page !== end.page || middleY(next[0]!) - middleY(end) > LINE_STEP * document.em) break;
    // Under the value, or from the margin in running text.
    const margin = document.lines[before.line]![0]!.x0;
    const isBelow = isOpen([...start, ...more]);
    if (lines >= part.lines && !isBelow && Math.abs(next[0]!.x0 - margin) > 3 * document.em) break;
    const left = isBelow ? start[0]!.x0 - document.em : Math.min(before.x0, part.x0 / scale) - 3 * document.em;
    const rest = lines >= part.lines && !isBelow ? next : next.filter((token) => token.x0 > left);
    if (rest.length === 0) break;
    const options = { ...context, wide, firstGap: Number.POSITIVE_INFINITY, spaced: false };
    const { tokens, ended } = readRun(rest, undefined, options);
    if (tokens.length === 0 || match.constants.has(rest[0]!)) break;
    more.push(...tokens);
    end = tokens.at(-1)!;
    if (ended) break;
  }
  return more;
}

function startOfNextLine(before: FormToken, context: PlaceContext, wide: number): FormToken[] {
  const { document } = context;
  const next = document.lines[before.line + 1];
  if (!next || next[0]!.page !== before.page || middleY(next[0]!) - middleY(before) > LINE_STEP * document.em)
    return [];
  const options = { ...context, wide, firstGap: Number.POSITIVE_INFINITY, spaced: false };
  return readRun(next, undefined, options).tokens;
}

const MAX_DRIFT = 9;

/** Reads the run of tokens at the place that the nearest words of the form predict. */
function readProjected(part: LessonPart, spec: ValueSpec, context: PlaceContext): ReadPlace | undefined {
  const { document, match, lesson } = context;
  const { em } = document;
  const place = project(lesson, match, part);
  if (!place) return undefined;
  const { area, page } = place;
  const scale = match.scales[page] ?? 1;
  const wide = part.spaced
    ? 3 * em
    : Math.min(widest(part, document, scale), Math.max(1.3 * em, (1.3 * part.gap) / scale));
  const near = document.lines.filter(
    (line) =>
      line[0]!.page === page && line.some((token) => middleY(token) > area.y0 - em && middleY(token) < area.y1 + em),
  );
  const chunks = near.flatMap((line) => splitChunks(line, context, wide, part.spaced));
  let best: { chunk: FormToken[]; cost: number } | undefined;
  const firstY = part.lines > 1 ? area.y0 + 0.5 * em : middleY(area);
  for (const chunk of chunks) {
    const around = areaAround(chunk);
    const dx = Math.min(
      Math.abs(around.x0 - area.x0),
      Math.abs(middleX(around) - middleX(area)),
      Math.abs(around.x1 - area.x1),
    );
    const dy = Math.abs(middleY(chunk[0]!) - firstY);
    const isCovering = around.x0 < area.x1 && around.x1 > area.x0;
    const cost = dx / em + 3 * (dy / em) + (isCovering ? 0 : 3);
    if (dx > MAX_DRIFT * em || dy > 1.3 * em) continue;
    if (!best || cost < best.cost) best = { chunk, cost };
  }
  if (!best) return { tokens: [], cost: 9 };
  const tokens = [...best.chunk];
  if (spec.type === 'string') {
    let end = tokens;
    for (let lines = 1; lines < part.lines + 2; lines++) {
      const last = areaAround(end);
      const below = document.lines
        .slice(end[0]!.line + 1, end[0]!.line + 4)
        .filter(
          (line) => line[0]!.page === page && middleY(line[0]!) - middleY(last) < (lines < part.lines ? 2.3 : 1.7) * em,
        )
        .flatMap((line) => splitChunks(line, context, wide, false))
        .find((chunk) => {
          const around = areaAround(chunk);
          return around.x0 < last.x1 && around.x1 > last.x0 && Math.abs(around.x0 - last.x0) < 6 * em;
        });
      if (!below || (lines >= part.lines && middleY(below[0]!) > area.y1 + 1.7 * em)) break;
      if (lines >= part.lines && isRuledBetween(document, last, areaAround(below))) break;
      tokens.push(...below);
      end = below;
    }
  }
  return { tokens, cost: 3 + best.cost };
}

function isRuledBetween({ horizontal }: FormDocument, above: Area, below: Area): boolean {
  return horizontal.some(
    ({ x0, x1, y0 }) => y0 > middleY(above) && y0 < middleY(below) && x0 < middleX(above) && x1 > middleX(above),
  );
}

function splitChunks(line: readonly FormToken[], context: PlaceContext, wide: number, spaced: boolean): FormToken[][] {
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

/** A sign of the form before a value: №, a dash. */
export const isSign = ({ text }: FormToken): boolean => /^([^\p{L}\d«"(]+|№.?|N[oо°º]?\.?)$/u.test(text);

/** Cuts off other values beside a text, at the punctuation that separated them. */
function separate(tokens: readonly FormToken[], { before, after, nth }: LessonPart): readonly FormToken[] {
  let rest = tokens;
  for (let i = 0; before.separator && i < nth; i++) {
    const at = rest.findIndex(({ text }) => text.endsWith(before.separator!));
    if (at < 0) break;
    rest = rest.slice(at + 1);
  }
  const end = after.separator ?? after.end;
  if (!end) return rest;
  const at = rest.findIndex(({ text }) => text.endsWith(end) && (end !== '.' || /\p{L}{4}\.$/u.test(text)));
  return at < 0 ? rest : rest.slice(0, at + 1);
}
