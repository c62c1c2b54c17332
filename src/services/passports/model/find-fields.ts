import { once } from 'node:events';
import { startThread } from '../../../base/programs.ts';
import type { ReadPage } from '../page.ts';
import type { Schema } from '../schema/schema.ts';
import type { Found } from './fields-thread.ts';
import { PdfRefused } from './pages/pdf-refused.ts';

/** Finds the fields of one document, once. */
export interface FieldFinder {
  /** Throws {@link PdfRefused} where this takes longer than with any form: a page of tens of thousands of words. */
  find(pages: readonly ReadPage[], signal: AbortSignal): Promise<Found>;
  /** Ends it, whatever it is doing. */
  close(): Promise<void>;
}

/** How long it may take: so much, and so much a page. */
export interface FindLimit {
  readonly ms: number;
  readonly msPerPage: number;
}

// A dense page takes well below a second on a machine that has nothing else to do.
const LIMIT: FindLimit = { ms: 60_000, msPerPage: 5000 };

/**
 * Starts a thread that finds fields: hundreds of dense pages take a minute, in which this process has to beat its heart
 * and to renew its leases. Started while the pages are still read, it costs no time of its own.
 */
export function startFieldFinder(schema: Schema, limit: FindLimit = LIMIT): FieldFinder {
  const thread = startThread('./fields-thread', import.meta.url, { workerData: schema });
  // What ends it before it was asked is told to who asks.
  const ended = new Promise<never>((_, reject) => {
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread that finds fields has ended.')));
  });
  ended.catch(() => {});
  return {
    async find(pages, signal) {
      const settled = new AbortController();
      const tooLong = AbortSignal.timeout(limit.ms + pages.length * limit.msPerPage);
      try {
        thread.postMessage(pages);
        const answer = once(thread, 'message', { signal: AbortSignal.any([signal, settled.signal, tooLong]) });
        const [found] = (await Promise.race([answer, ended])) as [Found];
        return found;
      } catch (error) {
        signal.throwIfAborted();
        if (tooLong.aborted) throw new PdfRefused('too_complex');
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
