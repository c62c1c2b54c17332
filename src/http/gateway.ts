import cors from '@fastify/cors';
import swagger from '@fastify/swagger';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  LogController,
  type onResponseHookHandler,
} from 'fastify';
import { type ApiError, methodNotAllowed, notFound, queueUnavailable, uriTooLong } from '../base/api-error.ts';
import { createLazyLog } from '../base/lazy-log.ts';
import type { Log } from '../base/log.ts';
import type { Traces } from '../base/trace.ts';
import { createAllowedMethods } from './allowed-methods.ts';
import { createAuthHook, limitWrongTokens } from './auth-and-limit.ts';
import type { Access, Guard } from './bearer.ts';
import { CORS_OPTIONS } from './cors-options.ts';
import { discardBody } from './discard-body.ts';
import type { ErrorFormat } from './envelope.ts';
import { createErrorHandler, type ErrorPage } from './error-handler.ts';
import { shutDownGracefully } from './graceful-shutdown.ts';
import { limitJsonBodies } from './json-limits.ts';
import type { Metrics } from './metrics.ts';
import { createOpenApiOptions, describeRoute, type Reference } from './openapi.ts';
import { createSlidingWindow, type Limiter } from './rate-limit.ts';
import { referencePages } from './reference-pages.ts';
import { rejectSmuggling } from './reject-smuggling.ts';
import { requestId } from './request-id.ts';
import { DEFAULT_TIMEOUTS, MAX_URL_LENGTH, rejectIdleBodies, serverLimits, type Timeouts } from './server-limits.ts';
import { traceRequests } from './tracing.ts';
import { createValidators, envelopeValidation, type ValidationFormat } from './validation.ts';

export type Gateway = FastifyInstance;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required: registering a route without it throws. */
    access?: Access;
    /** True: the service's rate limit applies; or a limiter of the route. */
    limited?: boolean | Limiter;
    /** Health checks: also served while the gateway is out of service. */
    probe?: boolean;
    /** Sends errors as pages to browsers. */
    page?: boolean;
    /** Required media type of the body, for the 415 error; default: JSON. */
    takes?: string;
  }
  interface FastifyRequest {
    /** The client's short name, safe to store and log; empty on public routes. */
    principal: string;
  }
  interface FastifyInstance {
    /** Aborts when the shutdown begins: long-polling requests must respond. */
    closing: AbortSignal;
  }
}

export interface GatewayOptions extends Reference {
  /** The service's name in metrics and logs. */
  service: string;
  log: Log;
  metrics: Metrics;
  /** Absent if tracing is disabled. */
  traces?: Traces | undefined;
  guard: Guard;
  limiter?: Limiter | undefined;
  /** Requests with wrong tokens per address and minute before 429. 0: unlimited. */
  wrongTokenLimitPerMinute?: number;
  /** Whether the request has a cookie that contains a token: a rejected one counts as a wrong token. Default: never. */
  hasTokenCookie?: (request: FastifyRequest) => boolean;
  bodyLimitBytes?: number;
  /** Number of trusted proxies, or their networks. */
  trustProxy?: number | string[];
  corsAllowOrigins?: readonly string[];
  /** Format of 422 responses; default: the error envelope. */
  validation?: ValidationFormat;
  /** True for errors of an unavailable database: 503 instead of 500. */
  isUnavailable?: (error: unknown) => boolean;
  /** True while all routes except probes respond with 503. */
  isOutOfService?: () => boolean;
  /** The 503 error; default: `QUEUE_UNAVAILABLE`. */
  unavailableError?: () => ApiError;
  /** The error format of a path (without a slash at its end) and of all paths below it, which follow another API. */
  pathErrors?: { readonly prefix: string; readonly format: ErrorFormat };
  /** Renders error pages, for routes with `page` and for unknown paths. */
  errorPage?: ErrorPage;
  timeouts?: Timeouts;
  /** Time limit for requests in flight during shutdown. */
  closeGraceMs?: number;
}

