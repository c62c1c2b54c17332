import { openThreadPool } from '../../../base/thread-pool.ts';
import { startThread } from '../../../base/worker-entry.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import type { ExtractedFields } from './fields-thread.ts';
import { PdfRejected } from './pages/pdf.ts';

// A dense page takes less than a second on an idle machine.
const LIMIT = { ms: 60_000, msPerPage: 5000 };

/** Uses threads because hundreds of dense pages take a minute, which would delay heartbeats. */
export function openFieldFinder(schema: Schema, limit = LIMIT) {
  const start = () => startThread('./fields-thread', import.meta.url, { workerData: schema });
  const threads = openThreadPool(start, 'the fields');
  return {
    /** Throws {@link PdfRejected} (`too_complex`) after the time limit: `ms`, plus `msPerPage` for each page. */
    async find(pages: readonly ReadPage[], signal: AbortSignal): Promise<ExtractedFields> {
      const timeout = AbortSignal.timeout(limit.ms + pages.length * limit.msPerPage);
      try {
        return await threads.request<ExtractedFields>(pages, AbortSignal.any([signal, timeout]));
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted) throw new PdfRejected('too_complex');
        throw error;
      }
    },
    /** Terminates the threads, including busy ones. */
    close: () => threads.close(),
  };
}
