import { Gauge } from 'prom-client';
import { Type } from 'typebox';
import { isUnavailable } from '../../../base/db-errors.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { Metrics } from '../../../http/metrics.ts';
import { databaseUnavailable } from '../refusals.ts';
import type { Search } from '../search/found.ts';

const Health = Type.Object({
  status: Type.Literal('ok'),
  documents: Type.Integer({ description: 'Records that can be found.' }),
  lag_seconds: Type.Number({ description: 'How long what waits to be indexed has waited.' }),
});

/** How the index stands, for whoever asks without a token. */
export type State = Search['state'];

/** To count is to look at every record, and anybody may ask: those who ask while somebody counts get what he does. */
export function countedOnce(state: State): State {
  let counting: ReturnType<State> | undefined;
  return () => {
    counting ??= state().finally(() => {
      counting = undefined;
    });
    return counting;
  };
}

/** `GET /health`: whether the records can be searched, and how far they are behind. */
export function statusRoutes(app: Gateway, { state }: { state: State }): void {
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Whether records can be searched',
        operationId: 'health',
        tags: ['service'],
        response: {
          200: answer('They can.', Health, { ok: { status: 'ok', documents: 1250, lag_seconds: 0 } }),
          503: refusal(databaseUnavailable()),
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

/** Who reads the metrics sees the same, also while no worker lives; while the database is away it sees neither. */
export function measureCatalog(state: State, { registry }: Metrics): void {
  const registers = [registry];
  // Every process looks at the same tables: their sum would be a lie.
  const aggregator = 'max' as const;
  const lag = new Gauge({
    name: 'assay_catalog_lag_seconds',
    help: 'How long what waits longest to be indexed has waited.',
    ...{ aggregator, registers },
  });
  new Gauge({
    name: 'assay_catalog_documents',
    help: 'Records that can be found, hidden ones left out.',
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
