import { openThreadPool } from '../../../base/thread-pool.ts';
import { startThread } from '../../../base/worker-entry.ts';
import { openSession, type Session } from '../../../ml/session.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import { GRAMS, NUMBERS, type PageFeatures } from './field-network/page-features.ts';
import { RELATIONS } from './field-network/page-graph.ts';
import type { PartOutput } from './field-network/page-reading.ts';
import type { DescribedPages, FieldsRequest, FoundFields } from './fields-thread.ts';
import { PdfRejected } from './pages/pdf.ts';
import type { Template } from './templates/match-templates.ts';
import type { LearnRequest, Taught } from './templates/teach.ts';

// A dense page takes less than a second on an idle machine.
const LIMIT = { ms: 60_000, msPerPage: 5000 };

export type FieldFinder = Awaited<ReturnType<typeof openFieldFinder>>;

/**
 * Uses threads because hundreds of dense pages take a minute, which would delay heartbeats. The network runs in a thread of
 * its own: a thread must not be terminated during a run.
 */
export async function openFieldFinder(
  schema: Schema,
  { network, limit = LIMIT }: { network: string; limit?: typeof LIMIT },
) {
  const session = await openSession({ path: network, poolSize: 1 });
  const start = () => startThread('./fields-thread', import.meta.url, { workerData: schema });
  const threads = openThreadPool(start, 'the fields');

  /** Throws {@link PdfRejected} (`too_complex`) after the time limit: `ms`, plus `msPerPage` for each page. */
  async function withinLimit<Answer>(
    pages: readonly ReadPage[],
    signal: AbortSignal,
    work: (ask: <Part>(request: FieldsRequest) => Promise<Part>, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const timeout = AbortSignal.timeout(limit.ms + pages.length * limit.msPerPage);
    const either = AbortSignal.any([signal, timeout]);
    try {
      return await threads.use(either, (ask) => work(ask, either));
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) throw new PdfRejected('too_complex');
      throw error;
    }
  }

  return {
    find: (pages: readonly ReadPage[], signal: AbortSignal, templates: readonly Template[] = []) =>
      withinLimit(pages, signal, async (ask, either) => {
        const described = await ask<DescribedPages>({ kind: 'describe', pages });
        const outputs: PartOutput[][] = [];
        for (const parts of described) {
          const page: PartOutput[] = [];
          for (const part of parts) page.push(await runNetwork(session, part, either));
          outputs.push(page);
        }
        return ask<FoundFields>({ kind: 'find', templates, outputs });
      }),
    /** What a corrected document teaches, and which template it belongs to. */
    learn: (learned: Omit<LearnRequest, 'kind'>, signal: AbortSignal) =>
      withinLimit(learned.pages, signal, (ask) => ask<Taught>({ ...learned, kind: 'learn' })),
    /** Terminates the threads, including busy ones. */
    async close() {
      await Promise.all([threads.close(), session.close()]);
    },
  };
}

export async function runNetwork(session: Session, part: PageFeatures, signal: AbortSignal): Promise<PartOutput> {
  const { count, grams, numbers, places, neighbours } = part;
  const { probabilities, pairs } = await session.run(
    {
      grams: { type: 'int32', data: grams, dims: [1, count, GRAMS] },
      numbers: { type: 'float32', data: numbers, dims: [1, count, NUMBERS] },
      places: { type: 'float32', data: places, dims: [1, count, 2] },
      neighbours: { type: 'int32', data: neighbours, dims: [1, count, RELATIONS.length] },
    },
    signal,
  );
  return { probabilities: probabilities!.data as Float32Array, pairs: pairs!.data as Float32Array };
}
