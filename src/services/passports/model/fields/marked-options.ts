import { groupLines } from './blocks.ts';
import { type Area, boundingBox, middleY } from './page-tokens.ts';

interface OptionToken extends Area {
  readonly text: string;
}

/** Words and rules of a form that asks for marks with a pen. */
export interface MarkedForm<T extends OptionToken> {
  /** From top to bottom, tokens from left to right. */
  readonly lines: readonly (readonly T[])[];
  readonly horizontal: readonly Area[];
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
}

/** `нужное подчеркнуть`, `подчёркнуто`, `underline one`. */
const UNDERLINE = /п.дч.рк|underlin/iu;
/** `ненужное зачеркнуть`, `strike out what does not apply`. */
const STRIKE = /(?:за|вы|пере)ч.рк(?:н|ив)|^\(?(?:strike|delete)$/iu;

/** Undefined if the form asks for no marks. */
export function markedForm<T extends OptionToken>(
  tokens: readonly T[],
  horizontal: readonly Area[],
): MarkedForm<T> | undefined {
  const [isUnderlined, isStruck] = [UNDERLINE, STRIKE].map((asks) => tokens.some(({ text }) => asks.test(text)));
  return isUnderlined || isStruck
    ? { lines: groupLines(tokens), horizontal, isUnderlined: isUnderlined!, isStruck: isStruck! }
    : undefined;
}

/**
 * The options that a person marked in the printed list around `value`, such as `кирпичные, деревянные`: the underlined ones, or
 * those that are not struck out. Undefined if all or none have a mark.
 */
export function markedOptions<T extends OptionToken>(
  [value]: readonly T[],
  { lines, horizontal, isUnderlined, isStruck }: MarkedForm<T>,
): readonly T[] | undefined {
  const options = value ? optionsAround(value, lines) : [];
  const underlined = isUnderlined ? choose(options, UNDER, horizontal) : undefined;
  if (underlined || !isStruck) return underlined?.flat();
  const struck = choose(options, THROUGH, horizontal);
  return struck && options.filter((option) => !struck.includes(option)).flat();
}

/** Some of the options, but not all, each with a rule of its own. */
function choose<T extends OptionToken>(
  options: readonly (readonly T[])[],
  band: Band,
  rules: readonly Area[],
): (readonly T[])[] | undefined {
  const found = options.filter((option) => linesOf(option).every((line) => hasRule(line, band, rules)));
  return found.length > 0 && found.length < options.length ? found : undefined;
}

/** Where a rule stands, in heights of a word from its top. */
interface Band {
  readonly from: number;
  readonly to: number;
}
const UNDER: Band = { from: 0.75, to: 1.6 };
const THROUGH: Band = { from: 0.3, to: 0.75 };
// Chosen. In heights of a word: a pen starts late and ends late.
const MAX_BEYOND = 1;
const MIN_COVERED = 0.7;

function hasRule(line: Area, { from, to }: Band, rules: readonly Area[]): boolean {
  const height = line.y1 - line.y0;
  return rules.some((rule) => {
    const y = (middleY(rule) - line.y0) / height;
    const covered = Math.min(rule.x1, line.x1) - Math.max(rule.x0, line.x0);
    const isOwn = rule.x0 > line.x0 - MAX_BEYOND * height && rule.x1 < line.x1 + MAX_BEYOND * height;
    return y >= from && y <= to && isOwn && covered >= MIN_COVERED * (line.x1 - line.x0);
  });
}

function linesOf<T extends OptionToken>(tokens: readonly T[]): Area[] {
  const lines: T[][] = [];
  for (const token of tokens) {
    const last = lines.at(-1)?.at(-1);
    if (last && token.x0 > last.x0) lines.at(-1)!.push(token);
    else lines.push([token]);
  }
  return lines.map(boundingBox);
}

// Chosen.
const MAX_LINES = 3;
const MAX_OPTIONS = 20;
// In heights of a word.
const MAX_SPACE = 2.5;
const LINE_STEP = 3;

/** The parts between commas of the text around a word, up to a colon, a semicolon, a bracket or the end of a sentence. */
function optionsAround<T extends OptionToken>(word: T, lines: readonly (readonly T[])[]): T[][] {
  const at = lines.findIndex((line) => line.includes(word));
  const runs = [runsOf(lines[at]!).find((run) => run.includes(word))!];
  for (const step of [-1, 1]) {
    for (let i = at + step; Math.abs(i - at) <= MAX_LINES; i += step) {
      const run = nextRun(step < 0 ? runs[0]! : runs.at(-1)!, lines[i] ?? []);
      if (!run) break;
      if (step < 0) runs.unshift(run);
      else runs.push(run);
    }
  }
  const text = runs.flat();
  const place = text.indexOf(word);
  const before = text.slice(0, place).findLastIndex((token) => STARTS.test(token.text));
  const end = text.findIndex((token, i) => i >= place && ENDS.test(token.text));
  const bracket = text.findIndex((token, i) => i > place && token.text.startsWith('('));
  const last = Math.min(...[end + 1 || text.length, bracket < 0 ? text.length : bracket]);
  const options: T[][] = [[]];
  for (const token of text.slice(before + 1, last)) {
    options.at(-1)!.push(token);
    if (/[,/]$/u.test(token.text)) options.push([]);
  }
  const found = options.filter((option) => option.some(({ text }) => /\p{L}/u.test(text)));
  return found.length <= MAX_OPTIONS ? found : [];
}

/** The end of a label or of another list. */
const STARTS = /[:;)–—]$|\p{L}{4}\.$/u;
const ENDS = /[;)]$|\p{L}{4}\.$/u;

/** The words of a line that have no wide spaces between them. */
function runsOf<T extends OptionToken>(line: readonly T[]): T[][] {
  const runs: T[][] = [];
  for (const token of line) {
    const last = runs.at(-1)?.at(-1);
    if (last && token.x0 - last.x1 < MAX_SPACE * (token.y1 - token.y0)) runs.at(-1)!.push(token);
    else runs.push([token]);
  }
  return runs;
}

/** The words of the next line directly above or below. */
function nextRun<T extends OptionToken>(run: readonly T[], line: readonly T[]): T[] | undefined {
  const box = boundingBox(run);
  const height = run[0]!.y1 - run[0]!.y0;
  return runsOf(line).find((other) => {
    const next = boundingBox(other);
    const isNear = Math.abs(middleY(other[0]!) - middleY(run[0]!)) < LINE_STEP * height;
    return isNear && next.x0 < box.x1 && next.x1 > box.x0;
  });
}
