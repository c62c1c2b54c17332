import type { FormDocument, FormToken } from './form-document.ts';

/** The marks of check boxes that are not ticked, also as OCR reads them. */
const EMPTY = /^([☐□▢◻○◯]|[OoОо0][)\]|]?|[[(|]\s?[\])|]?)$/u;
/** Any other word before the text, or none, counts as a ticked box. */
const TICK = /^(\P{L}{1,3}|[^\p{L}\d]?\p{L}[^\p{L}\d]?)$/u;
const MIN_EMPTY = 2;
/** Words before the options; bounds the time of a long line. */
const MAX_LABEL = 12;
// In heights of a word.
const WIDE = 1.5;

/**
 * The text of the only option without an empty check box, right of `label` on its line; undefined if the line has no check
 * boxes or not exactly one option is ticked.
 */
export function readTicked(label: FormToken, document: FormDocument): readonly FormToken[] | undefined {
  const line = document.lines[label.line]!;
  const options = splitOptions(line.slice(line.indexOf(label) + 1), document);
  const ticked = options.filter(([first]) => !EMPTY.test(first!.text));
  if (ticked.length !== 1 || options.length - 1 < MIN_EMPTY) return undefined;
  const [first, ...rest] = ticked[0]!;
  return rest.length > 0 && TICK.test(first!.text) ? rest : ticked[0];
}

/** Options begin at an empty check box, or after a wide space. */
function splitOptions(tokens: readonly FormToken[], { em }: FormDocument): FormToken[][] {
  const options: FormToken[][] = [];
  let last: FormToken | undefined;
  for (const token of tokens) {
    const open = options.at(-1);
    if (open && last && !EMPTY.test(token.text) && token.x0 - last.x1 < WIDE * em) open.push(token);
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
  const line = document.lines[value[0]!.line]!;
  return line.slice(0, MAX_LABEL).find((token, at) => {
    const next = line[at + 1];
    if (!words.has(token) || !next || next.x0 - token.x1 < WIDE * document.em) return false;
    const ticked = readTicked(token, document);
    return ticked?.length === value.length && ticked.every((one, i) => one === value[i]);
  });
}
