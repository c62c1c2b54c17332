import swagger from '@fastify/swagger';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  fastify,
  LogController,
  type onResponseHookHandler,
} from 'fastify';
import { type Fault, methodNotAllowed, notFound, queueUnavailable, uriTooLong } from '../base/faults.ts';
import type { Log } from '../base/log.ts';
import type { Traces } from '../base/trace.ts';
import type { Access, Guard } from './bearer.ts';
import { closeGently } from './closing.ts';
import { cors } from './cors.ts';
import { gate, limitWrongToken } from './gate.ts';
import { ignoreBody } from './ignored-body.ts';
import { refuseHeavyJson } from './json-weight.ts';
import { knownPaths } from './known-paths.ts';
import type { Metrics } from './metrics.ts';
import { describeRoute, openapi, type Reference } from './openapi.ts';
import { plainRequests } from './plain-request.ts';
import { type Limiter, slidingWindow } from './rate-limit.ts';
import { referencePages } from './reference-pages.ts';
import { type RefusalPage, refusals } from './refuse.ts';
import { requestId } from './request-id.ts';
import { requestLog } from './request-log.ts';
import { answerIdleBodies, PATIENCE, type Patience, serverLimits, URL_LIMIT } from './server-limits.ts';
import { traceRequests } from './tracing.ts';
import { createValidators, envelopeValidation, type ValidationFormat } from './validation.ts';

export type Gateway = FastifyInstance;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call this route. A route that does not say so does not start. */
    access?: Access;
    /** Whether its requests count against the service's rate limit, or against one of its own. */
    limited?: boolean | Limiter;
    /** Whether it is answered also while the gateway is out of service. */
    probe?: boolean;
    /** Whether people come here with a browser: a refusal is then a page for whoever asks for one. */
    page?: boolean;
    /** What its body must be, for the refusal of anything else; JSON where it is not said. */
    takes?: string;
  }
  interface FastifyRequest {
    /** Who is asking: a short name that is safe to store and log; empty on a public route. */
    principal: string;
  }
  interface FastifyInstance {
    /** Aborts when the gateway begins to close: whoever holds a request open should answer now. */
    closing: AbortSignal;
  }
}

export interface GatewayOptions extends Reference {
  /** The service's short name, as it stands in metrics and logs. */
  service: string;
  log: Log;
  metrics: Metrics;
  /** Where the spans of its requests go; absent where nothing is traced. */
  traces?: Traces | undefined;
  guard: Guard;
  limiter?: Limiter | undefined;
  /** Wrong bearer tokens that one address may send in a minute; after that they are answered 429. 0: no limit. */
  wrongTokensPerMinute?: number;
  bodyLimitBytes?: number;
  /** How many proxies stand in front, or their networks; none of them is believed unless it is said. */
  trustProxy?: number | string[];
  corsAllowOrigins?: readonly string[];
  /** How 422 answers look; the error envelope unless a service says otherwise. */
  validation?: ValidationFormat;
  /** True for an error that means "the store cannot be reached": it is answered 503 and not 500. */
  isUnavailable?: (error: unknown) => boolean;
  /** True while only probes are answered, and everything else as if the store could not be reached. */
  isOutOfService?: () => boolean;
  /** What is answered then; `QUEUE_UNAVAILABLE` unless a service has no queue. */
  unavailable?: () => Fault;
  /** How refusals look to people: on routes whose `page` is set, and at addresses that are none. */
  refusalPage?: RefusalPage;
  patience?: Patience;
  /** How long requests in flight may still take once the gateway closes. */
  closeGraceMs?: number;
}

