import type { FieldSpec } from '../../schema/schema.ts';
import { type Area, boundingBox, isInside, middleY } from '../fields/page-tokens.ts';
import { cellAt, type FormDocument, type FormToken } from './form-document.ts';
import type { LessonNeighbour, LessonPart, LessonRoom, PlaceMethod } from './lesson.ts';
import type { LocatedValue } from './locate-text.ts';
import { countBefore, parsePlace } from './parse-place.ts';
import { areaOfOptions, labelOfOptions } from './read-option.ts';
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
const ROOM = 8;

const CLOSE = 1.3;

const NEAR_LINES = 3;
const MAX_NEAR = 4;

/** Tries the methods and keeps the first one that finds the value again. */
export function partOf(
  tokens: readonly FormToken[],
  located: LocatedValue,
  spec: FieldSpec,
  context: PlaceContext,
  words: ReadonlyMap<FormToken, number>,
): LessonPart {
  const { document } = context;
  const { spaced } = located;
  const first = tokens[0]!;
  const last = tokens.at(-1)!;
  const cells = spaced ? [] : tokens.map((token) => cellAt(document, token));
  const cell = cells[0];
  const isOneCell = cells.every(
    (each) => cell && each && Math.abs(each.x0 - cell.x0) < 3 && Math.abs(each.y0 - cell.y0) < 3,
  );
  const gaps = tokens
    .slice(1)
    .flatMap((token, i) => (token.line === tokens[i]!.line ? [token.x0 - tokens[i]!.x1] : []));
  const line = document.lines[last.line]!;
  const next = line[line.indexOf(last) + 1];
  const end = spec.type === 'string' ? endOf(last, next) : undefined;
  const describe = (by: PlaceMethod): LessonPart => {
    const isBeside = (token: FormToken) => by !== 'cell' || !cell || isInside(cell, token);
    const left = document.lines[first.line]!.slice(0, document.lines[first.line]!.indexOf(first))
      .filter(isBeside)
      .reverse();
    const above =
      by === 'cell' && cell
        ? document.tokens.filter((token) => token.line < first.line && isInside(cell, token)).reverse()
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
        ...neighbour(line.slice(line.indexOf(last) + 1).filter(isBeside), last, words, document, []),
        ...(end && { end }),
      },
      spaced,
      nth:
        by === 'place'
          ? 0
          : spec.type === 'string'
            ? others.filter(({ text }) => before.separator && text.endsWith(before.separator)).length
            : countBefore([...others, ...sameLine], spec, first),
      gap: round(Math.max(0, ...gaps)),
      ...(next && { space: round(Math.max(0, next.x0 - last.x1)) }),
    };
  };
  const { before, after } = describe('after');
  const label = labelOfOptions(tokens, words, document);
  const options = areaOfOptions(tokens, document);
  if (label || options) {
    return {
      ...describe('option'),
      ...(options && { cell: rounded(options) }),
      before: { ...(label && { word: words.get(label)! }), gap: 0, direct: true },
      after: { gap: 0, direct: false },
    };
  }
  const methods: PlaceMethod[] = [
    ...(cell && isOneCell ? (['cell'] as const) : []),
    ...(before.direct ? (['after', 'place'] as const) : (['place', 'after'] as const)),
  ];
  const own = tokens.filter((token) => !isSign(token));
  const isFree = spec.type === 'string' && !spaced && !(after.direct && after.gap < WIDE * document.em);
  const room = isFree ? roomOf(tokens, words, document) : undefined;
  const described = methods.map(describe).flatMap((part) => {
    const canGrow = room && (part.by === 'after' || part.by === 'place');
    return canGrow ? [{ ...part, grows: room }, part] : [part];
  });
  const found = described.find((part) => {
    const place = readPlace(part, spec, context);
    const parsed = place && parsePlace(place.tokens, spec, { part, field: located, document });
    return (
      parsed &&
      parsed.tokens.length >= own.length &&
      parsed.tokens.every((token) => tokens.some(({ id }) => id === token.id))
    );
  });
  return found ?? describe(methods[0]!);
}

/** Undefined where other text without a label stands directly above or below a value. */
function roomOf(
  tokens: readonly FormToken[],
  words: ReadonlyMap<FormToken, number>,
  { lines, em }: FormDocument,
): LessonRoom | undefined {
  const own = boundingBox(tokens);
  const right = Math.max(own.x1, own.x0 + ROOM * em);
  const wordsBeside = (from: number, step: 1 | -1): number[] | undefined => {
    for (let at = from; lines[at]?.[0]?.page === tokens[0]!.page; at += step) {
      const beside = lines[at]!.filter(
        (token) => token.x0 < right && token.x1 > own.x0 && /[\p{L}\d]/u.test(token.text),
      );
      const next = beside[0];
      if (!next) continue;
      const isBeyond = (word: FormToken) => (step > 0 ? middleY(word) > own.y1 : middleY(word) < own.y0);
      const far = (word: FormToken) => Math.max(0, next.x0 - word.x1) + 2 * Math.abs(middleY(word) - middleY(next));
      const near = lines
        .slice(Math.max(0, at - NEAR_LINES), at + NEAR_LINES + 1)
        .flat()
        .filter((word) => words.has(word) && word.x0 <= next.x0 + em && isBeyond(word))
        .filter((word) => Math.abs(middleY(word) - middleY(next)) < WIDE * em)
        .sort((a, b) => far(a) - far(b));
      const isLabelled = near.some((word) => word.x1 < own.x0 && word.line === next.line);
      const isClose = Math.max(next.y0 - own.y1, own.y0 - next.y1) < CLOSE * em;
      if (isClose && !isLabelled && !beside.every((token) => words.has(token))) return undefined;
      return near.slice(0, MAX_NEAR).map((word) => words.get(word)!);
    }
    return [];
  };
  const above = wordsBeside(tokens[0]!.line - 1, -1);
  const below = wordsBeside(tokens.at(-1)!.line + 1, 1);
  return above && below && { above, below };
}

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
