import type { FieldSpec } from '../../schema/schema.ts';
import { type Area, boundingBox } from '../fields/page-tokens.ts';
import { cellAt, type FormDocument, type FormToken } from './form-document.ts';
import type { LessonNeighbour, LessonPart, PlaceMethod } from './lesson.ts';
import type { LocatedValue } from './locate-text.ts';
import { countBefore, parsePlace } from './parse-place.ts';
import { labelOfOptions } from './read-option.ts';
import { readPlace } from './read-place.ts';
import { isSign, type PlaceContext } from './text-run.ts';

const round = (value: number): number => Math.round(10 * value) / 10;

export const rounded = ({ x0, y0, x1, y1 }: Area): Area => ({
  x0: round(x0),
  y0: round(y0),
  x1: round(x1),
  y1: round(y1),
});

// In heights of a word.
const WIDE = 2.2;

/** Tries the methods and keeps the first one that finds the value again. */
export function partOf(
  tokens: readonly FormToken[],
  { spaced, factor }: LocatedValue,
  spec: FieldSpec,
  context: PlaceContext,
  words: ReadonlyMap<FormToken, number>,
): LessonPart {
  const { document } = context;
  const first = tokens[0]!;
  const last = tokens.at(-1)!;
  const cells = spaced ? [] : tokens.map((token) => cellAt(document, token));
  const cell = cells[0];
  const isOneCell = cells.every(
    (each) => cell && each && Math.abs(each.x0 - cell.x0) < 3 && Math.abs(each.y0 - cell.y0) < 3,
  );
  const inCell = ({ x0, x1, y0, y1 }: FormToken, around: Area) =>
    x0 + x1 > 2 * around.x0 && x0 + x1 < 2 * around.x1 && y0 + y1 > 2 * around.y0 && y0 + y1 < 2 * around.y1;
  const gaps = tokens
    .slice(1)
    .flatMap((token, i) => (token.line === tokens[i]!.line ? [token.x0 - tokens[i]!.x1] : []));
  const line = document.lines[last.line]!;
  const next = line[line.indexOf(last) + 1];
  const end = spec.type === 'string' ? endOf(last, next) : undefined;
  const describe = (by: PlaceMethod): LessonPart => {
    const isInside = (token: FormToken) => by !== 'cell' || !cell || inCell(token, cell);
    const left = document.lines[first.line]!.slice(0, document.lines[first.line]!.indexOf(first))
      .filter(isInside)
      .reverse();
    const above =
      by === 'cell' && cell
        ? document.tokens.filter((token) => token.line < first.line && inCell(token, cell)).reverse()
        : [];
    const before = neighbour(left, first, words, document, above);
    const stop = left.findIndex((token) => words.has(token));
    const others = left.slice(0, stop < 0 ? left.length : stop).reverse();
    const sameLine = tokens.filter((token) => token.line === first.line);
    return {
      ...rounded(boundingBox(tokens)),
      by,
      lines: new Set(tokens.map((token) => token.line)).size,
      ...(cell && isOneCell && { cell: rounded(cell) }),
      before,
      after: {
        ...neighbour(line.slice(line.indexOf(last) + 1).filter(isInside), last, words, document, []),
        ...(end && { end }),
      },
      spaced,
      nth:
        by === 'place' || by === 'before'
          ? 0
          : spec.type === 'string'
            ? others.filter(({ text }) => before.separator && text.endsWith(before.separator)).length
            : countBefore([...others, ...sameLine], spec, first),
      gap: round(Math.max(0, ...gaps)),
      ...(next && { space: round(Math.max(0, next.x0 - last.x1)) }),
    };
  };
  const { before, after } = describe('after');
  // A unit; a word further right may belong to a column beside it, whose lines move.
  const hasUnit = after.direct && after.gap < 1.2 * document.em;
  const label = spec.type === 'string' ? labelOfOptions(tokens, words, document) : undefined;
  if (label) {
    return {
      ...describe('option'),
      before: { word: words.get(label)!, gap: 0, direct: true },
      after: { gap: 0, direct: false },
    };
  }
  const methods: PlaceMethod[] = [
    ...(cell && isOneCell ? (['cell'] as const) : []),
    ...methodsOf(before.direct, hasUnit),
  ];
  const own = tokens.filter((token) => !isSign(token));
  const found = methods.map(describe).find((part) => {
    const place = readPlace(part, spec, context);
    const parsed = place && parsePlace(place.tokens, spec, { part, factor, document });
    return (
      parsed &&
      parsed.tokens.length >= own.length &&
      parsed.tokens.every((token) => tokens.some(({ id }) => id === token.id))
    );
  });
  return found ?? describe(methods[0]!);
}

const methodsOf = (hasLabel: boolean, hasUnit: boolean): readonly PlaceMethod[] =>
  hasLabel ? ['after', 'before', 'place'] : hasUnit ? ['before', 'place', 'after'] : ['place', 'before', 'after'];

/** The neighbour of a value on one side, from the nearest token on. */
function neighbour(
  beside: readonly FormToken[],
  value: FormToken,
  words: ReadonlyMap<FormToken, number>,
  { em }: FormDocument,
  above: readonly FormToken[],
): LessonNeighbour {
  const word = [...beside, ...above].find((token) => words.has(token));
  const gapTo = (token: FormToken) =>
    token.line === value.line ? Math.max(0, token.x0 - value.x1, value.x0 - token.x1) : 0;
  const other = beside.find((token) => !isSign(token));
  const isOther = other && !words.has(other) && gapTo(other) < WIDE * em;
  const between = isOther ? beside.slice(0, beside.indexOf(other)) : [];
  const isLeft = other && other.id < value.id;
  const separator = !isOther
    ? ''
    : (between[0]?.text.slice(-1) ?? (isLeft ? trailing(other.text) : trailing(value.text) || leading(other.text)));
  return {
    ...(word && { word: words.get(word)! }),
    gap: word ? round(gapTo(word)) : 0,
    direct: word !== undefined && [...beside, ...above].slice(0, [...beside, ...above].indexOf(word)).every(isSign),
    ...(separator !== '' && { separator }),
  };
}

/** The punctuation that ends a value in running text. */
function endOf(last: FormToken, next: FormToken | undefined): string | undefined {
  const end = /\p{L}{3}([.,;])$/u.exec(last.text)?.[1];
  return end !== '.' || !next || /^\P{L}*\p{Lu}/u.test(next.text) ? end : undefined;
}

const trailing = (text: string): string => /[,;:/()–—-]$/u.exec(text)?.[0] ?? '';

const leading = (text: string): string => /^[,;:/()–—-]/u.exec(text)?.[0] ?? '';
