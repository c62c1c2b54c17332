import { Gauge } from 'prom-client';
import { Type } from 'typebox';
import { isUnavailable } from '../../../base/db-errors.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { Metrics } from '../../../http/metrics.ts';
import { databaseUnavailable } from '../api-errors.ts';
import type { IndexState } from '../search/search.ts';

const Health = Type.Object({
  status: Type.Literal('ok'),
  documents: Type.Integer({ description: 'Number of searchable records.' }),
  lag_seconds: Type.Number({ description: 'Waiting time of the oldest task to be indexed.' }),
});

/** `lagSeconds`: waiting time of the oldest task to be indexed. */
export type State = () => Promise<IndexState & { readonly lagSeconds: number }>;

/** The route is public. */
export function shareConcurrent(state: State): State {
  let counting: ReturnType<State> | undefined;
  return () => {
    counting ??= state().finally(() => {
      counting = undefined;
    });
    return counting;
  };
}

export function statusRoutes(app: Gateway, { state }: { state: State }): void {
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Check whether search is available',
        operationId: 'health',
        tags: ['service'],
        response: {
          200: describeResponse('Search is available.', Health, {
            ok: { status: 'ok', documents: 1250, lag_seconds: 0 },
          }),
          503: describeErrors(databaseUnavailable()),
        },
      },
    },
    async (_request, reply) => {
      const { documents, lagSeconds } = await state().catch((error: unknown) => {
        throw isUnavailable(error) ? databaseUnavailable() : error;
      });
      return reply.header('cache-control', 'no-store').send({ status: 'ok', documents, lag_seconds: lagSeconds });
    },
  );
}

/** Absent while the database is unavailable. */
export function measureCatalog(state: State, { registry }: Metrics): void {
  const registers = [registry];
  // All processes read the same tables.
  const aggregator = 'max' as const;
  const lag = new Gauge({
    name: 'assay_catalog_lag_seconds',
    help: 'Waiting time of the oldest task to be indexed.',
    ...{ aggregator, registers },
  });
  new Gauge({
    name: 'assay_catalog_documents',
    help: 'Searchable records, without hidden ones.',
    ...{ aggregator, registers },
    async collect() {
      const now = await state().catch(() => undefined);
      this.remove();
      lag.remove();
      if (now === undefined) return;
      this.set(now.documents);
      lag.set(now.lagSeconds);
    },
  });
}
