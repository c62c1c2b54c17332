import { type TSchema, Type } from 'typebox';
import { unixSeconds } from '../../base/time.ts';
import { findEndedTokens, type TokenSet } from '../../http/bearer.ts';
import { success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import { eventRoutes } from './event-routes.ts';
import { EventOf, eventExamples } from './event-schema.ts';
import { queueOf } from './sandbox/queue.ts';
import type { GatewayContext } from './service.ts';
import { UnixSeconds } from './task-schema.ts';

/** An event of a service whose clients read `GET /result/{task_id}`. */
export const TaskEventOf = (service: string) =>
  EventOf(
    service,
    UnixSeconds,
    {
      status: Type.Optional(Type.Enum(['done', 'failed'])),
      error_code: Type.Optional(Type.String({ description: 'Of a failed task.' })),
      endpoint: Type.Optional(
        Type.String({
          description: 'Of `endpoint.paused`: the webhook receiver; `task_id` is that of the last failed webhook.',
        }),
      ),
    },
    ['terminal', 'deleted', 'corrected', 'paused', 'completed'],
  );

/** `GET /events` of such a service. */
export function taskEventRoutes(
  app: Gateway,
  deps: { service: string; context: Pick<GatewayContext, 'events'>; tokens: () => TokenSet; page: TSchema },
): void {
  eventRoutes(app, {
    ...deps,
    findEnded: findEndedTokens(deps.tokens),
    access: 'task',
    limited: true,
    feedOf: ({ principal }) => ({ service: queueOf(deps.service, principal), principal }),
    present: ({ at, status, errorCode, endpoint }) => ({
      created_at: unixSeconds(at),
      ...(status && { status }),
      ...(errorCode !== null && { error_code: errorCode }),
      ...(endpoint !== null && { endpoint }),
    }),
    envelope: success,
    example: success(
      eventExamples(deps.service, {
        created_at: '1767225600',
        task_id: '01KAF3M9WZ7Y5T2Q8C4N6B1D0E',
        status: 'done',
      }),
    ),
  });
}
