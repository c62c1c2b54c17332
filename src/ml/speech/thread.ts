import { parentPort, workerData } from 'node:worker_threads';
import { serveRequests } from '../../base/thread-requests.ts';
import type { Engine, EngineFiles } from './engine.ts';
import type { Segment } from './recognizer.ts';

export interface ThreadOptions {
  readonly files: EngineFiles;
  readonly threads: number;
  /** One Int32: the number of the last cancelled request. */
  readonly lastCancelled: SharedArrayBuffer;
}

export interface EngineRequest {
  readonly number: number;
  readonly samples: Float32Array;
  readonly language?: string | undefined;
  readonly translate?: boolean | undefined;
  readonly terms?: readonly string[] | undefined;
}

const { files, threads, lastCancelled: givenUp } = workerData as ThreadOptions;
const lastCancelled = new Int32Array(givenUp);
const engine = await open();
serveRequests(recognize);
parentPort!.postMessage('ready');

async function open(): Promise<Engine> {
  switch (files.runs) {
    case 'whisper':
      return (await import('./whisper/whisper.ts')).openWhisper(files, threads);
    case 'sherpa':
      return (await import('./sherpa/sherpa.ts')).openSherpa(files, threads);
  }
}

async function recognize({ number, samples, ...request }: EngineRequest): Promise<readonly Segment[]> {
  const throwIfStopped = () => {
    if (Atomics.load(lastCancelled, 0) >= number) throw new Error('The request was cancelled.');
  };
  throwIfStopped();
  return engine.recognize(samples, { ...request, throwIfStopped });
}
