import { parentPort, workerData } from 'node:worker_threads';
import type { Engine, UtteredSegment } from './engine.ts';
import type { EngineFiles } from './engine-files.ts';

/** What the thread of an engine is started with. */
export interface ThreadOptions {
  readonly files: EngineFiles;
  /** CPU threads of one run. */
  readonly threads: number;
  /** One Int32: the number of the last question whose answer nobody waits for any more. */
  readonly givenUp: SharedArrayBuffer;
}

export interface Question {
  /** Counts up from 1. */
  readonly number: number;
  readonly samples: Float32Array;
  readonly language?: string | undefined;
}

/** What it says: first that it is ready (or it dies with the reason), then the answer to each question, in order. */
export type Ready = 'ready';
export type Answer = { readonly segments: readonly UtteredSegment[] } | { readonly error: string };

const { files, threads, givenUp } = workerData as ThreadOptions;
const lastGivenUp = new Int32Array(givenUp);
const engine = await open();
parentPort!.on('message', (message: Question | 'leave') => {
  // Between two runs: a thread that is ended from outside while a network runs takes the whole process with it.
  if (message === 'leave') parentPort!.close();
  else void answer(message);
});
parentPort!.postMessage('ready' satisfies Ready);

/** Only the runtime of the engine that is asked for is loaded: each brings its own. */
async function open(): Promise<Engine> {
  switch (files.runs) {
    case 'whisper':
      return (await import('./whisper/whisper.ts')).openWhisper(files, threads);
    case 'sherpa':
      return (await import('./sherpa/sherpa.ts')).openSherpa(files, threads);
  }
}

async function answer({ number, samples, language }: Question): Promise<void> {
  const throwIfStopped = () => {
    if (Atomics.load(lastGivenUp, 0) >= number) throw new Error('Nobody waits for this text any more.');
  };
  try {
    throwIfStopped();
    const segments = await engine.recognize(samples, { language, throwIfStopped });
    parentPort!.postMessage({ segments } satisfies Answer);
  } catch (error) {
    parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies Answer);
  }
}
