import { describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { ServiceStatus } from '../api-schema.ts';

/** Public, so without details. */
export function statusRoutes(app: Gateway, { version }: { version: string }): void {
  const since = performance.now();
  for (const [path, operationId] of [
    ['/health', 'health'],
    ['/api/status', 'serviceStatus'],
  ] as const) {
    app.get(
      path,
      {
        config: { access: 'public' },
        schema: {
          summary: 'Whether the service answers',
          operationId,
          tags: ['operation'],
          response: { 200: describeResponse('The service answers.', ServiceStatus) },
        },
      },
      (_request, reply) => {
        void reply.header('cache-control', 'no-store');
        return { status: 'ok', version, uptime_seconds: Math.floor((performance.now() - since) / 1000) };
      },
    );
  }
}
