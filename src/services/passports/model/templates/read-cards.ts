import type { ColumnSpec, Section } from '../../schema/schema.ts';
import { isNumbering } from '../../schema/values.ts';
import { toTextValue } from '../fields/correct-text.ts';
import { countSteps } from '../fields/numbering-steps.ts';
import { boundingBox, joinText, middleX, middleY } from '../fields/page-tokens.ts';
import type { FormToken } from './form-document.ts';
import type { LessonCards } from './lesson.ts';
import { numberRuns, parseRuns, SIGNED_NUMBER } from './number-runs.ts';
import { project, projectBelow } from './project.ts';
import type { ReadRow, TableCell } from './read-row.ts';
import type { PlaceContext } from './text-run.ts';

interface CellPlace {
  readonly spec: ColumnSpec;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
}

interface ReadCard {
  readonly row: ReadRow;
  /** How far the cells are from their places, in heights of a word, less {@link CELL} for each; the lower the better. */
  readonly drift: number;
}

const MAX_LINES = 500;
const CELL = 10;
// In heights of a word.
const REACH = 0.8;
/** Of the place of the first line of cards, between documents. */
const PLACED = 3;
/** A title between two lines of cards. */
const TITLE = 3.2;
/** A longer text moves the cells below it by a line. */
const LINE = 1.25;
const MAX_MORE_LINES = 2;

