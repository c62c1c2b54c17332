import { wordSeparator } from '../languages.ts';

interface Recognized {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly language?: string;
}

/** The segments with normalized spaces and without empty ones, their dominant language, and the separator of their texts. */
export function readTexts<T extends Recognized>(recognized: readonly T[]) {
  const segments = recognized
    .map((segment) => ({ ...segment, text: segment.text.replace(/\s+/g, ' ').trim() }))
    .filter(({ text }) => text !== '');
  const language = dominantLanguage(segments);
  return { segments, language, separator: wordSeparator(language) };
}

function dominantLanguage(segments: readonly Recognized[]): string | undefined {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of segments) {
    if (language !== undefined) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  }
  return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0];
}
