import { Worker } from 'node:worker_threads';
import type { ThreadOptions } from './thread.ts';

// Built, the program lies beside this file as JavaScript; from sources it is TypeScript, which Node 20 cannot read.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const READS_TYPES = 'typescript' in process.features && process.features.typescript !== false;

/** Starts the program of `thread.ts`. */
export function startThread(options: ThreadOptions): Worker {
  const program = new URL(FROM_SOURCE ? './thread.ts' : './thread.js', import.meta.url);
  const reader = new URL('./testing/read-types.mjs', import.meta.url).href;
  return new Worker(program, {
    workerData: options,
    ...(FROM_SOURCE && !READS_TYPES && { execArgv: ['--import', reader] }),
  });
}
