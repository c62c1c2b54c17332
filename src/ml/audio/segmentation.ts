import { secondsToFrames } from './audio-constants.ts';

export interface FrameAnalysis {
  /** Speech probability per frame, 0..1. */
  readonly probabilities: ArrayLike<number>;
  readonly powers: ArrayLike<number>;
  readonly ended: boolean;
}

export type Cut =
  | { readonly kind: 'speech'; readonly from: number; readonly to: number }
  | { readonly kind: 'silence'; readonly to: number };

/**
 * Finds the next cut, or undefined if more frames are needed. It cuts at a long pause after speech; before `maxFrames`
 * at the best short pause, or at the quietest place in unbroken speech; and regularly in long silence. The result
 * depends only on frames since the last cut, so resuming from a cut gives the same cuts as processing from the start.
 */
export function findNextCut(
  analysis: FrameAnalysis,
  maxFrames: number,
  maxPauseSeconds = DEFAULT_MAX_PAUSE_SECONDS,
): Cut | undefined {
  const longPauseFrames = secondsToFrames(maxPauseSeconds);
  const frames = analysis.probabilities.length;
  const regions: SpeechRegion[] = [];
  let open: SpeechRegion | undefined;

  for (let now = 0; now < frames; now++) {
    const probability = analysis.probabilities[now]!;
    if (probability >= SPEECH_START_THRESHOLD) open = { from: open?.from ?? now, to: now + 1 };
    else if (open && probability >= SPEECH_CONTINUE_THRESHOLD) open = { ...open, to: now + 1 };
    else if (open && now - open.to >= PAUSE_FRAMES) {
      if (open.to - open.from >= MIN_SPEECH_FRAMES) regions.push(open);
      open = undefined;
    }

    const first = regions[0] ?? open;
    if (!first) {
      if (now + 1 >= SILENCE_REPORT_FRAMES) return { kind: 'silence', to: now + 1 - PADDING_FRAMES };
      continue;
    }
    const from = Math.max(0, first.from - PADDING_FRAMES);
    const last = regions.at(-1);
    if (!open && last && now + 1 - last.to >= longPauseFrames)
      return { kind: 'speech', from, to: last.to + PADDING_FRAMES };
    if (now + 1 - from >= maxFrames) {
      const candidates = open ? [...regions, open] : regions;
      return { kind: 'speech', from, to: fullWindowEnd(candidates, from, from + maxFrames, analysis.powers) };
    }
  }

  if (!analysis.ended) return undefined;
  if (open && open.to - open.from >= MIN_SPEECH_FRAMES) regions.push(open);
  const [first, last] = [regions[0], regions.at(-1)];
  if (!first || !last) return { kind: 'silence', to: frames };
  return {
    kind: 'speech',
    from: Math.max(0, first.from - PADDING_FRAMES),
    to: Math.min(frames, last.to + PADDING_FRAMES),
  };
}

interface SpeechRegion {
  readonly from: number;
  readonly to: number;
}

// Thresholds of Silero VAD.
const SPEECH_START_THRESHOLD = 0.5;
const SPEECH_CONTINUE_THRESHOLD = 0.35;
/** Shorter regions are knocks or coughs. */
const MIN_SPEECH_FRAMES = secondsToFrames(0.2);
const PAUSE_FRAMES = secondsToFrames(0.13);
/**
 * A longer pause ends a window: silence costs time, and some models hallucinate words in it. With 2 s, sentences with pauses of
 * 2.5 and 3.5 s between them had twice as many wrong words, as each was recognized alone.
 */
const DEFAULT_MAX_PAUSE_SECONDS = 4;
/** Margin around speech: word boundaries are softer than the detector's threshold. */
const PADDING_FRAMES = secondsToFrames(0.3);
const SILENCE_REPORT_FRAMES = secondsToFrames(30);

function fullWindowEnd(
  regions: readonly SpeechRegion[],
  from: number,
  limit: number,
  powers: ArrayLike<number>,
): number {
  const early = from + (limit - from) * 0.4;
  let best: { end: number; worth: number } | undefined;
  regions.forEach(({ to }, i) => {
    const pauseEnds = regions[i + 1]?.from ?? limit;
    const end = to + Math.min(PADDING_FRAMES, Math.floor((pauseEnds - to) / 2));
    if (pauseEnds - to < PAUSE_FRAMES || end < early) return;
    // Half a second ends most sentences. Prefers later pauses: fewer windows, and a short window costs about as much
    // time as a long one.
    const score = Math.min(pauseEnds - to, secondsToFrames(0.5)) * ((end - from) / (limit - from)) ** 2;
    if (!best || score >= best.worth) best = { end, worth: score };
  });
  return best?.end ?? quietest(powers, Math.floor(from + (limit - from) * 0.6), limit);
}

function quietest(powers: ArrayLike<number>, from: number, to: number): number {
  let best = to;
  let least = Number.POSITIVE_INFINITY;
  for (let at = from; at + 2 < to; at++) {
    let power = 0;
    for (let near = at - 2; near <= at + 2; near++) power += powers[near] ?? 0;
    if (power <= least) [best, least] = [at, power];
  }
  return best;
}
