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
    readonly lessons: readonly { readonly document: string; readonly lesson: Lesson }[];
  }[];
}

export interface Taught {
  /** Undefined if no value was found on the pages. */
  readonly lesson: Lesson | undefined;
  readonly template: string | undefined;
  /** Lessons of the template without words that this document does not have. */
  readonly updated: readonly { readonly document: string; readonly lesson: Lesson }[];
}

/** Learns from a corrected document and finds the template of its form. */
export function teach({ pages, values, templates }: LearnRequest, schema: Schema): Taught {
  const lesson = learnLesson(pages, values, schema);
  const hasPlaces = lesson.fields.some(({ parts, wrong }) => parts.length > 0 || wrong) || lesson.tables.length > 0;
  if (!hasPlaces) return { lesson: undefined, template: undefined, updated: [] };
  const document = createFormDocument(pages);
  const documents = new Map<Lesson, string>();
  const candidates = templates.map(({ id, lessons }) => {
    for (const one of lessons) documents.set(one.lesson, one.document);
    return { id, lessons: lessons.map((one) => one.lesson) };
  });
  const best = bestMatch(document, candidates);
  if (!best) return { lesson, template: undefined, updated: [] };
  const updated = best.lessons.flatMap(({ lesson: earlier, match }) => {
    const kept = withRecurringWords(earlier, (index) => match.tokens.has(index), match);
    return kept === earlier ? [] : [{ document: documents.get(earlier)!, lesson: kept }];
  });
  const [nearest] = [...best.lessons].sort((a, b) => b.match.score - a.match.score);
  return { lesson: withRecurring(lesson, document, nearest!.match), template: best.template.id, updated };
}

/** Below this, too many words may be missing because OCR misread them. */
const MIN_SCORE_TO_DROP = 0.75;

function withRecurring(lesson: Lesson, document: FormDocument, match: FormMatch): Lesson {
  const places = new Set([...match.constants].map(placeKey));
  const tokens = new Map(document.tokens.map((token) => [placeKey(token), token]));
  return withRecurringWords(
    lesson,
    (index) => places.has(placeKey(lesson.words[index]!)) || !tokens.has(placeKey(lesson.words[index]!)),
    match,
  );
}

const placeKey = ({ x0, y0 }: { x0: number; y0: number }): string => `${Math.round(10 * x0)} ${Math.round(10 * y0)}`;

/** Drops words that one document has by chance, such as a name outside the fields. Keeps the words beside values. */
function withRecurringWords(lesson: Lesson, recurs: (index: number) => boolean, { score }: FormMatch): Lesson {
  if (score < MIN_SCORE_TO_DROP) return lesson;
  const beside = new Set(
    lesson.fields.flatMap(({ parts }) =>
      parts.flatMap(({ before, after, grows }) => [
        ...[before.word, after.word],
        ...[...(grows?.above ?? []), ...(grows?.below ?? [])],
      ]),
    ),
  );
  const kept = lesson.words.flatMap((_, index) => (recurs(index) || beside.has(index) ? [index] : []));
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
export const lessonHashes = ({ words }: Lesson): number[] => [
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
