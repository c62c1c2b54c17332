import type { Segment } from '../recognizer.ts';
import { FRAME_SECONDS } from './silence.ts';

/** A part of a window, in seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The parts of `span` that sound like speech and have no segment. The model omits sentences where several people
 * speak in one window, and sometimes stops at a pause or a change of language.
 */
export function findUncoveredSpeech(
  segments: readonly Pick<Segment, 'start' | 'end'>[],
  span: Span,
  isQuiet: (frame: number) => boolean,
): Span[] {
  const edges = [
    { start: span.from, end: span.from },
    ...segments.toSorted((a, b) => a.start - b.start),
    { start: span.to, end: span.to },
  ];
  const gaps: Span[] = [];
  let from = span.from;
  for (const { start, end } of edges) {
    if (loudSeconds(from, start, isQuiet) > MIN_SPEECH_SECONDS) gaps.push({ from, to: start });
    from = Math.max(from, end);
  }
  return gaps;
}

/** Shorter ones are words whose times are wrong. */
const MIN_SPEECH_SECONDS = 1.5;

function loudSeconds(from: number, to: number, isQuiet: (frame: number) => boolean): number {
  let frames = 0;
  for (let frame = Math.ceil(from / FRAME_SECONDS); frame < Math.ceil(to / FRAME_SECONDS); frame++) {
    if (!isQuiet(frame)) frames++;
  }
  return frames * FRAME_SECONDS;
}
