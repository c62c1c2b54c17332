import type { Value } from '../../extraction.ts';
import type { Box, ReadPage } from '../../page-geometry.ts';
import { everyField, resolveKey } from '../../schema/keys.ts';
import type { ColumnSpec, FieldSpec, Schema, Section } from '../../schema/schema.ts';
import { type Area, boundingBox } from '../fields/page-tokens.ts';
import { locateCards } from './card-lesson.ts';
import { createFormDocument, type FormDocument, type FormToken, pageBoxOf } from './form-document.ts';
import { partOf, rounded } from './learn-part.ts';
import type { Lesson, LessonField, LessonTable, LessonWord } from './lesson.ts';
import type { LocatedValue } from './locate-text.ts';
import { isEqual, locateValue } from './locate-value.ts';
import type { FormMatch } from './match-form.ts';
import { readFieldAt } from './read-field.ts';
import type { ReadRow } from './read-row.ts';
import { readTable } from './read-table.ts';
import { locateTable, type TablePlaces, type TableRow } from './table-lesson.ts';
import { hashHalves, normalizeValue, normalizeWord } from './word-hash.ts';

/** A value of a corrected document. */
export interface ConfirmedValue {
  /** `section:field`, or `section:row.column`. */
  readonly key: string;
  readonly value: Value;
  /** What the reader had found. */
  readonly original: Value;
  /** A person typed or removed the value. */
  readonly edited: boolean;
  /** The reader was unsure, and no person has confirmed the document. */
  readonly doubtful?: boolean;
  /** Where the reader had found its value. */
  readonly page: number | null;
  readonly bbox: Box | null;
}

const MAX_WORDS = 1500;

/** Learns where the values of a corrected document stand. A value that is not on its pages teaches nothing. */
export function learnLesson(pages: readonly ReadPage[], values: readonly ConfirmedValue[], schema: Schema): Lesson {
  const document = createFormDocument(pages);
  const taken = new Set<FormToken>();
  const tables: { section: Section; places: TablePlaces[]; rows: TableRow[]; cells: ConfirmedValue[] }[] = [];
  for (const section of schema.sections) {
    if (!section.table) continue;
    const { rows, cells } = rowsOf(section, values, schema);
    if (cells.length === 0) continue;
    const table = locateTable(document, section, rows);
    const cards = locateCards(document, rows);
    for (const found of [table, cards]) for (const token of found?.tokens ?? []) taken.add(token);
    const places = [table?.places ?? [], cards?.places ?? []].flat();
    tables.push({ section, places, rows, cells });
  }
  const body = new Set(taken);
  const located = locateFields(document, values, schema, taken);
  const { words, wordTokens } = formWords(document, taken, located);
  const match = ownMatch(document, wordTokens);
  const base: Lesson = { format: 1, em: document.em, words, fields: [], tables: [] };
  const context = { lesson: base, match, document, taken: body };
  const fields = located.map(({ spec, confirmed, place, wrong }): LessonField => {
    const field: LessonField = {
      key: confirmed.key,
      parts: place ? place.parts.map((part) => partOf(part, place, spec, context, wordTokens)) : [],
      literals: place?.literals ?? [],
      factor: place?.factor ?? 1,
      ...(place?.monthFirst && { monthFirst: true as const }),
      ...(wrong && { wrong }),
      corrected: confirmed.edited,
      ...(confirmed.value === null && { cleared: true }),
      ...(confirmed.doubtful && { doubtful: true }),
      ...(isExtended(confirmed.value, confirmed.original) && { extended: true }),
      ...(isExtended(confirmed.original, confirmed.value) && { shortened: true }),
      verified: false,
    };
    const finds = (match: FormMatch, inText?: LessonField['inText'], taken = body) => {
      const read = place && readFieldAt({ ...field, ...(inText && { inText }) }, spec, { ...context, match, taken });
      return read !== undefined && isSame(read.value, confirmed.value);
    };
    const inText = (['all', 'part'] as const).find((extent) => finds({ ...match, inText: true }, extent));
    const verified = finds(match);
    const leans = !verified && finds(match, undefined, withoutPlace(taken, place));
    return { ...field, verified, ...(leans && { leans }), ...(inText && { inText }) };
  });
  return {
    ...base,
    fields,
    tables: tables.map(({ section, places, rows, cells }): LessonTable => {
      const current = cells.filter(({ value }) => value !== null);
      const verified = places.map((one) => ({
        one,
        verifiedShare: shareFound(readTable(one, section, context), rows, !one.cards),
      }));
      const best = verified.toSorted((a, b) => b.verifiedShare - a.verifiedShare)[0];
      return {
        ...{ section: section.key, ...(best?.one ?? { groups: [], ruled: false, continues: false }) },
        corrected: cells.some(({ edited }) => edited),
        readShare: current.length === 0 ? 0 : share(cells.map(({ edited }) => !edited)),
        verifiedShare: best?.verifiedShare ?? 0,
      };
    }),
  };
}

