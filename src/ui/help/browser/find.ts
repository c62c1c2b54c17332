/** A section of the help, as it is searched. */
export interface Passage {
  /** From the page at `/`, with its anchor. */
  readonly address: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** What `GET /help/passages.json` answers. */
export interface Passages {
  readonly passages: readonly Passage[];
}

/** More than these nobody reads. */
const MOST = 20;

/**
 * The sections that have every word of `query`, wherever in a word it stands; those first that have them in their titles,
 * otherwise in the order of the documents. None for a query without words.
 */
export function find(passages: readonly Passage[], query: string): Passage[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return passages
    .map((passage) => ({ passage, weight: weigh(passage, words) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST)
    .map(({ passage }) => passage);
}

/** What stands around the first word of `query` that `text` has; its beginning where it has none. */
export function around(text: string, query: string): { before: string; hit: string; after: string } {
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

function weigh({ title, page, text }: Passage, words: readonly string[]): number {
  const [inTitle, inPage, inText] = [title, page, text].map((part) => part.toLowerCase()) as [string, string, string];
  let weight = 0;
  for (const word of words) {
    const most = inTitle.includes(word) ? 4 : inPage.includes(word) ? 2 : inText.includes(word) ? 1 : 0;
    if (most === 0) return 0;
    weight += most;
  }
  return weight;
}
