import { keptWords } from '../browser/transcript-rows.ts';
import { wordSeparator } from '../languages.ts';
import type { Recorded, RecordedSegment } from '../result.ts';
import { wordsOfEach } from '../transcript/cues.ts';

/** The result with the corrected segments. Keeps the words of segments whose text is theirs, also after a split or merge. */
export function withSegments(original: Recorded, segments: readonly RecordedSegment[]): Recorded {
  const { words: _, ...rest } = original;
  const words = wordsOfEach(segments, keptWords(original, segments)).flatMap((each, index) =>
    withoutSpaces(each.map(({ text }) => text).join('')) === withoutSpaces(segments[index]!.text) ? each : [],
  );
  return {
    ...rest,
    transcription: segments.map(({ text }) => text).join(wordSeparator(original.language)),
    segments,
    ...(words.length > 0 && { words }),
  };
}

const withoutSpaces = (text: string) => text.replace(/\s+/g, '');
