import { parentPort, workerData } from 'node:worker_threads';
import type { Engine, EngineFiles, EngineSegment } from './engine.ts';

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
}

/** First message of the thread; the responses follow in request order. */
export type Ready = 'ready';
export type EngineResponse = { readonly segments: readonly EngineSegment[] } | { readonly error: string };

const { files, threads, lastCancelled: givenUp } = workerData as ThreadOptions;
const lastCancelled = new Int32Array(givenUp);
const engine = await open();
parentPort!.on('message', (message: EngineRequest | 'close') => {
  // Closes between two runs: terminating a thread during a network run crashes the process.
  if (message === 'close') parentPort!.close();
  else void handleRequest(message);
});
parentPort!.postMessage('ready' satisfies Ready);

async function open(): Promise<Engine> {
  switch (files.runs) {
    case 'whisper':
      return (await import('./whisper/whisper.ts')).openWhisper(files, threads);
    case 'sherpa':
      return (await import('./sherpa/sherpa.ts')).openSherpa(files, threads);
  }
}

async function handleRequest({ number, samples, language }: EngineRequest): Promise<void> {
  const throwIfStopped = () => {
    if (Atomics.load(lastCancelled, 0) >= number) throw new Error('The request was cancelled.');
  };
  try {
    throwIfStopped();
    const segments = await engine.recognize(samples, { language, throwIfStopped });
    parentPort!.postMessage({ segments } satisfies EngineResponse);
  } catch (error) {
    parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies EngineResponse);
  }
}
