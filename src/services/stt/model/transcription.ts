import type { Segment, Word } from '../../../ml/speech/recognizer.ts';
import type { Recorded } from '../result.ts';
import { readTexts } from '../transcript/texts.ts';

export function toTranscription(recognized: {
  readonly service: string;
  readonly durationSeconds: number;
  readonly segments: readonly Segment[];
}): Recorded {
  const { segments, language, separator } = readTexts(recognized.segments);
  const unrecognized = recognized.segments.filter(({ text }) => text === '');
  const words = segments.flatMap((segment) => segment.words ?? []);
  return {
    transcription: segments.map(({ text }) => text).join(separator),
    service: recognized.service,
    ...(language !== undefined && { language }),
    duration_seconds: thousandth(recognized.durationSeconds),
    segments: segments.map((segment) => ({ ...times(segment), text: segment.text })),
    ...(words.length > 0 && { words: words.map(wordOf) }),
    ...(unrecognized.length > 0 && { warnings: ['SPEECH_NOT_RECOGNIZED'], unrecognized: unrecognized.map(times) }),
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
