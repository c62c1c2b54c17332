import type { ValueSpec } from '../../schema/schema.ts';
import { type Area, isInside } from '../fields/page-tokens.ts';
import { cellAt, type FormToken } from './form-document.ts';
import type { LessonPart, PlaceMethod } from './lesson.ts';
import type { FormMatch } from './match-form.ts';
import { project } from './project.ts';
import { readTicked, tickedIn } from './read-option.ts';
import { type ReadPlace, readProjected } from './read-projected.ts';
import { withLines } from './text-lines.ts';
import { isOpen, isValue, type PlaceContext, readOn, readRun, widest } from './text-run.ts';

/** Finds the tokens at a value's place by the learned method, else where nearby words of the form predict it. */
export function readPlace(part: LessonPart, spec: ValueSpec, context: PlaceContext): ReadPlace | undefined {
  // Stored lessons of earlier versions can have a method that no longer exists.
  const found = METHODS[part.by]?.(part, spec, context) ?? readProjected(part, spec, context);
  if (!found) return undefined;
  const tokens =
    spec.type === 'string' && !part.spaced && part.by !== 'place' ? separate(found.tokens, part) : found.tokens;
  return tokens.length > 0 ? { ...found, tokens } : undefined;
}

type Method = (part: LessonPart, spec: ValueSpec, context: PlaceContext) => ReadPlace | undefined;

/** Undefined without a similar cell; no tokens if the cell is empty. */
function readCell(part: LessonPart, _spec: ValueSpec, context: PlaceContext): ReadPlace | undefined {
  const { document, match, lesson } = context;
  if (!part.cell || part.spaced) return undefined;
  const place = project(lesson, match, part.cell);
  const cell = place && cellAt(document, place.area);
  if (!place || !cell || !isSimilar(cell, place.area)) return undefined;
  const inside = document.tokens.filter((token) => token.page === place.page && isInside(cell, token));
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

function isSimilar(a: Area, b: Area): boolean {
  const width = (a.x1 - a.x0) / (b.x1 - b.x0);
  const height = (a.y1 - a.y0) / (b.y1 - b.y0);
  return width > 0.6 && width < 1.6 && height > 0.3 && height < 4;
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
  if (tokens.length + more.length > 0) {
    const all = [...tokens, ...more];
    const isText = spec.type === 'string' && !part.spaced;
    // `readOn` has read as many lines as the lesson's text had.
    return { tokens: isText ? withLines(all, { ...part, lines: 1 }, context, wide) : all, cost: 1 };
  }
  return part.before.gap < 6 * document.em ? { tokens: [], cost: 1 } : undefined;
}

/** Returns no tokens without options beside the label or at their place. */
function readOption(part: LessonPart, _spec: ValueSpec, { document, match, lesson }: PlaceContext): ReadPlace {
  const label = part.before.word === undefined ? undefined : match.tokens.get(part.before.word);
  const place = part.cell && project(lesson, match, part.cell);
  const ticked = (label && readTicked(label, document)) ?? (place && tickedIn(place.area, place.page, document));
  return { tokens: withoutOther(ticked ?? []), cost: 0 };
}

/** Without the option name before a text that was written in: `иное:`. */
const withoutOther = (tokens: readonly FormToken[]): readonly FormToken[] =>
  tokens.length > 1 && OTHER.test(tokens[0]!.text) ? tokens.slice(1) : tokens;

const OTHER = /^(?:ин(?:ое|ой|ая|ые)|друг(?:ое|ой|ая|ие)|проч(?:ее|ие)|other):$/iu;

const METHODS: Readonly<Partial<Record<string, Method>>> = {
  option: readOption,
  cell: readCell,
  after: readAfter,
  place: (part, spec, context) => readProjected(part, spec, context),
} satisfies Record<PlaceMethod, Method>;

/** Cuts off other values beside a text, at the punctuation that separated them. */
export function separate(tokens: readonly FormToken[], { before, after, nth }: LessonPart): readonly FormToken[] {
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
