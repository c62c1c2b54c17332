import { parentPort, workerData } from 'node:worker_threads';
import { env, InferenceSession, Tensor } from 'onnxruntime-node';
import { FRAME_SAMPLES } from './audio-constants.ts';

export interface DetectorOptions {
  readonly network: Uint8Array;
}

export interface DetectorRequest {
  readonly id: number;
  readonly samples: Float32Array;
  readonly memory?: Memory | undefined;
}
/** The network's recurrent state, and the end of the last frame, which is part of its next input. */
export interface Memory {
  readonly state: Float32Array;
  readonly context: Float32Array;
}
export type DetectorResponse =
  | { readonly id: number; readonly probabilities: Float32Array; readonly memory: Memory }
  | { readonly id: number; readonly error: string };

const CONTEXT_SAMPLES = 64;
const STATE_DIMS = [2, 1, 128];
const RATE = new Tensor('int64', BigInt64Array.of(16_000n), []);

const { network } = workerData as DetectorOptions;
env.logLevel = 'fatal';
const session = await InferenceSession.create(network, {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
});

// Requests run one after another: parallel runs gain nothing on one thread.
let queue = Promise.resolve();
let isClosing = false;
parentPort!.on('message', (message: DetectorRequest | 'close') => {
  // Closes between two frames: terminating a thread during a network run crashes the process.
  if (message === 'close') {
    isClosing = true;
    parentPort!.close();
  } else {
    queue = queue.then(() => handleRequest(message));
  }
});

async function handleRequest({ id, samples, memory }: DetectorRequest): Promise<void> {
  try {
    let state = memory?.state ?? new Float32Array(STATE_DIMS.reduce((a, b) => a * b));
    const input = new Float32Array(CONTEXT_SAMPLES + FRAME_SAMPLES);
    if (memory) input.set(memory.context);
    const probabilities = new Float32Array(samples.length / FRAME_SAMPLES);
    for (let frame = 0; frame < probabilities.length; frame++) {
      if (isClosing) return;
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
    const nextMemory = { state: state.slice(), context: input.slice(0, CONTEXT_SAMPLES) };
    parentPort!.postMessage({ id, probabilities, memory: nextMemory } satisfies DetectorResponse);
  } catch (error) {
    parentPort!.postMessage({
      id,
      error: error instanceof Error ? error.message : String(error),
    } satisfies DetectorResponse);
  }
}