/**
 * One service's front door. Every request meets the same checks in the same order, whatever the route: address, method,
 * preflight, credentials, rate limit, type and size of the body, its form, and only then the route's own.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { service, log, metrics, guard, limiter, bodyLimitBytes = 64 * 1024, trustProxy = [] } = options;
  const {
    validation = envelopeValidation,
    isUnavailable = () => false,
    isOutOfService = () => false,
    patience = PATIENCE,
  } = options;
  const { unavailable = () => queueUnavailable() } = options;
  const { allow, allowPreflight } = cors(options.corsAllowOrigins ?? []) ?? {};
  const paths = knownPaths();
  const refuse = refusals({
    ...{ validation, isUnavailable, unavailable },
    ...{ page: options.refusalPage, lingerMs: patience.lingerMs },
  });

  const app: Gateway = fastify({
    ...serverLimits(patience),
    loggerInstance: log.child({ service }) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestId,
    requestIdHeader: false,
    // Fastify believes no number of hops; the setting's documentation says when one is safe.
    trustProxy: typeof trustProxy === 'number' ? (_, hop) => hop < trustProxy : trustProxy,
    bodyLimit: bodyLimitBytes,
    // The address is bounded as a whole; no parameter needs a bound of its own.
    routerOptions: { maxParamLength: URL_LIMIT },
    // A request that is already here when we begin to close is answered like any other.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      allow?.(request, reply);
      // No hook has been here: what they say of every answer is said of this one too.
      refuse(error, request, reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff'));
    },
  });

  app.decorateRequest('principal', '');
  app.decorate('closing', closeGently(app, options.closeGraceMs ?? 10_000));
  answerIdleBodies(app.server);
  app.removeContentTypeParser('text/plain');
  refuseHeavyJson(app);
  const wrongTokens = slidingWindow({ limit: options.wrongTokensPerMinute ?? 0 });
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const limited = wrongTokens && limitWrongToken(wrongTokens, error, request, reply);
    if (limited) metrics.rateLimited(service);
    refuse(limited ?? error, request, reply);
  });
  app.setChildLoggerFactory(requestLog);
  // Before every other hook, so that a span has the whole of its request.
  if (options.traces) traceRequests(app, { service, traces: options.traces });
  // Bodies go out as they were made: a response schema is documentation, and does not drop or bend a field.
  app.setSerializerCompiler(() => JSON.stringify);
  const compile = createValidators();
  app.setValidatorCompiler(({ schema, httpPart }) => compile(httpPart ?? 'body', schema as object));

  function answered(route: string): onResponseHookHandler {
    const observe = metrics.route(service, route);
    return (request, reply, done) => {
      observe(reply.statusCode, reply.elapsedTime);
      if (log.isLevelEnabled('debug')) {
        const ms = Math.round(reply.elapsedTime);
        request.log.debug({ method: request.method, route, status: reply.statusCode, ms }, 'answered');
      }
      done();
    };
  }
  const observeUnrouted = metrics.route(service, 'none');

  app.addHook('onRequest', plainRequests());
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    // A page must be able to read its refusals too, that there is no such address among them.
    if (request.method !== 'OPTIONS') allow?.(request, reply);
    if (request.raw.url!.length > URL_LIMIT) return done(uriTooLong(URL_LIMIT));
    if (isOutOfService() && request.routeOptions.config.probe !== true) return done(unavailable());
    if (!request.is404) return done();
    reply.raw.once('finish', () => observeUnrouted(reply.statusCode, reply.elapsedTime));
    const allowed = paths.allowed(request.url.split('?', 1)[0]!);
    if (allowed === undefined) return done(notFound());
    if (request.method !== 'OPTIONS') return done(methodNotAllowed(allowed));
    allowPreflight?.(request, reply, allowed);
    void reply.code(204).header('allow', allowed).send();
  });

  app.addHook('onRoute', function (route) {
    const { access, limited = false } = route.config ?? {};
    if (access === undefined)
      throw new Error(`The route ${String(route.method)} ${route.url} does not say who may call it.`);
    paths.add(route.method, route.url);
    const counted = typeof limited === 'object' ? limited : limited ? limiter : undefined;
    const passes = gate({
      access,
      guard,
      limiter: counted,
      onLimited: () => metrics.rateLimited(service),
    });
    if (passes !== undefined) route.onRequest = [passes, ...hooks(route.onRequest)];
    // A scope that takes files or forms reads its bodies itself.
    if (
      route.schema?.body === undefined &&
      takesBody(route.method) &&
      !this.hasContentTypeParser('multipart/form-data') &&
      !this.hasContentTypeParser('application/x-www-form-urlencoded')
    ) {
      route.preParsing = [ignoreBody, ...hooks(route.preParsing)];
    }
    route.onResponse = [...hooks(route.onResponse), answered(route.url)];
    describeRoute(route, { access, limited: counted !== undefined, bodyLimitBytes, validation });
  });

  await app.register(swagger, openapi(options));
  await app.register(referencePages, options);
  return app;
}

const takesBody = (method: string | string[]) =>
  [method].flat().some((each) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(each));

function hooks<T>(one: T | T[] | undefined): T[] {
  return one === undefined ? [] : ([one].flat() as T[]);
}
