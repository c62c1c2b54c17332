import type { Static } from 'typebox';
import { validationError } from '../../../base/api-error.ts';
import { composeCharacters } from '../../../base/compose-characters.ts';
import type { CorrectionBody } from '../api-schema.ts';
import { placedInSegments } from '../browser/transcript-rows.ts';
import type { Recorded, RecordedSegment } from '../result.ts';

/** Far above the longest segment of a provider. */
const MAX_SEGMENT_BYTES = 64 * 1024;
/** Chosen: more than twice the text of 4 hours of fast Russian speech. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** A word without duration may be at the edge of a segment. */
const PRECISION_SECONDS = 0.001;

/** With single spaces, ordered confirmations and without empty segments. Throws a 422 error that names the invalid segment. */
export function parseSegments(given: Static<typeof CorrectionBody>['segments'], recorded: Recorded): RecordedSegment[] {
  const { duration_seconds: duration, segments: original } = recorded;
  // A provider may return an end after the declared duration.
  const until = original.reduce((latest, { end }) => Math.max(latest, end), duration);
  const words = placedInSegments(recorded);
  let [previousStart, bytes] = [0, 0];
  const segments = given.map((segment, index): RecordedSegment => {
    const invalid = (why: string) => validationError(`segments.${index}: ${why}`);
    const [start, end] = [toMilliseconds(segment.start), toMilliseconds(segment.end)];
    if (end < start) throw invalid('`end` is before `start`.');
    if (start < previousStart) throw invalid('starts before the previous segment.');
    if (end > until) throw invalid(`ends after the recording (${until} s).`);
    previousStart = start;
    const length = Buffer.byteLength(segment.text);
    if (length > MAX_SEGMENT_BYTES) throw invalid(`longer than ${MAX_SEGMENT_BYTES} bytes.`);
    bytes += length;
    const text = composeCharacters(segment.text, 'NFC').replace(/\s+/g, ' ').trim();
    if (/[\p{Cc}\p{Cs}]/u.test(text)) throw invalid('contains control characters.');
    if ((segment.confirmed?.length ?? 0) > words.length)
      throw invalid(`\`confirmed\`: more than ${words.length} words.`);
    const confirmed = [...new Set(segment.confirmed)].sort((a, b) => a - b);
    const misplaced = confirmed.find((word) => !isWithin(words[word]?.at, { start, end }));
    if (misplaced !== undefined) throw invalid(`\`confirmed\`: word ${misplaced} is not in the segment.`);
    return { start, end, text, ...(confirmed.length > 0 && { confirmed }) };
  });
  if (bytes > MAX_TEXT_BYTES) throw validationError(`segments: longer than ${MAX_TEXT_BYTES} bytes in total.`);
  return segments.filter(({ text }) => text !== '');
}

const isWithin = (at: number | undefined, { start, end }: { readonly start: number; readonly end: number }) =>
  at !== undefined && at >= start - PRECISION_SECONDS && at <= end + PRECISION_SECONDS;

const toMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;
