import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../base/worker-entry.ts';
import { FRAME_SAMPLES } from './audio-constants.ts';
import type { DetectorOptions, DetectorRequest, DetectorResponse, Memory } from './detector-thread.ts';

/** Voice activity detection for any number of concurrent recordings. */
export interface SpeechDetector {
  createStream(): DetectorStream;
  close(): Promise<void>;
}

export interface DetectorStream {
  /**
   * Returns the speech probability (0..1) of each 512-sample frame. `samples` (16 kHz) hold whole frames and continue
   * the previous call.
   */
  detect(samples: Float32Array): Promise<Float32Array>;
}

/**
 * Opens Silero VAD version 6 (MIT, from an npm package) in a thread. Throws if the file's SHA-256 differs from the
 * tested one.
 */
export async function openSpeechDetector(): Promise<SpeechDetector> {
  const path = createRequire(import.meta.url).resolve(NETWORK);
  const network = await readFile(path);
  const found = createHash('sha256').update(network).digest('hex');
  if (found !== SHA256) throw new Error(`${path} is not the tested speech detector: its SHA-256 is ${found}.`);

  let lastId = 0;
  let closed = false;
  let thread: Thread | undefined;
  const start = (): Thread => {
    const worker = startThread('./detector-thread', import.meta.url, {
      workerData: { network } satisfies DetectorOptions,
    });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const started: Thread = { worker, ended, waiting: new Map() };
    worker.on('message', (answer: DetectorResponse) => {
      const pending = started.waiting.get(answer.id);
      started.waiting.delete(answer.id);
      if ('error' in answer) pending?.reject(new Error(answer.error));
      else pending?.resolve(answer);
    });
    // The next request starts a new thread; each request carries the state.
    const fail = (reason: Error) => {
      if (thread === started) thread = undefined;
      for (const { reject } of started.waiting.values()) reject(reason);
      started.waiting.clear();
    };
    worker.once('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
    worker.once('exit', () => fail(new Error('The thread of the speech detector ended.')));
    return started;
  };

  const request = (samples: Float32Array, memory: Memory | undefined) =>
    new Promise<DetectorResult>((resolve, reject) => {
      if (closed) return reject(new Error('The speech detector was closed.'));
      thread ??= start();
      const id = lastId++;
      thread.waiting.set(id, { resolve, reject });
      // Copied: transferring a view would move its whole buffer.
      const owned = samples.slice();
      thread.worker.postMessage({ id, samples: owned, memory } satisfies DetectorRequest, [owned.buffer]);
    });
  const close = async () => {
    closed = true;
    if (!thread) return;
    thread.worker.postMessage('close');
    await thread.ended;
  };
  // Fails at startup, not with the first recording.
  await request(new Float32Array(FRAME_SAMPLES), undefined).catch(async (error: unknown) => {
    await close();
    throw error;
  });

  return {
    createStream() {
      let memory: Memory | undefined;
      return {
        async detect(samples) {
          const response = await request(samples, memory);
          memory = response.memory;
          return response.probabilities;
        },
      };
    },
    close,
  };
}

interface Thread {
  readonly worker: Worker;
  readonly ended: Promise<void>;
  readonly waiting: Map<number, { resolve(answer: DetectorResult): void; reject(reason: Error): void }>;
}
type DetectorResult = Extract<DetectorResponse, { memory: Memory }>;

const NETWORK = '@ricky0123/vad-web/dist/silero_vad_v6.onnx';
const SHA256 = '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3';
