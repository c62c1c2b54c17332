import type { Segment, Word } from '../../../ml/speech/recognizer.ts';
import { wordSeparator } from '../languages.ts';
import type { Recorded } from '../result.ts';

export function toTranscription(recognized: {
  readonly service: string;
  readonly durationSeconds: number;
  readonly segments: readonly Segment[];
}): Recorded {
  const segments = recognized.segments
    .map((segment) => ({ ...segment, text: segment.text.replace(/\s+/g, ' ').trim() }))
    .filter(({ text }) => text !== '');
  const language = dominantLanguage(segments);
  const words = segments.flatMap((segment) => segment.words ?? []);
  return {
    transcription: segments.map(({ text }) => text).join(wordSeparator(language)),
    service: recognized.service,
    ...(language !== undefined && { language }),
    duration_seconds: thousandth(recognized.durationSeconds),
    segments: segments.map((segment) => ({ ...times(segment), text: segment.text })),
    ...(words.length > 0 && { words: words.map(wordOf) }),
  };
}

const thousandth = (seconds: number) => Math.round(seconds * 1000) / 1000;

function times({ start, end }: { start: number; end: number }): { start: number; end: number } {
  const from = Math.max(0, thousandth(start));
  return { start: from, end: Math.max(from, thousandth(end)) };
}

const wordOf = (word: Word) => ({
  ...times(word),
  text: word.text.trim(),
  ...(word.confidence !== undefined && { confidence: thousandth(word.confidence) }),
});

function dominantLanguage(segments: readonly Segment[]): string | undefined {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of segments) {
    if (language !== undefined) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  }
  return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0];
}
