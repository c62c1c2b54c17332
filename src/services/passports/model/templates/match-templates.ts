import type { FormDocument } from './form-document.ts';
import type { Lesson } from './lesson.ts';
import { type FormMatch, matchForm } from './match-form.ts';
import { matchText } from './match-text.ts';

/** The lessons of one form, the latest first. */
export interface Template {
  readonly id: string;
  readonly lessons: readonly Lesson[];
}

export interface MatchedLesson {
  readonly lesson: Lesson;
  readonly match: FormMatch;
}

/** Lessons of a template that match, the latest first. */
export function bestMatch(document: FormDocument, templates: readonly Template[]) {
  return bestOf(document, templates, matchForm) ?? bestOf(document, templates, matchText);
}

function bestOf(document: FormDocument, templates: readonly Template[], find: typeof matchForm) {
  let best: { template: Template; lessons: MatchedLesson[]; score: number } | undefined;
  for (const template of templates) {
    const lessons = template.lessons.flatMap((lesson) => {
      const match = find(lesson, document);
      return match ? [{ lesson, match }] : [];
    });
    const score = Math.max(0, ...lessons.map(({ match }) => match.score));
    if (lessons.length > 0 && score > (best?.score ?? 0)) best = { template, lessons, score };
  }
  return best;
}
