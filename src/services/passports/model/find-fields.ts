import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReadPage } from '../page.ts';
import type { Schema } from '../schema/schema.ts';
import type { Found } from './fields-thread.ts';

/** Finds the fields of one document, once. */
export interface FieldFinder {
  find(pages: readonly ReadPage[], signal: AbortSignal): Promise<Found>;
  /** Ends it, whatever it is doing. */
  close(): Promise<void>;
}

// Built, the program lies beside this file as JavaScript; from sources it is TypeScript, which Node 20 cannot read.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const READS_TYPES = 'typescript' in process.features && process.features.typescript !== false;

/**
 * Starts a thread that finds fields: hundreds of dense pages take a minute, in which this process has to beat its heart
 * and to renew its leases. Started while the pages are still read, it costs no time of its own.
 */
export function startFieldFinder(schema: Schema): FieldFinder {
  const program = new URL(`./fields-thread.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url);
  const reader = new URL('../../../ml/testing/read-types.mjs', import.meta.url).href;
  const thread = new Worker(program, {
    workerData: schema,
    ...(FROM_SOURCE && !READS_TYPES && { execArgv: ['--import', reader] }),
  });
  // What ends it before it was asked is told to who asks.
  const ended = new Promise<never>((_, reject) => {
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread that finds fields has ended.')));
  });
  ended.catch(() => {});
  return {
    async find(pages, signal) {
      const settled = new AbortController();
      try {
        thread.postMessage(pages);
        const answer = once(thread, 'message', { signal: AbortSignal.any([signal, settled.signal]) });
        const [found] = (await Promise.race([answer, ended])) as [Found];
        return found;
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        settled.abort();
      }
    },
    async close() {
      await thread.terminate();
    },
  };
}
