import type { FormDocument } from './form-document.ts';
import type { Lesson } from './lesson.ts';
import { type FormMatch, findCandidates, followsInText, longestRise, matchForm } from './match-form.ts';
import { addWordsBetween, groupBy, isStrong } from './weak-words.ts';

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

/** Share of the form's words that follow each other in the document. */
const MIN_SCORE = 0.39;

const MIN_WORDS = 25;

/**
 * Finds the words of a form in a document of running text, where lines break elsewhere, by their order alone. The longest
 * common subsequence of words that have at least one neighbour in common.
 */
function matchText(lesson: Lesson, document: FormDocument): FormMatch | undefined {
  const { words } = lesson;
  const strong = words.flatMap(({ strong }, index) => (strong ? [index] : []));
  if (strong.length < MIN_WORDS) return undefined;
  const byHash = groupBy(document.tokens.filter(isStrong), ({ hash }) => [hash]);
  const candidates = findCandidates(words, strong, document, byHash);
  const byIndex = groupBy(candidates, ({ index }) => [index]);
  const supported = candidates
    .filter((one) => followsInText(one, byIndex) > 0)
    .sort((a, b) => a.index - b.index || b.token.id - a.token.id);
  const ordered = longestRise(supported.map(({ token }) => token.id)).map((at) => supported[at]!);
  const score = ordered.length / strong.length;
  if (score < MIN_SCORE || ordered.length < MIN_WORDS) return undefined;
  const tokens = new Map(ordered.map(({ index, token }) => [index, token]));
  addWordsBetween(tokens, words, document);
  return { score, tokens, constants: new Set(tokens.values()), scales: document.pages.map(() => 1), inText: true };
}
