import type { Window } from '../speech/recognizer.ts';
import { type Cut, nextCut } from './next-cut.ts';
import { FRAME_SAMPLES, framesIn, SAMPLE_RATE } from './sound.ts';
import type { SpeechDetector } from './speech-detector.ts';
import { createTape } from './tape.ts';

export { openSpeechDetector, type SpeechDetector } from './speech-detector.ts';

/**
 * The windows of a recording in which somebody speaks, in order, cut at pauses, none longer than `maxSeconds`; and now and
 * then, where nobody speaks, up to which second there is nothing more to hear. Memory is bounded by `maxSeconds`.
 *
 * Each window's end, and each `heardUntil`, is a place to resume from: whoever begins there (with pieces from there on, and
 * `fromSeconds` saying so) is given the very same windows that would have followed.
 */
export async function* cutWindows(
  pieces: AsyncIterable<Float32Array>,
  options: { detector: SpeechDetector; maxSeconds: number; fromSeconds?: number; signal: AbortSignal },
): AsyncGenerator<Window | { heardUntil: number }> {
  const { detector, maxSeconds, fromSeconds = 0, signal } = options;
  const maxFrames = framesIn(maxSeconds);
  const tape = createTape();
  /** The sample of the recording at which the tape begins: the last cut. */
  let start = Math.round(fromSeconds * SAMPLE_RATE);
  let ended = false;
  let frames = hearAnew(detector);

  const windowOf = ({ from, to }: { from: number; to: number }): Window => {
    const samples = tape.copy(from * FRAME_SAMPLES, to * FRAME_SAMPLES);
    const begins = start + from * FRAME_SAMPLES;
    return { start: begins / SAMPLE_RATE, end: (begins + samples.length) / SAMPLE_RATE, samples };
  };
  const leave = (cut: Cut): Window | { heardUntil: number } => {
    const window = cut.kind === 'speech' ? windowOf(cut) : undefined;
    const passed = Math.min(cut.to * FRAME_SAMPLES, tape.length());
    tape.forget(passed);
    start += passed;
    frames = hearAnew(detector);
    return window ?? { heardUntil: start / SAMPLE_RATE };
  };

  const iterator = pieces[Symbol.asyncIterator]();
  try {
    while (!ended || tape.length() > 0) {
      signal.throwIfAborted();
      while (!ended && tape.length() < (frames.count() + BATCH) * FRAME_SAMPLES) {
        const piece = await iterator.next();
        if (piece.done) ended = true;
        else tape.add(piece.value);
      }
      await frames.hear(tape.copy(frames.count() * FRAME_SAMPLES, tape.length()), ended);
      for (let cut = cutNow(); cut; cut = cutNow()) {
        yield leave(cut);
        signal.throwIfAborted();
        await frames.hear(tape.copy(0, tape.length()), ended);
        if (tape.length() === 0) break;
      }
    }
  } finally {
    await iterator.return?.();
  }

  function cutNow(): Cut | undefined {
    return tape.length() === 0 ? undefined : nextCut({ ...frames.heard(), ended }, maxFrames);
  }
}

/** Frames are sent to the detector so many at a time: two seconds. */
const BATCH = framesIn(2);

/** What the detector, with no memory of what was before, says of the frames that it is given one batch after the other. */
function hearAnew(detector: SpeechDetector) {
  const listener = detector.listen();
  const probabilities: number[] = [];
  const powers: number[] = [];
  return {
    count: () => probabilities.length,
    heard: () => ({ probabilities, powers }),
    /** Hears the whole frames in `samples`, and, when nothing follows them, the rest as a frame that ends in silence. */
    async hear(samples: Float32Array, ended: boolean): Promise<void> {
      const count = ended ? Math.ceil(samples.length / FRAME_SAMPLES) : Math.floor(samples.length / FRAME_SAMPLES);
      if (count === 0) return;
      const whole = new Float32Array(count * FRAME_SAMPLES);
      whole.set(samples.subarray(0, whole.length));
      for (const probability of await listener.hear(whole)) probabilities.push(probability);
      for (let frame = 0; frame < count; frame++) powers.push(powerOf(whole, frame));
    },
  };
}

function powerOf(samples: Float32Array, frame: number): number {
  let sum = 0;
  for (let i = frame * FRAME_SAMPLES; i < (frame + 1) * FRAME_SAMPLES; i++) sum += samples[i]! ** 2;
  return sum / FRAME_SAMPLES;
}
