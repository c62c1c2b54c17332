import type { ValueSpec } from '../../schema/schema.ts';
import { groupLines, runsOf } from './blocks.ts';
import { type Area, boundingBox, middleY } from './page-tokens.ts';

type TextArea = Area & { readonly text: string };

/** Words and rules of a page that asks for marks with a pen. */
export interface MarkedForm<T extends TextArea> {
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

/** Undefined if the page asks for no marks. */
export function markedForm<T extends TextArea>(
  lines: readonly (readonly T[])[],
  horizontal: readonly Area[],
): MarkedForm<T> | undefined {
  const asks = (mark: RegExp) => lines.some((line) => line.some(({ text }) => mark.test(text)));
  const [isUnderlined, isStruck] = [asks(UNDERLINE), asks(STRIKE)];
  return isUnderlined || isStruck ? { lines, horizontal, isUnderlined, isStruck } : undefined;
}

/** Whether a value can be one of the options that a form prints: no name, number or address. */
export const isOption = (spec: ValueSpec & { readonly shapes?: unknown; readonly parts?: unknown }): boolean =>
  spec.type === 'string' && !spec.numbering && spec.shapes === undefined && spec.parts === undefined;

/**
 * The marked words of the printed list around `value`, such as `кирпичные, деревянные`: the underlined ones, or those that are
 * not struck out. Undefined if the list has a figure, or all of its options or none have a mark.
 */
export function markedOptions<T extends TextArea>(
  [value]: readonly T[],
  { lines, horizontal, isUnderlined, isStruck }: MarkedForm<T>,
): readonly T[] | undefined {
  const options = value ? optionsAround(value, lines) : [];
  if (options.flat().some(({ text }) => /\d/u.test(text))) return undefined;
  const underlined = isUnderlined ? choose(options, UNDER, horizontal).flat() : [];
  if (underlined.length > 0 || !isStruck) return underlined.length > 0 ? underlined : undefined;
  const struck = choose(options, THROUGH, horizontal).flat();
  // The rest of an option without its struck words is its label.
  const rest = options.filter((option) => !option.some((token) => struck.includes(token)));
  return struck.length > 0 && rest.length > 0 ? rest.flat() : undefined;
}

/** Where a rule stands, in heights of a word from its top. */
interface Band {
  readonly from: number;
  readonly to: number;
}
const UNDER: Band = { from: 0.75, to: 1.6 };
const THROUGH: Band = { from: 0.3, to: 0.75 };
// In heights of a word: a pen starts late and goes on too far. Chosen by sight, like the share of a word that its rule covers.
const MAX_BEYOND = 1;
const MIN_COVERED = 0.7;

/** The marked words of each option; none if all options have a rule, as in filled blanks. */
function choose<T extends TextArea>(
  options: readonly (readonly T[])[],
  band: Band,
  horizontal: readonly Area[],
): (readonly T[])[] {
  const words = options.flat();
  const rules = horizontal.filter((rule) => words.some((word) => isAt(rule, word, band)));
  const covered = options.map((option) => option.filter((word) => rules.some((rule) => isAt(rule, word, band))));
  if (covered.every(({ length }) => length > 0)) return [];
  return covered.map((marked, i) => {
    const lines = groupLines(options[i]!).map(boundingBox);
    const isOwn = (rule: Area, word: Area) => {
      const line = lines.find((box) => middleY(word) > box.y0 && middleY(word) < box.y1)!;
      const beyond = MAX_BEYOND * (word.y1 - word.y0);
      return rule.x0 > line.x0 - beyond && rule.x1 < line.x1 + beyond;
    };
    return marked.filter((word) => rules.some((rule) => isAt(rule, word, band) && isOwn(rule, word)));
  });
}

function isAt(rule: Area, word: Area, { from, to }: Band): boolean {
  const y = (middleY(rule) - word.y0) / (word.y1 - word.y0);
  const covered = Math.min(rule.x1, word.x1) - Math.max(rule.x0, word.x0);
  return y >= from && y <= to && covered >= MIN_COVERED * (word.x1 - word.x0);
}

// Longer lists are not lists of options.
const MAX_LINES = 3;
const MAX_OPTIONS = 20;
const MAX_WORDS = 120;
// In heights of a word.
const MAX_SPACE = 2.5;
const LINE_STEP = 3;

/** The parts between commas of the text around a word, up to a colon, a semicolon, a bracket or the end of a sentence. */
function optionsAround<T extends TextArea>(word: T, lines: readonly (readonly T[])[]): T[][] {
  const at = lines.findIndex((line) => line.includes(word));
  const height = word.y1 - word.y0;
  const runs = [runsOf(lines[at]!, MAX_SPACE * height).find((run) => run.includes(word))!];
  for (const step of [-1, 1]) {
    for (let i = at + step; Math.abs(i - at) <= MAX_LINES; i += step) {
      const last = step < 0 ? runs[0]! : runs.at(-1)!;
      const run = runsOf(lines[i] ?? [], MAX_SPACE * height).find((other) => isNextLine(last, other, height));
      if (!run) break;
      if (step < 0) runs.unshift(run);
      else runs.push(run);
    }
  }
  const text = runs.flat();
  if (text.length > MAX_WORDS) return [];
  const place = text.indexOf(word);
  const before = text.slice(0, place).findLastIndex((token) => STARTS.test(token.text));
  const end = text.findIndex((token, i) => i >= place && ENDS.test(token.text));
  const bracket = text.findIndex((token, i) => i > place && token.text.startsWith('('));
  const ends = [end < 0 ? text.length : end + 1, bracket < 0 ? text.length : bracket, nextLabel(runs, text, place)];
  const last = Math.min(...ends);
  const options: T[][] = [[]];
  for (const token of text.slice(before + 1, last)) {
    options.at(-1)!.push(token);
    if (/[,/]$/u.test(token.text)) options.push([]);
  }
  const found = options.filter((option) => option.some((token) => /\p{L}/u.test(token.text)));
  return found.length <= MAX_OPTIONS ? found : [];
}

/** The index of the first word of the next label, with a colon or a number: `Материал` of `Материал кровли: железо`, `4.` */
function nextLabel<T extends TextArea>(runs: readonly (readonly T[])[], text: readonly T[], place: number): number {
  const starts = new Set(runs.map(([first]) => first));
  const isFirst = (at: number) =>
    starts.has(text[at]) || /^\p{Lu}/u.test(text[at]!.text) || /[,;]$/u.test(text[at - 1]!.text);
  const label = text.findIndex(
    (token, i) => i > place && (token.text.endsWith(':') || (starts.has(token) && /^\d{1,2}[.)]$/u.test(token.text))),
  );
  let first = label < 0 ? text.length : label;
  while (label >= 0 && first > place + 1 && !isFirst(first)) first--;
  return first;
}

/** The end of a label or of another list. */
const STARTS = /[:;)–—]$|\p{L}{4}\.$/u;
const ENDS = /[;)]$|\p{L}{4}\.$/u;

/** Directly above or below. */
function isNextLine(run: readonly Area[], other: readonly Area[], height: number): boolean {
  const [box, next] = [boundingBox(run), boundingBox(other)];
  return Math.abs(middleY(next) - middleY(box)) < LINE_STEP * height && next.x0 < box.x1 && next.x1 > box.x0;
}
