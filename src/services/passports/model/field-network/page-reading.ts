import type { Sheet, Token } from '../fields/page-tokens.ts';
import { CLASSES } from './classes.ts';
import { describePage, GRAMS, NUMBERS, type PageFeatures } from './page-features.ts';
import { type Cell, cellAround, RELATIONS, sameCell } from './page-graph.ts';

/** The outputs of the network for the words of a page. */
export interface PageReading {
  readonly tokens: readonly Token[];
  /** 0..1 */
  probabilityOf(token: number, name: string): number;
  /** A class of {@link CLASSES}. */
  likeliest(token: number): string;
  /** Above 0 if two tokens rather belong to one value or one row than not. */
  affinity(a: number, b: number): number;
  /** Whether two tokens stand in different ruled cells. */
  areApart(a: number, b: number): boolean;
}

/** The outputs of the network for one part of a page. */
export interface PartOutput {
  /** tokens × classes */
  readonly probabilities: Float32Array;
  /** tokens × tokens; above 0 for tokens of one value or row. */
  readonly pairs: Float32Array;
}

// Time and memory grow with the square; larger pages are read in overlapping parts.
const MAX_TOKENS = 768;
const OVERLAP = 128;

/** The inputs of the network: one or, for a dense page, several parts. */
export function describeParts(sheet: Sheet): PageFeatures[] {
  const all = describePage(sheet);
  return split(sheet).map((part) => partOf(all, part));
}

/** Indices of the tokens of each part, from top to bottom. */
function split({ tokens }: Sheet): number[][] {
  const order = tokens.map((_, i) => i).sort((a, b) => tokens[a]!.y0 - tokens[b]!.y0);
  if (order.length <= MAX_TOKENS) return order.length > 0 ? [[...tokens.keys()]] : [];
  const parts: number[][] = [];
  for (let from = 0; from < order.length - OVERLAP; from += MAX_TOKENS - OVERLAP) {
    parts.push(order.slice(from, from + MAX_TOKENS));
  }
  return parts;
}

function partOf(all: PageFeatures, part: readonly number[]): PageFeatures {
  if (part.length === all.count) return all;
  const place = new Map(part.map((i, at) => [i, at]));
  const pick = <T extends Float32Array | Int32Array>(from: T, width: number, to: T): T => {
    for (const [at, i] of part.entries()) to.set(from.subarray(i * width, (i + 1) * width), at * width);
    return to;
  };
  const neighbours = pick(all.neighbours, RELATIONS.length, new Int32Array(part.length * RELATIONS.length));
  return {
    count: part.length,
    grams: pick(all.grams, GRAMS, new Int32Array(part.length * GRAMS)),
    numbers: pick(all.numbers, NUMBERS, new Float32Array(part.length * NUMBERS)),
    places: pick(all.places, 2, new Float32Array(part.length * 2)),
    // Neighbours in other parts are unknown.
    neighbours: neighbours.map((other) => (place.get(other - 1) ?? -1) + 1),
  };
}

/**
 * Combines the outputs for {@link describeParts}. A token of two parts is judged by the one that sees more around it.
 */
export function combineParts(sheet: Sheet, outputs: readonly PartOutput[]): PageReading {
  const { tokens } = sheet;
  const parts = split(sheet);
  const home: { part: number; at: number }[] = new Array(tokens.length);
  const places = parts.map((part) => new Map(part.map((i, at) => [i, at])));
  for (const [p, part] of parts.entries()) {
    for (const [at, i] of part.entries()) if (!home[i] || at >= OVERLAP / 2) home[i] = { part: p, at };
  }
  const probability = (token: number, index: number) => {
    const { part, at } = home[token]!;
    return outputs[part]!.probabilities[at * CLASSES.length + index] ?? 0;
  };
  const likeliest = tokens.map((_, token) => {
    let best = 0;
    for (let i = 1; i < CLASSES.length; i++) if (probability(token, i) > probability(token, best)) best = i;
    return CLASSES[best]!;
  });
  const cells = tokens.map((token) => cellAround(token, sheet));
  return {
    tokens,
    areApart: (a, b) => isRuled(cells[a]!) && isRuled(cells[b]!) && !sameCell(cells[a]!, cells[b]!),
    probabilityOf(token, name) {
      const index = INDEX.get(name);
      return index === undefined ? 0 : probability(token, index);
    },
    likeliest: (token) => likeliest[token]!,
    affinity(a, b) {
      const part = places.findIndex((known) => known.has(a) && known.has(b));
      if (part < 0) return -10;
      const [i, j] = [places[part]!.get(a)!, places[part]!.get(b)!];
      const { length } = parts[part]!;
      const { pairs } = outputs[part]!;
      return (pairs[i * length + j]! + pairs[j * length + i]!) / 2;
    },
  };
}

const INDEX: ReadonlyMap<string, number> = new Map(CLASSES.map((name, i) => [name, i]));

const isRuled = ({ left, right, top, bottom }: Cell): boolean =>
  left !== undefined && right !== undefined && top !== undefined && bottom !== undefined;
