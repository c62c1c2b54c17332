import { parentPort, workerData } from 'node:worker_threads';
import { env, InferenceSession, Tensor } from 'onnxruntime-node';
import { serveRequests } from '../../base/thread-requests.ts';
import { FRAME_SAMPLES } from './audio-constants.ts';

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
const RATE = new Tensor('int64', BigInt64Array.of(16_000n), []);

env.logLevel = 'fatal';
const session = await InferenceSession.create(workerData as Uint8Array, {
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
  let state = memory?.state ?? new Float32Array(STATE_DIMS.reduce((a, b) => a * b));
  const input = new Float32Array(CONTEXT_SAMPLES + FRAME_SAMPLES);
  if (memory) input.set(memory.context);
  const probabilities = new Float32Array(samples.length / FRAME_SAMPLES);
  for (let frame = 0; frame < probabilities.length; frame++) {
    if (isClosing) throw new Error('The speech detector was closed.');
    input.set(samples.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES), CONTEXT_SAMPLES);
    const { output, stateN } = await session.run({
      input: new Tensor('float32', input, [1, input.length]),
      state: new Tensor('float32', state, STATE_DIMS),
      sr: RATE,
    });
    probabilities[frame] = output!.data[0] as number;
    state = stateN!.data as Float32Array;
    input.copyWithin(0, FRAME_SAMPLES);
  }
  return { probabilities, memory: { state: state.slice(), context: input.slice(0, CONTEXT_SAMPLES) } };
}