const withoutPlace = (taken: ReadonlySet<FormToken>, place: LocatedValue | undefined): Set<FormToken> => {
  const own = new Set(place?.parts.flat());
  return new Set([...taken].filter((token) => !own.has(token)));
};

const share = (all: readonly boolean[]) => (all.length === 0 ? 0 : all.filter(Boolean).length / all.length);

/** The share of the confirmed cells that the template finds; at most half with another number of rows. A person may type cards in any order. */
function shareFound(read: readonly ReadRow[], rows: readonly TableRow[], isOrdered: boolean): number {
  const left = new Set(read);
  const hits = rows.flatMap((row, i) => {
    const hitsIn = (found: ReadRow | undefined) =>
      [...row].map(([spec, value]) => found?.some((cell) => cell.spec === spec && isSame(cell.value, value)) ?? false);
    if (isOrdered) return hitsIn(read[i]);
    const best = [...left]
      .map((found) => ({ found, hits: hitsIn(found) }))
      .sort((a, b) => share(b.hits) - share(a.hits))[0];
    if (best) left.delete(best.found);
    return best?.hits ?? hitsIn(undefined);
  });
  return read.length === rows.length ? share(hits) : Math.min(0.5, share(hits));
}

export const isSame = (a: Value, b: Value): boolean =>
  typeof a === 'string' && typeof b === 'string' ? normalizeValue(a) === normalizeValue(b) : isEqual(a, b);

/** The non-empty rows, and the values of all cells, emptied ones too. */
function rowsOf(section: Section, values: readonly ConfirmedValue[], schema: Schema) {
  const cells: ConfirmedValue[] = [];
  const rows = new Map<number, Map<ColumnSpec, Exclude<Value, null>>>();
  for (const confirmed of values) {
    const target = resolveKey(schema, confirmed.key);
    if (target?.kind !== 'cell' || target.section !== section) continue;
    if (confirmed.value === null && !confirmed.edited) continue;
    cells.push(confirmed);
    if (confirmed.value === null) continue;
    const row = rows.get(target.row) ?? new Map<ColumnSpec, Exclude<Value, null>>();
    rows.set(target.row, row.set(target.spec, confirmed.value));
  }
  return { cells, rows: [...rows].sort(([a], [b]) => a - b).map(([, row]) => row) };
}

interface LocatedField {
  readonly spec: FieldSpec;
  readonly confirmed: ConfirmedValue;
  readonly place: LocatedValue | undefined;
  readonly wrong: Area | undefined;
}

