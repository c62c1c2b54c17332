import { openThreadPool } from '../../../base/thread-pool.ts';
import { startThread } from '../../../base/worker-entry.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import type { FindRequest, FoundFields } from './fields-thread.ts';
import { PdfRejected } from './pages/pdf.ts';
import type { Template } from './templates/apply-template.ts';
import type { LearnRequest, Taught } from './templates/teach.ts';

// A dense page takes less than a second on an idle machine.
const LIMIT = { ms: 60_000, msPerPage: 5000 };

export type FieldFinder = ReturnType<typeof openFieldFinder>;

/** Uses threads because hundreds of dense pages take a minute, which would delay heartbeats. */
export function openFieldFinder(schema: Schema, limit = LIMIT) {
  const start = () => startThread('./fields-thread', import.meta.url, { workerData: schema });
  const threads = openThreadPool(start, 'the fields');

  /** Throws {@link PdfRejected} (`too_complex`) after the time limit: `ms`, plus `msPerPage` for each page. */
  async function request<Answer>(message: FindRequest | LearnRequest, signal: AbortSignal): Promise<Answer> {
    const timeout = AbortSignal.timeout(limit.ms + message.pages.length * limit.msPerPage);
    try {
      return await threads.request<Answer>(message, AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) throw new PdfRejected('too_complex');
      throw error;
    }
  }

  return {
    find: (pages: readonly ReadPage[], signal: AbortSignal, templates: readonly Template[] = []) =>
      request<FoundFields>({ kind: 'find', pages, templates }, signal),
    /** What a corrected document teaches, and which template it belongs to. */
    learn: (learned: Omit<LearnRequest, 'kind'>, signal: AbortSignal) =>
      request<Taught>({ ...learned, kind: 'learn' }, signal),
    /** Terminates the threads, including busy ones. */
    close: () => threads.close(),
  };
}
