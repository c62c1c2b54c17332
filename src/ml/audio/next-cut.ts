import { framesIn } from './sound.ts';

/** What is known of the frames since the last cut. */
export interface Heard {
  /** How likely somebody speaks in each frame, 0..1. */
  readonly probabilities: ArrayLike<number>;
  /** The mean square of each frame's samples. */
  readonly powers: ArrayLike<number>;
  /** Whether these are all, and none will follow. */
  readonly ended: boolean;
}

/** What becomes of the sound since the last cut: `from` and `to` are frames counted from there, and `to` is the next cut. */
export type Cut =
  | { readonly kind: 'speech'; readonly from: number; readonly to: number }
  | { readonly kind: 'silence'; readonly to: number };

/**
 * The next cut, as soon as enough is known to make it: where speech is followed by a long pause; where it would grow
 * longer than `maxFrames`, at the best of its short pauses, or, of unbroken speech, at its quietest place; and, now and
 * then, in a long silence. It depends on nothing but the frames since the last cut, and not on how many are known beyond
 * those that it needs: so whoever goes on from a cut makes the same cuts as whoever comes from the beginning.
 */
export function nextCut(heard: Heard, maxFrames: number): Cut | undefined {
  const frames = heard.probabilities.length;
  const stretches: Stretch[] = [];
  let open: Stretch | undefined;

  for (let now = 0; now < frames; now++) {
    const probability = heard.probabilities[now]!;
    if (probability >= SPEAKS) open = { from: open?.from ?? now, to: now + 1 };
    else if (open && probability >= STILL_SPEAKS) open = { ...open, to: now + 1 };
    else if (open && now - open.to >= PAUSE) {
      if (open.to - open.from >= SHORTEST) stretches.push(open);
      open = undefined;
    }

    const first = stretches[0] ?? open;
    if (!first) {
      if (now + 1 >= LONG_SILENCE) return { kind: 'silence', to: now + 1 - PADDING };
      continue;
    }
    const from = Math.max(0, first.from - PADDING);
    const last = stretches.at(-1);
    if (!open && last && now + 1 - last.to >= LONG_PAUSE) return { kind: 'speech', from, to: last.to + PADDING };
    if (now + 1 - from >= maxFrames) {
      const known = open ? [...stretches, open] : stretches;
      return { kind: 'speech', from, to: fullWindowEnd(known, from, from + maxFrames, heard.powers) };
    }
  }

  if (!heard.ended) return undefined;
  if (open && open.to - open.from >= SHORTEST) stretches.push(open);
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (!first || !last) return { kind: 'silence', to: frames };
  return { kind: 'speech', from: Math.max(0, first.from - PADDING), to: Math.min(frames, last.to + PADDING) };
}

/** Frames in which somebody speaks: from `from` to before `to`. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

// The thresholds are the ones that the detector's makers use.
const SPEAKS = 0.5;
const STILL_SPEAKS = 0.35;
/** What is shorter is a knock or a cough. */
const SHORTEST = framesIn(0.2);
/** From here on a silence within speech is a place to cut at. */
const PAUSE = framesIn(0.13);
/** From here on a pause ends a window: an engine is not paid to hear silence, in which some invent words. */
const LONG_PAUSE = framesIn(2);
/** What is kept around speech: the beginnings and ends of words are softer than the detector hears. */
const PADDING = framesIn(0.3);
/** So often a silence is reported. */
const LONG_SILENCE = framesIn(30);

/** Where the best pause lies in a window that has become full; where there is none, its quietest place. */
function fullWindowEnd(stretches: readonly Stretch[], from: number, full: number, powers: ArrayLike<number>): number {
  const early = from + (full - from) * 0.4;
  let best: { end: number; worth: number } | undefined;
  stretches.forEach(({ to }, i) => {
    const pauseEnds = stretches[i + 1]?.from ?? full;
    const end = to + Math.min(PADDING, Math.floor((pauseEnds - to) / 2));
    if (pauseEnds - to < PAUSE || end < early) return;
    // A pause of half a second ends most sentences; of two that do, the later one leaves fewer windows, and engines take
    // about as long for a short one as for a long one.
    const worth = Math.min(pauseEnds - to, framesIn(0.5)) * ((end - from) / (full - from)) ** 2;
    if (!best || worth >= best.worth) best = { end, worth };
  });
  return best?.end ?? quietest(powers, Math.floor(from + (full - from) * 0.6), full);
}

/** The frame between two places around which five frames have the least power. */
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