/** Unchanged values first: their places are known, so that equal typed values are looked for elsewhere. */
function locateFields(
  document: FormDocument,
  values: readonly ConfirmedValue[],
  schema: Schema,
  taken: Set<FormToken>,
): LocatedField[] {
  const byKey = new Map(values.map((value) => [value.key, value]));
  const fields = [...everyField(schema)].flatMap(({ key, spec }) => {
    const confirmed = byKey.get(key);
    return confirmed && (confirmed.value !== null || confirmed.edited) ? [{ spec, confirmed }] : [];
  });
  const located = fields
    .sort(
      (a, b) => Number(a.confirmed.edited) - Number(b.confirmed.edited) || length(b.confirmed) - length(a.confirmed),
    )
    .map(({ spec, confirmed }) => {
      const shown = tokensInBox(document, confirmed);
      const { value, edited } = confirmed;
      const preferred = edited ? new Set<FormToken>() : shown;
      const place =
        value === null
          ? undefined
          : locateValue(document, spec, value, { preferred, taken, hasParts: spec.parts !== undefined });
      for (const token of place?.parts.flat() ?? []) taken.add(token);
      const isElsewhere = edited && shown.size > 0 && !place?.parts.flat().some((token) => shown.has(token));
      return { spec, confirmed, place, wrong: isElsewhere ? boundingBox([...shown]) : undefined };
    });
  // A person typed the value of another field there, and did not look at this one.
  const typed = new Set(
    located.flatMap(({ confirmed, place }) => (confirmed.edited ? (place?.parts.flat() ?? []) : [])),
  );
  return located.map((one) =>
    !one.confirmed.edited && one.place?.parts.flat().some((token) => typed.has(token))
      ? { ...one, place: undefined }
      : one,
  );
}

export const length = ({ value }: ConfirmedValue): number => String(value ?? '').length;

/** `text` has all of `part`, and more. */
function isExtended(text: Value, part: Value): boolean {
  const [whole, some] = [normalizeValue(String(text ?? '')), normalizeValue(String(part ?? ''))];
  return some !== '' && whole !== some && whole.includes(some);
}

/** The tokens in the box of a value. */
export function tokensInBox(
  document: FormDocument,
  { page, bbox }: Pick<ConfirmedValue, 'page' | 'bbox'>,
): Set<FormToken> {
  const index = document.pages.findIndex((one) => one.page === page);
  if (index < 0 || !bbox) return new Set();
  const [x0, y0, x1, y1] = bbox;
  return new Set(
    document.tokens.filter((token) => {
      if (token.page !== index) return false;
      const box = pageBoxOf(document, index, token);
      const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
      return x > x0 - 0.002 && x < x1 + 0.002 && y > y0 - 0.002 && y < y1 + 0.002;
    }),
  );
}

/** The words of the form: letters only, outside values and tables, and not the names and abbreviations of a value elsewhere. */
function formWords(document: FormDocument, taken: ReadonlySet<FormToken>, located: readonly LocatedField[]) {
  const secret = new Set(
    located.flatMap(({ spec, confirmed: { value } }) =>
      spec.type === 'string' && value !== null
        ? (String(value).match(/\p{L}+\.?/gu) ?? []).filter((word) => /^\p{Lu}|\.$/u.test(word)).map(normalizeWord)
        : [],
    ),
  );
  const words: LessonWord[] = [];
  const wordTokens = new Map<FormToken, number>();
  for (const token of document.tokens) {
    const { text, word, hash } = token;
    if (words.length >= MAX_WORDS) break;
    if (word === '' || taken.has(token) || /\d/u.test(text)) continue;
    const isCapital = /^\P{L}*\p{Lu}/u.test(text);
    const strong = word.length >= 3;
    // Initials and names.
    const isName = isCapital && secret.has(word) && !/^\P{L}*\p{Lu}{2,5}\P{L}*$/u.test(text);
    if (isName || (isCapital && !strong)) continue;
    wordTokens.set(token, words.length);
    words.push({ hash, halves: strong ? hashHalves(word) : [], strong, ...rounded(token) });
  }
  return { words, wordTokens };
}

function ownMatch(document: FormDocument, wordTokens: ReadonlyMap<FormToken, number>): FormMatch {
  const tokens = new Map([...wordTokens].map(([token, index]) => [index, token]));
  return { score: 1, tokens, constants: new Set(wordTokens.keys()), scales: document.pages.map(() => 1) };
}
