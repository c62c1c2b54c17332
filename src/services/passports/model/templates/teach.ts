import { createOnce } from '../../../../base/create-once.ts';
import type { ReadPage } from '../../page-geometry.ts';
import type { Schema } from '../../schema/schema.ts';
import { createFormDocument, type FormDocument } from './form-document.ts';
import { type ConfirmedValue, learnLesson } from './learn-lesson.ts';
import type { Lesson, LessonNeighbour } from './lesson.ts';
import type { FormMatch } from './match-form.ts';
import { bestMatch } from './match-templates.ts';
import { hashWord, normalizeWord } from './word-hash.ts';

export interface LearnRequest {
  readonly kind: 'learn';
  readonly pages: readonly ReadPage[];
  readonly values: readonly ConfirmedValue[];
  readonly templates: readonly {
    readonly id: string;
    readonly lessons: readonly TaughtLesson[];
  }[];
}

export interface TaughtLesson {
  readonly document: string;
  readonly lesson: Lesson;
  /** Words, by index, that later documents do not have. */
  readonly dropped: readonly number[];
}

export interface Taught {
  /** Undefined if no value was found on the pages. */
  readonly lesson: Lesson | undefined;
  readonly template: string | undefined;
  /** Words of other lessons of the template that this document does not have, and the hashes that these lessons lose. */
  readonly dropped: readonly {
    readonly document: string;
    readonly words: readonly number[];
    readonly hashes: readonly number[];
  }[];
}

/** Learns from a corrected document and finds the template of its form. */
export function teach({ pages, values, templates }: LearnRequest, schema: Schema): Taught {
  const lesson = learnLesson(pages, values, schema);
  const hasPlaces = lesson.fields.some(({ parts, wrong }) => parts.length > 0 || wrong) || lesson.tables.length > 0;
  if (!hasPlaces) return { lesson: undefined, template: undefined, dropped: [] };
  const document = createFormDocument(pages);
  const known = new Map<Lesson, TaughtLesson>();
  const candidates = templates.map(({ id, lessons }) => {
    for (const one of lessons) known.set(usedLesson(one), one);
    return { id, lessons: lessons.map(usedLesson) };
  });
  const best = bestMatch(document, candidates);
  if (!best) return { lesson, template: undefined, dropped: [] };
  const dropped = best.lessons.flatMap(({ lesson: used, match }) => {
    const words = droppedWords(known.get(used)!, used, match, document);
    if (words.length === 0) return [];
    const { document: id, lesson } = known.get(used)!;
    const missing = new Set(words);
    const others = new Set(lessonHashes({ words: lesson.words.filter((_, index) => !missing.has(index)) }));
    const hashes = lessonHashes({ words: words.map((index) => lesson.words[index]!) });
    return { document: id, words, hashes: hashes.filter((hash) => !others.has(hash)) };
  });
  const [nearest] = [...best.lessons].sort((a, b) => b.match.score - a.match.score);
  return { lesson: withRecurring(lesson, document, nearest!.match), template: best.template.id, dropped };
}

/** Words of a lesson that the document does not have, also those dropped before: an earlier drop may be undone. */
function droppedWords(taught: TaughtLesson, used: Lesson, match: FormMatch, { tokens }: FormDocument): number[] {
  if (match.score < MIN_SCORE_TO_DROP) return [];
  const kept = new Set(recurringWords(used, (index) => match.tokens.has(index), match));
  const present = new Set(tokens.map(({ hash }) => hash));
  return [
    ...usedWords(taught).filter((_, at) => !kept.has(at)),
    ...[...new Set(taught.dropped)].filter((index) => !present.has(taught.lesson.words[index]!.hash)),
  ];
}

const usedWords = ({ lesson: { words }, dropped }: TaughtLesson): number[] => {
  const missing = new Set(dropped);
  return [...words.keys()].filter((index) => !missing.has(index));
};

/** A lesson without the words that later documents do not have. */
export const usedLesson = createOnce((one: TaughtLesson): Lesson => keepWords(one.lesson, usedWords(one)));

/** Below this, too many words may be missing because OCR misread them. */
const MIN_SCORE_TO_DROP = 0.75;

function withRecurring(lesson: Lesson, document: FormDocument, match: FormMatch): Lesson {
  const places = new Set([...match.constants].map(placeKey));
  const tokens = new Map(document.tokens.map((token) => [placeKey(token), token]));
  const recurs = (index: number) =>
    places.has(placeKey(lesson.words[index]!)) || !tokens.has(placeKey(lesson.words[index]!));
  return keepWords(lesson, recurringWords(lesson, recurs, match));
}

const placeKey = ({ x0, y0 }: { x0: number; y0: number }): string => `${Math.round(10 * x0)} ${Math.round(10 * y0)}`;

/** Without words that one document has by chance, such as a name outside the fields. Keeps the words beside values. */
function recurringWords(lesson: Lesson, recurs: (index: number) => boolean, { score }: FormMatch): number[] {
  if (score < MIN_SCORE_TO_DROP) return [...lesson.words.keys()];
  const beside = new Set(
    lesson.fields.flatMap(({ parts }) =>
      parts.flatMap(({ before, after, grows }) => [
        ...[before.word, after.word],
        ...[...(grows?.above ?? []), ...(grows?.below ?? [])],
      ]),
    ),
  );
  return [...lesson.words.keys()].filter((index) => recurs(index) || beside.has(index));
}

function keepWords(lesson: Lesson, kept: readonly number[]): Lesson {
  if (kept.length === lesson.words.length) return lesson;
  const moved = new Map(kept.map((index, to) => [index, to]));
  const move = (neighbour: LessonNeighbour): LessonNeighbour =>
    neighbour.word === undefined ? neighbour : { ...neighbour, word: moved.get(neighbour.word)! };
  const moveAll = (words: readonly number[]) => words.map((word) => moved.get(word)!);
  return {
    ...lesson,
    words: kept.map((index) => lesson.words[index]!),
    fields: lesson.fields.map((field) => ({
      ...field,
      parts: field.parts.map(({ grows, ...part }) => ({
        ...{ ...part, before: move(part.before), after: move(part.after) },
        ...(grows && { grows: { above: moveAll(grows.above), below: moveAll(grows.below) } }),
      })),
    })),
  };
}

/** Hashes of the words that count in a match; to find templates in the database. */
export const lessonHashes = ({ words }: Pick<Lesson, 'words'>): number[] => [
  ...new Set(words.flatMap(({ strong, hash }) => (strong ? [hash] : []))),
];

const MAX_HASHES = 5000;

/** Hashes of the words of pages, without their places. */
export function pageHashes(pages: readonly ReadPage[]): number[] {
  const hashes = new Set<number>();
  for (const { words } of pages) {
    for (const { text } of words) {
      for (const piece of text.split(/[/:;=(]/u)) {
        const word = normalizeWord(piece);
        if (word.length >= 3) hashes.add(hashWord(word));
        if (hashes.size >= MAX_HASHES) return [...hashes];
      }
    }
  }
  return [...hashes];
}
