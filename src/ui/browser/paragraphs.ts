/** Times in seconds of the recording. */
export interface TimedText {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A segment and its words; the segment itself if word times are unknown. */
export interface Paragraph {
  readonly segment: TimedText;
  readonly parts: readonly TimedText[];
}

/** Assigns each word to the segment that contains its middle. */
export function paragraphs(segments: readonly TimedText[], words: readonly TimedText[] = []): Paragraph[] {
  const rest = [...words].reverse();
  return segments.map((segment, i) => {
    const taken = wordsUntil(segments[i + 1]?.start ?? Number.POSITIVE_INFINITY, rest);
    return { segment, parts: taken.length > 0 ? taken : [segment] };
  });
}

export const wordSeparator = (language: string | undefined): string =>
  language !== undefined && ['zh', 'ja', 'th'].includes(language) ? '' : ' ';

/** `rest` is reversed. */
function wordsUntil(seconds: number, rest: TimedText[]): TimedText[] {
  const taken: TimedText[] = [];
  for (let word = rest.at(-1); word && (word.start + word.end) / 2 < seconds; word = rest.at(-1)) {
    taken.push(word);
    rest.pop();
  }
  return taken;
}
