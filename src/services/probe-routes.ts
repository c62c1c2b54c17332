import { Type } from 'typebox';
import { queueUnavailable } from '../base/faults.ts';
import type { JsonObject } from '../base/json.ts';
import type { TokenSet } from '../http/bearer.ts';
import { refusal, reply, Success, success } from '../http/envelope.ts';
import type { Gateway } from '../http/gateway.ts';
import type { Roster } from '../tasks/roster.ts';

export const AUTHORIZATION_DISABLED = 'Authorization is disabled: everybody who reaches the port may use the service.';

/** `/livez`: the process serves. `/ready`: the queue takes tasks, whether or not a worker is awake. */
export function probeRoutes(
  app: Gateway,
  needs: {
    service: string;
    version: string;
    roster: Roster;
    /** Why no tasks are accepted now; undefined: they are. */
    notReady: () => string | undefined;
    /** What is asked for at the moment. */
    auth: () => TokenSet['state'];
    /** Where unconfigured tokens leave nothing that could be called. */
    readyNeedsTokens: boolean;
    more?: () => JsonObject;
  },
): void {
  const { service, version, roster, auth, more = () => ({}) } = needs;
  const ready = () => {
    const why = needs.notReady();
    if (why !== undefined) throw queueUnavailable(why);
    if (!roster.reachable()) throw queueUnavailable('The task store cannot be reached now.');
    if (needs.readyNeedsTokens && auth() === 'unconfigured') throw queueUnavailable('No access tokens are configured.');
    const { waiting, processing } = roster.depth(service);
    return success({
      ready: true,
      service,
      version,
      queue: 'ok',
      auth: auth(),
      workers_online: roster.warm(service).length,
      worker_state: roster.state(service),
      queue_depth: waiting.realtime + waiting.batch + processing,
      ...(auth() === 'disabled' && { warnings: [AUTHORIZATION_DISABLED] }),
      ...more(),
    });
  };
  const schema = {
    summary: 'Controller readiness',
    description:
      'Cold workers are ready: they can be woken. 503 while tasks cannot be written down, while the schema of the database ' +
      'is not the one of this version, and from SIGTERM on, when the process still answers for SHUTDOWN_DELAY_SECONDS.',
    tags: ['service'],
    response: {
      200: reply(
        'Tasks are accepted.',
        Success(
          Type.Object(
            {
              ready: Type.Literal(true),
              service: Type.String(),
              version: Type.String(),
              queue: Type.Literal('ok'),
              auth: Type.Union(['enforced', 'disabled', 'unconfigured'].map((state) => Type.Literal(state))),
              workers_online: Type.Integer({ description: 'Workers whose model is loaded.' }),
              worker_state: Type.Union(['warm', 'cold', 'unknown'].map((state) => Type.Literal(state))),
              queue_depth: Type.Integer({ description: 'Tasks that have not finished.' }),
              warnings: Type.Optional(Type.Array(Type.String(), { description: 'What the operator should know.' })),
            },
            { additionalProperties: true },
          ),
        ),
      ),
      503: refusal(queueUnavailable()),
    },
  };
  app.get('/ready', { config: { access: 'public', probe: true }, schema: { ...schema, operationId: 'ready' } }, ready);
  app.get('/readyz', { config: { access: 'public', probe: true }, schema: { hide: true } }, ready);
  app.get(
    '/livez',
    {
      config: { access: 'public', probe: true },
      schema: {
        summary: 'The process is alive',
        operationId: 'alive',
        tags: ['service'],
        response: { 200: reply('It serves.', Success(Type.Object({ alive: Type.Literal(true) }))) },
      },
    },
    () => success({ alive: true }),
  );
}
