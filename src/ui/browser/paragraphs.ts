/** Times in seconds of the recording. */
export interface Timed {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A segment and its words; the segment itself if word times are unknown. */
export interface Paragraph {
  readonly segment: Timed;
  readonly parts: readonly Timed[];
}

/** Assigns each word to the segment that contains its middle. */
export function paragraphs(segments: readonly Timed[], words: readonly Timed[] = []): Paragraph[] {
  const rest = [...words].reverse();
  return segments.map((segment, i) => {
    const taken = wordsUntil(segments[i + 1]?.start ?? Number.POSITIVE_INFINITY, rest);
    return { segment, parts: taken.length > 0 ? taken : [segment] };
  });
}

export const gapOf = (language: string | undefined): string =>
  language !== undefined && ['zh', 'ja', 'th'].includes(language) ? '' : ' ';

/** `rest` is reversed. */
function wordsUntil(seconds: number, rest: Timed[]): Timed[] {
  const taken: Timed[] = [];
  for (let word = rest.at(-1); word && (word.start + word.end) / 2 < seconds; word = rest.at(-1)) {
    taken.push(word);
    rest.pop();
  }
  return taken;
}
