import { Type } from 'typebox';
import { queueUnavailable } from '../../base/api-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { TokenSet } from '../../http/bearer.ts';
import { describeErrors, describeResponse, Success, success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { WorkerRegistry } from '../../tasks/worker-registry.ts';

export const AUTHORIZATION_DISABLED = 'Authorization is disabled: anyone who can reach the port can use the service.';

/** `/livez`: the process responds. `/ready`: the queue accepts tasks, with or without a warm worker. */
export function probeRoutes(
  app: Gateway,
  deps: {
    service: string;
    version: string;
    workerRegistry: WorkerRegistry;
    /** Why no tasks are accepted; undefined while they are. */
    notReady: () => string | undefined;
    auth: () => TokenSet['state'];
    /** The service has no usable route while its tokens are unconfigured. */
    readyNeedsTokens: boolean;
    /** Further members of `/ready`. */
    extra?: () => JsonObject;
  },
): void {
  const { service, version, workerRegistry, auth, extra = () => ({}) } = deps;
  const ready = () => {
    const reason = deps.notReady();
    if (reason !== undefined) throw queueUnavailable(reason);
    if (!workerRegistry.isReachable()) throw queueUnavailable('The task store is unavailable.');
    if (deps.readyNeedsTokens && auth() === 'unconfigured') throw queueUnavailable('No access tokens are configured.');
    const { waiting, processing } = workerRegistry.queueDepth(service);
    return success({
      ready: true,
      service,
      version,
      queue: 'ok',
      auth: auth(),
      workers_online: workerRegistry.warmWorkers(service).length,
      worker_state: workerRegistry.workerState(service),
      queue_depth: waiting.realtime + waiting.batch + processing,
      ...(auth() === 'disabled' && { warnings: [AUTHORIZATION_DISABLED] }),
      ...extra(),
    });
  };
  const schema = {
    summary: 'Readiness',
    description:
      'Ready does not require a warm worker. 503 while the task store is unavailable, while the database schema ' +
      'does not match this version, and after SIGTERM, when the process keeps responding for SHUTDOWN_DELAY_SECONDS.',
    tags: ['service'],
    response: {
      200: describeResponse(
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
              queue_depth: Type.Integer({ description: 'Unfinished tasks.' }),
              warnings: Type.Optional(Type.Array(Type.String(), { description: 'Warnings for the operator.' })),
            },
            { additionalProperties: true },
          ),
        ),
      ),
      503: describeErrors(queueUnavailable()),
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
        response: {
          200: describeResponse('The process responds.', Success(Type.Object({ alive: Type.Literal(true) }))),
        },
      },
    },
    () => success({ alive: true }),
  );
}
