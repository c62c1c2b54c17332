import { parentPort, workerData } from 'node:worker_threads';
import { env, InferenceSession, Tensor } from 'onnxruntime-node';
import { serveRequests } from '../../base/thread-requests.ts';
import { FRAME_SAMPLES } from './audio-constants.ts';
import { detectorOfSequences } from './detector-graph.ts';

export interface DetectorRequest {
  readonly samples: Float32Array;
  readonly memory?: Memory | undefined;
}
/** The network's recurrent state, and the end of the last frame, which is part of its next input. */
export interface Memory {
  readonly state: Float32Array;
  readonly context: Float32Array;
}
export interface Detection {
  readonly probabilities: Float32Array;
  readonly memory: Memory;
}

const CONTEXT_SAMPLES = 64;
const STATE_DIMS = [2, 1, 128];
// A second of sound: bounds memory, and how long closing waits.
const FRAMES_PER_RUN = 32;

env.logLevel = 'fatal';
const session = await InferenceSession.create(detectorOfSequences(Buffer.from(workerData as Uint8Array)), {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
});

let isClosing = false;
parentPort!.on('message', (message) => {
  isClosing ||= message === 'close';
});
serveRequests(detect);
parentPort!.postMessage('ready');

async function detect({ samples, memory }: DetectorRequest): Promise<Detection> {
  const sound = new Float32Array(CONTEXT_SAMPLES + samples.length);
  if (memory) sound.set(memory.context);
  sound.set(samples, CONTEXT_SAMPLES);
  let state = memory?.state ?? new Float32Array(STATE_DIMS.reduce((a, b) => a * b));
  const probabilities = new Float32Array(samples.length / FRAME_SAMPLES);
  for (let frame = 0; frame < probabilities.length; frame += FRAMES_PER_RUN) {
    if (isClosing) throw new Error('The speech detector was closed.');
    const frames = Math.min(FRAMES_PER_RUN, probabilities.length - frame);
    const { output, stateN } = await session.run({
      input: overlapping(sound.subarray(frame * FRAME_SAMPLES), frames),
      state: new Tensor('float32', state, STATE_DIMS),
    });
    probabilities.set(output!.data as Float32Array, frame);
    state = stateN!.data as Float32Array;
  }
  return { probabilities, memory: { state: state.slice(), context: sound.slice(samples.length) } };
}

/** Frames [frames, 576] that begin with the end of the frame before. */
function overlapping(sound: Float32Array, frames: number): Tensor {
  const length = CONTEXT_SAMPLES + FRAME_SAMPLES;
  const input = new Float32Array(frames * length);
  for (let frame = 0; frame < frames; frame++) {
    input.set(sound.subarray(frame * FRAME_SAMPLES, frame * FRAME_SAMPLES + length), frame * length);
  }
  return new Tensor('float32', input, [frames, length]);
}
