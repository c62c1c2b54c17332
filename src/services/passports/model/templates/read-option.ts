import { type Area, boundingBox, isInside, middleY } from '../fields/page-tokens.ts';
import { cellAt, type FormDocument, type FormToken } from './form-document.ts';

/** The marks of check boxes that are not ticked, also as OCR reads them. */
const EMPTY = /^([☐□▢◻○◯]|[OoОо0][)\]|]?|[[(|]\s?[\])|]?)$/u;
const TICKED = /^([☒☑✓✔✗✘⊠■◉●]|[[(|]\s?[xXхХvV✓✔]\s?[\])|])$/u;
/** A mark beside an option, of several without boxes. */
const MARK = /^[xXхХvV×✕✓✔+]$/u;
/** Any other word before the text, or none, counts as a ticked box if no box has one of these marks. */
const UNCLEAR = /^(\P{L}{1,3}|[^\p{L}\d]?\p{L}[^\p{L}\d]?)$/u;
const MIN_EMPTY = 2;
/** Words before the options; bounds the time of a long line. */
const MAX_LABEL = 12;
// In heights of a word.
const WIDE = 1.5;
const ALIGNED = 0.4;
const LINE_STEP = 2.2;
const MARK_COLUMN = 15;
const COLUMN_LINES = 12;

/**
 * The text of the only ticked option in the ruled cell right of `label`, or on the rest of its line; undefined if there
 * are no check boxes or not exactly one is ticked.
 */
export function readTicked(label: FormToken, document: FormDocument): readonly FormToken[] | undefined {
  const line = document.lines[label.line]!;
  const rest = line.slice(line.indexOf(label) + 1);
  const cell = rest[0] && cellAt(document, rest[0]);
  return tickedOf((cell && !isInside(cell, label) && boxesIn(cell, document)) || rest, document);
}

/** The tokens of a cell with several check boxes. A cell with one is one of several on its line. */
function boxesIn(cell: Area, { tokens }: FormDocument): FormToken[] | undefined {
  const inside = tokens.filter((token) => isInside(cell, token));
  return inside.filter(isBox).length > 1 ? inside : undefined;
}

function tickedOf(tokens: readonly FormToken[], document: FormDocument): readonly FormToken[] | undefined {
  const options = splitOptions(tokens, document);
  const from = options.findIndex(([first]) => isBox(first!));
  const end = options.findIndex(([first], at) => at > from && !isBox(first!));
  const boxes = from < 0 ? [] : options.slice(from, end < 0 ? undefined : end);
  const marked = boxes.filter(([first]) => TICKED.test(first!.text));
  if (marked.length > 0) return marked.length === 1 && boxes.length > 1 ? marked[0]!.slice(1) : undefined;
  const [ticked, ...others] = options.filter(([first]) => !EMPTY.test(first!.text));
  if (!ticked || others.length > 0 || options.length - 1 < MIN_EMPTY) return undefined;
  const [first, ...text] = ticked;
  return text.length > 0 && UNCLEAR.test(first!.text) ? text : ticked;
}

/** The text of the only ticked option in an area; undefined if there is none, or several. */
export function tickedIn(area: Area, page: number, document: FormDocument): readonly FormToken[] | undefined {
  const inside = document.tokens.filter((token) => token.page === page && isInside(area, token));
  const options = optionsBeforeMarks(inside, document);
  if (options) {
    const [ticked, ...others] = options.filter(({ mark }) => !EMPTY.test(mark.text));
    return others.length === 0 ? ticked?.text : undefined;
  }
  return inside.some(isBox) ? tickedOf(inside, document) : markedOf(inside, document);
}

/** Options with their marks or boxes behind them, in a column; undefined if any stands elsewhere. */
function optionsBeforeMarks(tokens: readonly FormToken[], { em }: FormDocument) {
  const marks = tokens.filter((token) => isBox(token) || MARK.test(token.text));
  const options = marks.map((mark) => {
    const onLine = tokens.filter(({ line }) => line === mark.line);
    return { mark, text: onLine.slice(0, -1), isLast: onLine.length > 1 && onLine.at(-1) === mark };
  });
  const isColumn = options.every(({ mark, isLast }) => isLast && Math.abs(mark.x0 - marks[0]!.x0) < em);
  if (!isColumn || marks.length === 0 || new Set(tokens.map(({ line }) => line)).size < 2) return undefined;
  // A label may stand before the first option.
  const starts = options.map(({ text }) => text[0]!.x0).sort((a, b) => a - b);
  const start = starts[Math.floor(starts.length / 2)]! - ALIGNED * em;
  return options.map(({ mark, text }) => ({ mark, text: text.filter(({ x0 }) => x0 > start) }));
}

/** The text beside the only mark, if there is text below or above it that starts at the same position. */
function markedOf(tokens: readonly FormToken[], { em }: FormDocument): readonly FormToken[] | undefined {
  const [mark, ...others] = tokens.filter(({ text }) => MARK.test(text));
  const text = mark && tokens.filter(({ line, x0 }) => line === mark.line && x0 > mark.x0);
  const isOption = ({ line, x0 }: FormToken) => line !== mark!.line && Math.abs(x0 - text![0]!.x0) < ALIGNED * em;
  return others.length === 0 && text?.[0] && tokens.some(isOption) ? text : undefined;
}

/**
 * The area of the options of which `value` is the ticked one: its ruled cell, or the lines above and below with text at the same
 * position.
 */
