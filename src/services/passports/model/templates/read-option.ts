import type { Area } from '../fields/page-tokens.ts';
import { cellAt, type FormDocument, type FormToken, isInside } from './form-document.ts';

/** The marks of check boxes that are not ticked, also as OCR reads them. */
const EMPTY = /^([☐□▢◻○◯]|[OoОо0][)\]|]?|[[(|]\s?[\])|]?)$/u;
const TICKED = /^([☒☑✓✔✗✘⊠■◉●]|[[(|]\s?[xXхХvV✓✔]\s?[\])|])$/u;
/** Any other word before the text, or none, counts as a ticked box if no box has one of these marks. */
const UNCLEAR = /^(\P{L}{1,3}|[^\p{L}\d]?\p{L}[^\p{L}\d]?)$/u;
const MIN_EMPTY = 2;
/** Words before the options; bounds the time of a long line. */
const MAX_LABEL = 12;
// In heights of a word.
const WIDE = 1.5;

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
  const isValue = (ticked: readonly FormToken[] | undefined) =>
    ticked?.length === value.length && ticked.every((one, i) => one === value[i]);
  const labelOn = (line: readonly FormToken[], isLabel: (token: FormToken, next: FormToken) => boolean) =>
    line.slice(0, MAX_LABEL).find((token, at) => {
      const next = line[at + 1];
      return next && words.has(token) && next.x0 - token.x1 >= WIDE * document.em && isLabel(token, next);
    });
  const cell = cellAt(document, first);
  const boxes = cell && boxesIn(cell, document);
  if (!boxes) return labelOn(document.lines[first.line]!, (token) => isValue(readTicked(token, document)));
  if (!isValue(tickedOf(boxes, document))) return undefined;
  const lines = [...new Set(boxes.map(({ line }) => line))];
  const isBesideCell = (token: FormToken, next: FormToken) => !isInside(cell, token) && isInside(cell, next);
  return lines.flatMap((line) => labelOn(document.lines[line]!, isBesideCell) ?? [])[0];
}
