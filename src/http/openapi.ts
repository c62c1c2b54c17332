import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import {
  type ApiError,
  internalError,
  payloadTooLarge,
  queueUnavailable,
  rateLimitExceeded,
  unauthorized,
  unsupportedMediaType,
  uriTooLong,
  validationError,
} from '../base/api-error.ts';
import type { Access } from './bearer.ts';
import {
  describeResponse,
  type ErrorFormat,
  envelopeErrors,
  errorResponsesIn,
  type HeaderNotes,
  headersOf,
} from './envelope.ts';
import { MAX_URL_LENGTH } from './server-limits.ts';
import { envelopeValidation, type ValidationFormat } from './validation.ts';

/** A service's part of its OpenAPI description. */
export interface Reference {
  title: string;
  description: string;
  version: string;
  /** Default: the host that serves the description. */
  publicUrl?: string | undefined;
  /** The `webhooks` section. */
  webhooks?: Record<string, unknown> | undefined;
  /** In addition to the bearer token. */
  securitySchemes?: Record<string, object> | undefined;
}

declare module 'fastify' {
  interface FastifySchema {
    /** Excludes a route from the description. */
    hide?: boolean;
    summary?: string;
    description?: string;
    operationId?: string;
    tags?: readonly string[];
    security?: readonly Record<string, readonly string[]>[];
    /** Documented but not validated: optional headers, streamed bodies. */
    shown?: { readonly headers?: HeaderNotes; readonly body?: object };
  }
}

/** Options of the OpenAPI 3.1 description; its paths come from the routes' schemas. */
export function createOpenApiOptions(reference: Reference): FastifyDynamicSwaggerOptions {
  const { title, description, version, publicUrl, webhooks, securitySchemes } = reference;
  return {
    convertConstToEnum: false,
    transform: ({ schema, url }) => ({ schema: withShown(schema) as never, url }),
    openapi: {
      openapi: '3.1.0',
      info: { title, description, version },
      servers: [{ url: publicUrl ?? '/' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, ...(securitySchemes as object) } },
      ...(webhooks !== undefined && { webhooks: webhooks as never }),
    },
  };
}

function withShown(schema: FastifySchema | undefined): FastifySchema | undefined {
  if (schema?.shown === undefined) return schema;
  const { shown, ...rest } = schema;
  return {
    ...rest,
    ...(shown.headers && { headers: { type: 'object', properties: headersOf(shown.headers) } }),
    ...(shown.body && { body: shown.body }),
  };
}

/** Adds the gateway's own responses to a route's schema; responses of the route take precedence. */
export function describeRoute(
  route: RouteOptions,
  gateway: {
    access: Access;
    limited: boolean;
    bodyLimitBytes: number;
    validation: ValidationFormat;
    /** Undefined: the envelope. */
    errors: ErrorFormat | undefined;
  },
): void {
  const { access, limited, bodyLimitBytes, validation, errors } = gateway;
  const { schema } = route;
  if (schema === undefined || schema.hide === true) return;
  const own = (schema.response ?? {}) as Record<string, ResponseEntry>;
  const faults: ApiError[] = [];
  // Also for optional credentials, which must be valid.
  if (access !== 'public') faults.push(unauthorized());
  const body = schema.body ?? schema.shown?.body;
  // Unused bodies are limited too.
  if (body !== undefined || [route.method].flat().some((method) => !BODILESS.has(method))) {
    faults.push(payloadTooLarge(route.bodyLimit ?? bodyLimitBytes));
  }
  if (schema.params ?? schema.querystring) faults.push(uriTooLong(MAX_URL_LENGTH));
  if (body !== undefined) faults.push(unsupportedMediaType(route.config?.takes ?? 'application/json'));
  const isValidated = (body ?? schema.querystring ?? schema.params ?? schema.headers) !== undefined;
  if (isValidated && errors !== undefined) faults.push(validationError('The multipart body is not well-formed.'));
  // Invalid credentials are rate-limited on all routes.
  if (limited || access !== 'public') faults.push(rateLimitExceeded(17));
  faults.push(internalError());
  if (access === 'task') faults.push(queueUnavailable());
  const responses: Record<string, ResponseEntry> = { ...errorResponsesIn(errors ?? envelopeErrors, faults) };
  if (isValidated && errors === undefined) {
    responses['422'] = describeResponse('`VALIDATION_ERROR`', validation.schema, {
      VALIDATION_ERROR: validation.example,
    });
  }
  route.schema = {
    ...schema,
    ...(access !== 'public' && { security: schema.security ?? SECURITY[access] }),
    response: Object.fromEntries(
      Object.entries({ ...responses, ...own, ...invalidBoth(responses['422'], own['422'], validation) }).map(
        ([status, response]) => [
          status,
          {
            ...response,
            ...(route.config?.page === true && Number(status) >= 400 && { content: withErrorPage(response.content) }),
            headers: { ...headersOf(headersAt(Number(status), limited)), ...response.headers },
          },
        ],
      ),
    ),
  };
}

/** The 422 response of a route that throws its own errors in the envelope besides those in the format of `validation`. */
function invalidBoth(
  standard: ResponseEntry | undefined,
  own: ResponseEntry | undefined,
  validation: ValidationFormat,
): Record<string, ResponseEntry> {
  if (standard === undefined || own === undefined || validation === envelopeValidation) return {};
  const [first, second] = [own, standard].map(({ content }) => content?.['application/json']);
  const schema = { anyOf: [first?.schema, second?.schema] };
  const examples = { ...first?.examples, INVALID_PARAMETER: second?.examples?.['VALIDATION_ERROR'] };
  return { 422: { ...own, content: { ...own.content, 'application/json': { schema, examples } } } };
}

const BODILESS = new Set(['GET', 'HEAD', 'OPTIONS']);

const SECURITY: Record<Exclude<Access, 'public'>, Record<string, string[]>[]> = {
  bearer: [{ bearer: [] }],
  task: [{ bearer: [] }],
  moderator: [{ bearer: [] }],
  session: [{ bearer: [] }, { session: [] }],
  visitor: [{ bearer: [] }, { session: [] }, {}],
};

type ResponseEntry = {
  headers?: object;
  content?: Record<string, { schema?: object; examples?: Record<string, unknown> }>;
};

/** Adds the error page (error-handler.ts). */
const withErrorPage = (content: object | undefined) => ({
  ...content,
  'text/html': { schema: { type: 'string', description: 'An error page, if `Accept` prefers HTML.' } },
});

/** The gateway's response headers. */
const headersAt = (status: number, limited: boolean): HeaderNotes => ({
  'X-Request-ID': 'Request id in the logs: the one of the request, or a new one.',
  ...(limited && { 'RateLimit-Policy': 'The limit: `q` requests in any `w` seconds.' }),
  ...(limited && status !== 401 && { RateLimit: '`r` requests remain; more are available in `t` seconds.' }),
  ...(status === 401 && { 'WWW-Authenticate': '`Bearer`.' }),
  ...([429, 503].includes(status) && { 'Retry-After': 'Seconds to wait before a retry.' }),
});