/** Reads a grid of cards on the page of the first one, from its projected place on, until a line of cards is missing. */
export function readCards(cards: LessonCards, section: Section, context: PlaceContext): ReadRow[] {
  const { document, lesson, match } = context;
  const { em } = document;
  const place = projectBelow(lesson, match, cards) ?? project(lesson, match, cards);
  if (!place) return [];
  const scale = match.scales[place.page] ?? 1;
  const shift = place.area.x0 - cards.x0 / scale;
  const cells = cards.cells.flatMap(({ key, x0, x1, y }): CellPlace[] => {
    const spec = section.table?.columns.find((column) => column.key === key);
    return spec ? [{ spec, x0: x0 / scale, x1: x1 / scale, y: y / scale }] : [];
  });
  const columns = cards.columns.map(({ x0, x1 }) => ({ x0: x0 / scale + shift, x1: x1 / scale + shift }));
  const onPage = document.lines.filter(([first]) => first!.page === place.page);
  const wordOf = new Map([...match.tokens].map(([index, token]) => [token, lesson.words[index]!]));
  const isBelow = (token: FormToken) => (wordOf.get(token)?.strong && wordOf.get(token)!.y0 > cards.y1) ?? false;
  // Half of the words of the line stand below the cards of the form.
  const end = onPage.findIndex((line) => line.some(isBelow) && line.filter(isBelow).length >= 0.5 * line.length);
  const lines = (end < 0 ? onPage : onPage.slice(0, end))
    .map((line) => line.filter((token) => isContent(token, cards, context)))
    .filter((line) => line.length > 0)
    .map((line) => ({ tokens: line, y: middleY(boundingBox(line)) }));
  const pitch = cards.pitch / scale;
  const grid: (ReadRow | undefined)[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  let top = place.area.y0 + em / 2;
  while (grid.length < MAX_LINES) {
    const reach = (grid.length === 0 ? PLACED : REACH) * em;
    const starts = lines.filter(({ y }) => y > Math.max(last, top - reach) && y < top + TITLE * em);
    const options = starts.map(({ y }) => {
      const end = y + pitch - 0.5 * em;
      const band = lines.filter((line) => line.y > y - 0.5 * em && line.y < end).map(({ tokens }) => tokens);
      const read = columns.map((column, i) => {
        const inside = band.map((line) => line.filter((token) => isInColumn(token, columns, i, em)));
        return readCard(inside, { x: column.x0, y }, cells, em);
      });
      const drift = read.reduce((sum, card) => sum + (card?.drift ?? 0), 0);
      return { y, drift, rows: read.map((card) => card?.row) };
    });
    const best = options.filter(({ rows }) => rows.some(Boolean)).sort((a, b) => a.drift - b.drift)[0];
    if (!best) break;
    grid.push(best.rows);
    last = best.y;
    top = last + pitch;
  }
  const [across, down] = [grid.flat(), columns.flatMap((_, i) => grid.map((line) => line[i]))].map((rows) =>
    rows.filter((row) => row !== undefined),
  ) as [ReadRow[], ReadRow[]];
  const [stepsAcross, stepsDown] = [across, down].map((order) => countSteps(order.map(numberOf))) as [number, number];
  return (cards.down ? stepsAcross > stepsDown : stepsAcross >= stepsDown) ? across : down;
}

const numberOf = (row: ReadRow) => row.find(({ spec }) => isNumbering(spec))?.value;

/** A word of a card: no label of all cards, no sign, and no word of the form. */
function isContent(token: FormToken, cards: LessonCards, { match }: PlaceContext): boolean {
  return (
    /[\p{L}\d]/u.test(token.text) &&
    !match.constants.has(token) &&
    !(token.word !== '' && cards.labels.includes(token.hash))
  );
}

/** From the left end of a column to that of the next; centred texts may start before it. */
function isInColumn(token: FormToken, columns: readonly { x0: number; x1: number }[], i: number, em: number): boolean {
  const x = middleX(token);
  const { x0, x1 } = columns[i]!;
  return x > x0 - (i === 0 ? 4 * em : 0.5 * em) && x < x1 - 0.5 * em;
}

/** A card whose first line is at `y`; undefined without a number and another cell. */
function readCard(
  lines: readonly (readonly FormToken[])[],
  origin: { x: number; y: number },
  cells: readonly CellPlace[],
  em: number,
): ReadCard | undefined {
  const filled = lines.filter((line) => line.length > 0);
  if (filled.length === 0) return undefined;
  let best: ReadCard | undefined;
  for (let more = 0; more <= MAX_MORE_LINES; more++) {
    const read = readMoved(filled, origin, cells, more, em);
    if (!best || read.drift < best.drift) best = read;
  }
  const numbers = best?.row.filter(({ spec }) => spec.type === 'number') ?? [];
  return best && numbers.length > 0 && best.row.length > Math.min(1, cells.length - 1) ? best : undefined;
}

/** The card if its text has `more` lines than the learned ones. */
function readMoved(
  lines: readonly (readonly FormToken[])[],
  { x, y }: { x: number; y: number },
  cells: readonly CellPlace[],
  more: number,
  em: number,
): ReadCard {
  const textAt = Math.max(...cells.filter(isText).map((cell) => cell.y));
  const moved = cells.map((cell) => ({
    ...cell,
    y: y + cell.y + (cell.y > textAt + 0.5 * em ? more * LINE * em : 0),
    x0: x + cell.x0,
    x1: x + cell.x1,
  }));
  const numbers = readNumbers(lines, moved, em);
  const claimed = new Set(numbers.row.flatMap(({ tokens }) => tokens));
  // A number before the words of a line that no cell takes: it is printed, but was not typed in the corrected document.
  const rest = lines
    .flatMap((line) => line.filter((_, i) => line.slice(0, i + 1).some(({ text }) => !/^\d{1,3}\p{L}?$/u.test(text))))
    .filter((token) => !claimed.has(token));
  const texts = readTexts(rest, moved.filter(isText), em);
  // A number in a text belongs to another cell.
  const misplaced = rest.filter(({ text }) => /\d[.,]\d/u.test(text)).length;
  const row = [...numbers.row, ...texts.row];
  return { row, drift: numbers.drift + texts.drift + CELL * (misplaced - row.length) };
}

/** Numbers of rooms, unlike names, are found by their form. */
const isText = ({ spec }: CellPlace): boolean => spec.type === 'string' && !spec.numbering;

/** Each number on the line of its cell, the nearest first. */
function readNumbers(lines: readonly (readonly FormToken[])[], cells: readonly CellPlace[], em: number): ReadCard {
  const runs = numberRuns({ lines, em }, SIGNED_NUMBER);
  const words = lines.flat().filter(({ text }) => !/\d[.,]\d/u.test(text));
  const options = cells
    .filter((cell) => !isText(cell))
    .flatMap((cell) =>
      parseRuns(cell.spec.type === 'string' ? words.map((word) => [word]) : runs, cell.spec).flatMap(
        ({ tokens, value }) => {
          const box = boundingBox(tokens);
          const below = Math.abs(middleY(box) - cell.y) / em;
          const aside = Math.min(Math.abs(box.x0 - cell.x0), Math.abs(box.x1 - cell.x1)) / em;
          return below < REACH && value !== null ? [{ spec: cell.spec, value, tokens, far: below + 0.2 * aside }] : [];
        },
      ),
    )
    .sort((a, b) => a.far - b.far || b.tokens.length - a.tokens.length);
  const claimed = new Set<FormToken>();
  const row: TableCell[] = [];
  let drift = 0;
  for (const { spec, value, tokens, far } of options) {
    if (row.some((cell) => cell.spec === spec) || tokens.some((token) => claimed.has(token))) continue;
    row.push({ spec, value, tokens });
    for (const token of tokens) claimed.add(token);
    drift += far;
  }
  return { row, drift };
}

/** Each word belongs to the text whose place is nearest. */
function readTexts(tokens: readonly FormToken[], cells: readonly CellPlace[], em: number): ReadCard {
  const words = new Map<CellPlace, FormToken[]>();
  for (const token of tokens) {
    const distance = ({ x0, x1, y }: CellPlace) =>
      (2 * Math.abs(middleY(token) - y) + Math.max(0, x0 - middleX(token), middleX(token) - x1)) / em;
    const cell = cells.toSorted((a, b) => distance(a) - distance(b))[0];
    if (cell) words.set(cell, [...(words.get(cell) ?? []), token]);
  }
  const read = [...words].map(([{ spec, y }, all]) => {
    const sorted = all.sort((a, b) => a.id - b.id);
    const cell: TableCell = { spec, value: toTextValue(spec, joinText(sorted), sorted), tokens: sorted };
    return { cell, drift: Math.abs(middleY(sorted[0]!) - y) / em };
  });
  return { row: read.map(({ cell }) => cell), drift: read.reduce((sum, { drift }) => sum + drift, 0) };
}
