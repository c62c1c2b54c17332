export interface SearchSection {
  /** Relative to `/`, with its anchor. */
  readonly address: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** The response of `GET /help/passages.json`. */
export interface SearchData {
  readonly passages: readonly SearchSection[];
}

const MAX_RESULTS = 20;

/** Sections that contain every word of `query`, matches in titles first. */
export function searchSections(passages: readonly SearchSection[], query: string): SearchSection[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return passages
    .map((passage) => ({ passage, score: scoreOf(passage, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ passage }) => passage);
}

/** The text around the first matching word, or its beginning. */
export function snippet(text: string, query: string): { before: string; hit: string; after: string } {
  const lower = text.toLowerCase();
  const [word = '', at = 0] =
    wordsOf(query)
      .map((each) => [each, lower.indexOf(each)] as const)
      .find(([, index]) => index >= 0) ?? [];
  const from = at <= 40 ? 0 : text.lastIndexOf(' ', at - 30) + 1;
  const end = at + word.length;
  return {
    before: (from > 0 ? '… ' : '') + text.slice(from, at),
    hit: text.slice(at, end),
    after: text.slice(end, end + 80),
  };
}

const wordsOf = (query: string) => query.toLowerCase().split(/\s+/).filter(Boolean);

function scoreOf({ title, page, text }: SearchSection, words: readonly string[]): number {
  const [inTitle, inPage, inText] = [title, page, text].map((part) => part.toLowerCase()) as [string, string, string];
  let score = 0;
  for (const word of words) {
    const points = inTitle.includes(word) ? 4 : inPage.includes(word) ? 2 : inText.includes(word) ? 1 : 0;
    if (points === 0) return 0;
    score += points;
  }
  return score;
}