/**
 * Creates the HTTP server of a service. Checks run in this order for every route: path, method, preflight, credentials, rate
 * limit, media type and size of the body, schema, then those of the route.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { service, log, metrics, guard, limiter, bodyLimitBytes = 64 * 1024, trustProxy = [] } = options;
  const { validation = envelopeValidation, timeouts = DEFAULT_TIMEOUTS, corsAllowOrigins = [] } = options;
  const { isUnavailable = () => false, isOutOfService = () => false, unavailableError = queueUnavailable } = options;
  const paths = createAllowedMethods();
  const { pathErrors } = options;
  const formatFor = (url: string) =>
    pathErrors !== undefined && `${url.split('?', 1)[0]}/`.startsWith(`${pathErrors.prefix}/`)
      ? pathErrors.format
      : undefined;
  const refuse = createErrorHandler({
    ...{ validation, isUnavailable, unavailable: unavailableError, formatFor },
    ...{ page: options.errorPage, lingerMs: timeouts.lingerMs },
  });

  const app: Gateway = fastify({
    ...serverLimits(timeouts),
    loggerInstance: log.child({ service }) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestId,
    requestIdHeader: false,
    // Fastify does not accept a number of hops; the setting's documentation explains when one is safe.
    trustProxy: typeof trustProxy === 'number' ? (_, hop) => hop < trustProxy : trustProxy,
    bodyLimit: bodyLimitBytes,
    // The URL length is limited as a whole, by a hook.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    // Requests received before the shutdown are served.
    return503OnClosing: false,
    // Fastify runs no hooks for a path that is not valid text (`/%zz`): route it to an unknown path with the same error format.
    frameworkErrors(_, { raw }, reply) {
      const url = formatFor(raw.url!) === undefined ? '/%25' : `${pathErrors!.prefix}/%25`;
      app.routing(Object.assign(raw, { url }), reply.raw);
    },
  });

  app.decorateRequest('principal', '');
  app.decorate('closing', shutDownGracefully(app, options.closeGraceMs ?? 10_000));
  rejectIdleBodies(app.server);
  app.removeContentTypeParser('text/plain');
  limitJsonBodies(app);
  const onLimited = () => metrics.rateLimited(service);
  const wrongTokens = createSlidingWindow({ limit: options.wrongTokenLimitPerMinute ?? 0 });
  const { hasTokenCookie = () => false } = options;
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const limited = wrongTokens && limitWrongTokens({ limiter: wrongTokens, hasTokenCookie }, error, request, reply);
    if (limited) onLimited();
    refuse(limited ?? error, request, reply);
  });
  app.setChildLoggerFactory((parent, bindings) => createLazyLog(parent as Log, bindings));
  // Before all other hooks, so that a span covers the whole request.
  if (options.traces) traceRequests(app, { service, traces: options.traces });
  // Response schemas are documentation only: do not filter or coerce fields.
  app.setSerializerCompiler(() => JSON.stringify);
  const compile = createValidators();
  app.setValidatorCompiler(({ schema, httpPart }) => compile(httpPart ?? 'body', schema as object));

  function onResponse(route: string): onResponseHookHandler {
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

  app.addHook('onRequest', rejectSmuggling());
  // For errors such as 404 too, so that pages can read them. Before `onRoute`, because it adds the route `OPTIONS *`.
  if (corsAllowOrigins.length > 0) await app.register(cors, { ...CORS_OPTIONS, origin: [...corsAllowOrigins] });
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (request.raw.url!.length > MAX_URL_LENGTH) return done(uriTooLong(MAX_URL_LENGTH));
    if (isOutOfService() && request.routeOptions.config.probe !== true) return done(unavailableError());
    if (!request.is404 && request.method !== 'OPTIONS') return done();
    reply.raw.once('finish', () => observeUnrouted(reply.statusCode, reply.elapsedTime));
    const allowed = paths.allowed(request.url.split('?', 1)[0]!);
    if (allowed === undefined) return done(notFound());
    if (request.method !== 'OPTIONS') return done(methodNotAllowed(allowed));
    if (reply.hasHeader('access-control-allow-methods')) void reply.header('access-control-allow-methods', allowed);
    void reply.code(204).header('allow', allowed).send();
  });

  app.addHook('onRoute', function (route) {
    const { access, limited = false } = route.config ?? {};
    if (access === undefined)
      throw new Error(`The route ${String(route.method)} ${route.url} does not declare \`access\`.`);
    paths.add(route.method, route.url);
    const routeLimiter = typeof limited === 'object' ? limited : limited ? limiter : undefined;
    const guardHook = createAuthHook({ access, guard, limiter: routeLimiter, onLimited });
    if (guardHook !== undefined) route.onRequest = [guardHook, ...hooks(route.onRequest)];
    // Scopes for files or forms read their bodies themselves.
    if (
      route.schema?.body === undefined &&
      takesBody(route.method) &&
      !this.hasContentTypeParser('multipart/form-data') &&
      !this.hasContentTypeParser('application/x-www-form-urlencoded')
    ) {
      route.preParsing = [discardBody, ...hooks(route.preParsing)];
    }
    route.onResponse = [...hooks(route.onResponse), onResponse(route.url)];
    const errors = formatFor(route.url);
    describeRoute(route, { access, limited: routeLimiter !== undefined, bodyLimitBytes, validation, errors });
  });

  await app.register(swagger, createOpenApiOptions(options));
  await app.register(referencePages, options);
  return app;
}

const takesBody = (method: string | string[]) =>
  [method].flat().some((each) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(each));

function hooks<T>(one: T | T[] | undefined): T[] {
  return one === undefined ? [] : ([one].flat() as T[]);
}
