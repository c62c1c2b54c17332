import type { Window } from '../speech/recognizer.ts';
import { FRAME_SAMPLES, SAMPLE_RATE, secondsToFrames } from './audio-constants.ts';
import { createSampleBuffer } from './sample-buffer.ts';
import { type Cut, findNextCut } from './segmentation.ts';
import type { SpeechDetector } from './speech-detector.ts';

export { openSpeechDetector, type SpeechDetector } from './speech-detector.ts';

export interface WindowLimits {
  readonly maxSeconds: number;
  /** A longer pause ends a window. */
  readonly maxPauseSeconds?: number | undefined;
}

/**
 * Yields the speech windows of a recording in order, cut at pauses, none longer than `maxSeconds`; during silence,
 * yields the processed position at intervals. Memory is bounded by `maxSeconds`.
 *
 * Each window end and each `processedUntil` is a resume point: starting there (`pieces` from there on, with `fromSeconds`)
 * gives the same following windows.
 */
export async function* cutWindows(
  pieces: AsyncIterable<Float32Array>,
  options: WindowLimits & { detector: SpeechDetector; fromSeconds?: number; signal: AbortSignal },
): AsyncGenerator<Window | { processedUntil: number }> {
  const { detector, maxSeconds, maxPauseSeconds, fromSeconds = 0, signal } = options;
  const maxFrames = secondsToFrames(maxSeconds);
  const buffer = createSampleBuffer();
  let start = Math.round(fromSeconds * SAMPLE_RATE);
  let ended = false;
  let frames = analyseFrames(detector);

  const toWindow = ({ from, to }: { from: number; to: number }): Window => {
    const samples = buffer.copy(from * FRAME_SAMPLES, to * FRAME_SAMPLES);
    const first = start + from * FRAME_SAMPLES;
    return { start: first / SAMPLE_RATE, end: (first + samples.length) / SAMPLE_RATE, samples };
  };
  const applyCut = (cut: Cut): Window | { processedUntil: number } => {
    const window = cut.kind === 'speech' ? toWindow(cut) : undefined;
    const consumed = Math.min(cut.to * FRAME_SAMPLES, buffer.length());
    buffer.discard(consumed);
    start += consumed;
    frames = analyseFrames(detector);
    return window ?? { processedUntil: start / SAMPLE_RATE };
  };

  const iterator = pieces[Symbol.asyncIterator]();
  try {
    while (!ended || buffer.length() > 0) {
      signal.throwIfAborted();
      while (!ended && buffer.length() < (frames.count() + BATCH_FRAMES) * FRAME_SAMPLES) {
        const piece = await iterator.next();
        if (piece.done) ended = true;
        else buffer.append(piece.value);
      }
      await frames.add(buffer.copy(frames.count() * FRAME_SAMPLES, buffer.length()), ended);
      for (let cut = findCut(); cut; cut = findCut()) {
        yield applyCut(cut);
        signal.throwIfAborted();
        await frames.add(buffer.copy(0, buffer.length()), ended);
        if (buffer.length() === 0) break;
      }
    }
  } finally {
    await iterator.return?.();
  }

  function findCut(): Cut | undefined {
    return buffer.length() === 0 ? undefined : findNextCut({ ...frames.scores(), ended }, maxFrames, maxPauseSeconds);
  }
}

const BATCH_FRAMES = secondsToFrames(2);

function analyseFrames(detector: SpeechDetector) {
  const stream = detector.createStream();
  const probabilities: number[] = [];
  const powers: number[] = [];
  return {
    count: () => probabilities.length,
    scores: () => ({ probabilities, powers }),
    async add(samples: Float32Array, ended: boolean): Promise<void> {
      const count = ended ? Math.ceil(samples.length / FRAME_SAMPLES) : Math.floor(samples.length / FRAME_SAMPLES);
      if (count === 0) return;
      const whole = new Float32Array(count * FRAME_SAMPLES);
      whole.set(samples.subarray(0, whole.length));
      for (const probability of await stream.detect(whole)) probabilities.push(probability);
      for (let frame = 0; frame < count; frame++) powers.push(powerOf(whole, frame));
    },
  };
}

function powerOf(samples: Float32Array, frame: number): number {
  let sum = 0;
  for (let i = frame * FRAME_SAMPLES; i < (frame + 1) * FRAME_SAMPLES; i++) sum += samples[i]! ** 2;
  return sum / FRAME_SAMPLES;
}