export function areaOfOptions(value: readonly FormToken[], document: FormDocument): Area | undefined {
  const first = value[0]!;
  const { em, lines } = document;
  const mark = markBeside(value, document);
  if (!mark) return undefined;
  const isFirst = (token: FormToken, at: number, all: readonly FormToken[]) =>
    Math.abs(token.x0 - first.x0) < ALIGNED * em &&
    (at === 0 || isBox(all[at - 1]!) || token.x0 - all[at - 1]!.x1 > em);
  const optionsBeyond = (step: 1 | -1) => {
    const found: FormToken[] = [];
    for (let at = first.line + step, y = middleY(first); lines[at]?.[0]?.page === first.page; at += step) {
      const start = lines[at]!.find(isFirst);
      const next = start && lines[at]!.slice(lines[at]!.indexOf(start));
      if (Math.abs(middleY(lines[at]![0]!) - y) > LINE_STEP * em) break;
      if (!start || !next) continue;
      const end = next.findIndex((token, i) => i > 0 && token.x0 - next[i - 1]!.x1 > WIDE * em);
      found.push(...next.slice(0, end < 0 ? undefined : end));
      y = middleY(start);
    }
    return found;
  };
  const cell = cellAt(document, first);
  const stack = boundingBox([mark, ...value, ...optionsBeyond(-1), ...optionsBeyond(1)]);
  const margin = ALIGNED * em;
  const areas = [
    ...(cell ? [cell] : []),
    { x0: stack.x0 - margin, y0: stack.y0 - margin, x1: stack.x1 + margin, y1: stack.y1 + margin },
  ];
  return areas.find((area) => isSameText(tickedIn(area, first.page, document), value));
}

/** The mark before a text; or after a text without a label before it, in a column of marks. */
function markBeside(value: readonly FormToken[], document: FormDocument): FormToken | undefined {
  const { em, lines } = document;
  const [first, last] = [value[0]!, value.at(-1)!];
  const line = lines[first.line]!;
  const isMark = (token: FormToken | undefined): token is FormToken =>
    token !== undefined && (TICKED.test(token.text) || MARK.test(token.text));
  const at = line.indexOf(last);
  const [before, after, next] = [line[line.indexOf(first) - 1], line[at + 1], line[at + 2]];
  if (isMark(before) && first.x0 - before.x1 <= WIDE * em) return before;
  if (last.line !== first.line || !isMark(after) || after.x0 - last.x1 > MARK_COLUMN * em) return undefined;
  const cell = cellAt(document, first);
  const isBeside = (token: FormToken) => !cell || isInside(cell, token);
  const isOption = before && hasMarksBetween(before, first, document);
  const isLabelled = before && !isOption && !isBox(before) && !isMark(before) && isBeside(before);
  const isOfNext = next && next.x0 - after.x1 < WIDE * em && isBeside(next);
  return isLabelled || isOfNext ? undefined : after;
}

/** Marks between two texts, on lines near theirs: the left text is an option of another column. */
function hasMarksBetween(left: FormToken, right: FormToken, { lines }: FormDocument): boolean {
  const near = lines.slice(Math.max(0, right.line - COLUMN_LINES), right.line + COLUMN_LINES + 1).flat();
  return near.some(
    (token) =>
      token.page === right.page &&
      token.x0 >= left.x1 &&
      token.x1 <= right.x0 &&
      (TICKED.test(token.text) || MARK.test(token.text)),
  );
}

const isSameText = (found: readonly FormToken[] | undefined, value: readonly FormToken[]): boolean =>
  found?.length === value.length && found.every((one, i) => one === value[i]);

const isBox = ({ text }: FormToken): boolean => EMPTY.test(text) || TICKED.test(text);

/** Options begin at a check box, or after a wide space. */
function splitOptions(tokens: readonly FormToken[], { em }: FormDocument): FormToken[][] {
  const options: FormToken[][] = [];
  let last: FormToken | undefined;
  for (const token of tokens) {
    const open = options.at(-1);
    if (open && last && !isBox(token) && token.x0 - last.x1 < WIDE * em) open.push(token);
    else options.push([token]);
    last = token;
  }
  return options;
}

/** The word of the form left of the options of which `value` is the ticked one. */
export function labelOfOptions(
  value: readonly FormToken[],
  words: ReadonlyMap<FormToken, number>,
  document: FormDocument,
): FormToken | undefined {
  const first = value[0]!;
  const labelOn = (line: readonly FormToken[], isLabel: (token: FormToken, next: FormToken) => boolean) =>
    line.slice(0, MAX_LABEL).find((token, at) => {
      const next = line[at + 1];
      const isFirstBox = next && isBox(next) && !line.slice(0, at).some(isBox);
      const isApart = next && (isFirstBox || next.x0 - token.x1 >= WIDE * document.em);
      return isApart && words.has(token) && isLabel(token, next);
    });
  const cell = cellAt(document, first);
  const boxes = cell && boxesIn(cell, document);
  if (!boxes) return labelOn(document.lines[first.line]!, (token) => isSameText(readTicked(token, document), value));
  if (!isSameText(tickedOf(boxes, document), value)) return undefined;
  const lines = [...new Set(boxes.map(({ line }) => line))];
  const isBesideCell = (token: FormToken, next: FormToken) => !isInside(cell, token) && isInside(cell, next);
  return lines.flatMap((line) => labelOn(document.lines[line]!, isBesideCell) ?? [])[0];
}
