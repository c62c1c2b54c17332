/** What is heard from one second of a recording to another. */
export interface Timed {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A segment, and what it is made of: its words where their times are known, else itself. */
export interface Paragraph {
  readonly segment: Timed;
  readonly parts: readonly Timed[];
}

/** A word belongs to the segment in which its middle lies. For the server's pages and the browser's scripts alike. */
export function paragraphs(segments: readonly Timed[], words: readonly Timed[] = []): Paragraph[] {
  const rest = [...words].reverse();
  return segments.map((segment, i) => {
    const own = wordsUntil(segments[i + 1]?.start ?? Number.POSITIVE_INFINITY, rest);
    return { segment, parts: own.length > 0 ? own : [segment] };
  });
}

/** What stands between two words of this language. */
export const gapOf = (language: string | undefined): string =>
  language !== undefined && ['zh', 'ja', 'th'].includes(language) ? '' : ' ';

/** Takes the words off the end of `rest` (which is reversed) whose middle is before this second. */
function wordsUntil(seconds: number, rest: Timed[]): Timed[] {
  const own: Timed[] = [];
  for (let word = rest.at(-1); word && (word.start + word.end) / 2 < seconds; word = rest.at(-1)) {
    own.push(word);
    rest.pop();
  }
  return own;
}
