import type { Worker } from 'node:worker_threads';
import { openThreadPool } from '../../../base/thread-pool.ts';
import { withTimeLimit } from '../../../base/time-limit.ts';
import { startThread } from '../../../base/worker-entry.ts';
import { createRunLock, markEnded, preventRuns, type RunLock } from '../../../ml/run-lock.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import type { FieldsRequest, FieldsThreadOptions, FoundFields } from './fields-thread.ts';
import { PdfRejected } from './pages/pdf.ts';
import type { Template } from './templates/match-templates.ts';
import type { LearnRequest, Taught } from './templates/teach.ts';

// A dense page takes less than a second on an idle machine.
const LIMIT = { ms: 60_000, msPerPage: 5000 };

/** A page takes 10 ms. A second thread starts beside long documents and takes a second of CPU time until its code is compiled. */
const MAX_WAIT_MS = 100;

export type FieldFinder = Awaited<ReturnType<typeof openFieldFinder>>;

/**
 * Uses threads because hundreds of dense pages take a minute, which would delay heartbeats. Each has its own copy of the
 * network. Throws if the file `network` cannot be opened.
 */
export async function openFieldFinder(
  schema: Schema,
  { network, limit = LIMIT }: { network: string; limit?: typeof LIMIT },
) {
  const locks = new WeakMap<Worker, RunLock>();
  const start = () => {
    const lock = createRunLock();
    const workerData: FieldsThreadOptions = { schema, network, lock };
    const thread = startThread('./fields-thread', import.meta.url, { workerData });
    locks.set(thread, lock);
    return thread.once('exit', () => markEnded(lock));
  };
  const threads = openThreadPool(start, 'the fields', {
    beforeTermination: (thread) => preventRuns(locks.get(thread)!),
    maxWaitMs: MAX_WAIT_MS,
  });
  const open: FieldsRequest = { kind: 'open' };
  await threads.request(open, new AbortController().signal).catch((cause: Error) => {
    throw new Error(`The network could not be opened: ${cause.message}`, { cause });
  });

  /** Throws {@link PdfRejected} (`too_complex`) after the time limit: `ms`, plus `msPerPage` for each page. */
  const withinLimit = <Answer>(
    request: Extract<FieldsRequest, { pages: readonly ReadPage[] }>,
    signal: AbortSignal,
  ): Promise<Answer> =>
    withTimeLimit(limit.ms + request.pages.length * limit.msPerPage, signal, async (limited) => {
      try {
        return await threads.request<Answer>(request, limited);
      } catch (error) {
        signal.throwIfAborted();
        if (limited.aborted) throw new PdfRejected('too_complex');
        throw error;
      }
    });

  return {
    find: (pages: readonly ReadPage[], signal: AbortSignal, templates: readonly Template[] = []) =>
      withinLimit<FoundFields>({ kind: 'find', pages, templates }, signal),
    /** What a corrected document teaches, and which template it belongs to. */
    learn: (learned: Omit<LearnRequest, 'kind'>, signal: AbortSignal) =>
      withinLimit<Taught>({ ...learned, kind: 'learn' }, signal),
    /** Terminates the threads, also busy ones. */
    close: () => threads.close(),
  };
}
