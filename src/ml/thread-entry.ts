import { Worker } from 'node:worker_threads';

// Built, the programs lie beside this file as JavaScript; from sources they are TypeScript, which Node 20 cannot read.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const READS_TYPES = 'typescript' in process.features && process.features.typescript !== false;

/** Starts a program of this folder in a thread of its own: each does one kind of work for as long as it is wanted. */
export function startThread(
  program: 'thread' | 'heic-thread' | 'audio/detector-thread' | 'audio/wasm-thread' | 'speech/thread',
  workerData: unknown,
): Worker {
  const file = new URL(`./${program}.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url);
  const reader = new URL('./testing/read-types.mjs', import.meta.url).href;
  return new Worker(file, {
    workerData,
    ...(FROM_SOURCE && !READS_TYPES && { execArgv: ['--import', reader] }),
  });
}
