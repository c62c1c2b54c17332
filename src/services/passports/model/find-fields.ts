import { startThread } from '../../../base/programs.ts';
import { openThreads } from '../../../ml/threads.ts';
import type { ReadPage } from '../page.ts';
import type { Schema } from '../schema/schema.ts';
import type { Found } from './fields-thread.ts';
import { PdfRefused } from './pages/pdf-refused.ts';

/** Finds the fields of documents, each in a thread of its own. */
export interface FieldFinder {
  /** Throws {@link PdfRefused} where this takes longer than with any form: a page of tens of thousands of words. */
  find(pages: readonly ReadPage[], signal: AbortSignal): Promise<Found>;
  /** Ends its threads, whatever they are doing. */
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
 * Finds fields in threads: hundreds of dense pages take a minute, in which this process has to beat its heart and to renew
 * its leases. A thread is kept for the next document: a new one takes a while to start, and longer to become quick.
 */
export function openFieldFinder(schema: Schema, limit: FindLimit = LIMIT): FieldFinder {
  const start = () => startThread('./fields-thread', import.meta.url, { workerData: schema });
  const threads = openThreads(start, 'the fields');
  return {
    async find(pages, signal) {
      const tooLong = AbortSignal.timeout(limit.ms + pages.length * limit.msPerPage);
      try {
        return await threads.ask<Found>(pages, AbortSignal.any([signal, tooLong]));
      } catch (error) {
        signal.throwIfAborted();
        if (tooLong.aborted) throw new PdfRefused('too_complex');
        throw error;
      }
    },
    close: () => threads.close(),
  };
}
