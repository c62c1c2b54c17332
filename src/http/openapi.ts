import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import {
  internalError,
  payloadTooLarge,
  queueUnavailable,
  rateLimitExceeded,
  unauthorized,
  unsupportedMediaType,
  uriTooLong,
} from '../base/faults.ts';
import type { Access } from './bearer.ts';
import { type HeaderNotes, headersOf, refusal, reply } from './envelope.ts';
import { URL_LIMIT } from './server-limits.ts';
import type { ValidationFormat } from './validation.ts';

/** What a service says about itself in its description. */
export interface Reference {
  title: string;
  description: string;
  version: string;
  /** Where clients reach the service; without it the description points at the host that serves it. */
  publicUrl?: string | undefined;
  /** The `webhooks` section: what this service sends, and in which form. */
  webhooks?: Record<string, unknown> | undefined;
  /** Ways to say who one is, besides the bearer token. */
  securitySchemes?: Record<string, object> | undefined;
}

declare module 'fastify' {
  interface FastifySchema {
    /** Keeps a route out of the description. */
    hide?: boolean;
    summary?: string;
    description?: string;
    operationId?: string;
    tags?: readonly string[];
    security?: readonly Record<string, readonly string[]>[];
    /** What the description shows and nothing validates: headers that are only a wish, a body that is a stream. */
    shown?: { readonly headers?: HeaderNotes; readonly body?: object };
  }
}

/** The frame of the OpenAPI 3.1 description; the paths come from the routes, by the schemas that validate them. */
export function openapi({
  title,
  description,
  version,
  publicUrl,
  webhooks,
  securitySchemes,
}: Reference): FastifyDynamicSwaggerOptions {
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

/**
 * Adds to a route's schema what the gateway itself may answer there, so that no route has to repeat it and none can
 * forget it. What the route says itself stays.
 */
export function describeRoute(
  route: RouteOptions,
  {
    access,
    limited,
    bodyLimitBytes,
    validation,
  }: { access: Access; limited: boolean; bodyLimitBytes: number; validation: ValidationFormat },
): void {
  const { schema } = route;
  if (schema === undefined || schema.hide === true) return;
  const own = (schema.response ?? {}) as Record<string, Answer>;
  const answers: Record<string, Answer> = {};
  // Also where nobody has to say who he is: a credential that is shown must be good.
  if (access !== 'public') answers['401'] = refusal(unauthorized());
  const body = schema.body ?? schema.shown?.body;
  // A body that nobody asked for is let pass unread, but not of any size.
  if (body !== undefined || [route.method].flat().some((method) => !BODILESS.has(method))) {
    answers['413'] = refusal(payloadTooLarge(route.bodyLimit ?? bodyLimitBytes));
  }
  // Only where something in the address is the caller's; other addresses are as long as they are described.
  if (schema.params ?? schema.querystring) answers['414'] = refusal(uriTooLong(URL_LIMIT));
  if (body !== undefined) {
    answers['415'] = refusal(unsupportedMediaType(route.config?.takes ?? 'application/json'));
  }
  if (body ?? schema.querystring ?? schema.params ?? schema.headers) {
    answers['422'] = reply('`VALIDATION_ERROR`', validation.schema, { VALIDATION_ERROR: validation.example });
  }
  // Addresses that send wrong credentials are limited everywhere.
  if (limited || access !== 'public') answers['429'] = refusal(rateLimitExceeded(17));
  answers['500'] = refusal(internalError());
  if (access === 'task') answers['503'] = refusal(queueUnavailable());
  route.schema = {
    ...schema,
    ...(access !== 'public' && { security: schema.security ?? SECURITY[access] }),
    response: Object.fromEntries(
      Object.entries({ ...answers, ...own }).map(([status, answer]) => [
        status,
        {
          ...answer,
          ...(route.config?.page === true && Number(status) >= 400 && { content: forPeopleToo(answer.content) }),
          headers: { ...headersOf(headersAt(Number(status), limited)), ...answer.headers },
        },
      ]),
    ),
  };
}

const BODILESS = new Set(['GET', 'HEAD', 'OPTIONS']);

const SECURITY: Record<Exclude<Access, 'public'>, Record<string, string[]>[]> = {
  bearer: [{ bearer: [] }],
  task: [{ bearer: [] }],
  moderator: [{ bearer: [] }],
  session: [{ bearer: [] }, { session: [] }],
  visitor: [{ bearer: [] }, { session: [] }, {}],
};

type Answer = { headers?: object; content?: object };

/** Where browsers come, a refusal is a page for whoever asks for one: see refuse.ts. */
const forPeopleToo = (content: object | undefined) => ({
  ...content,
  'text/html': { schema: { type: 'string', description: 'For people, where `Accept` asks for it.' } },
});

/** What the gateway itself says in the headers of an answer. */
const headersAt = (status: number, limited: boolean): HeaderNotes => ({
  'X-Request-ID': 'The identifier of this request in our logs: yours, or a new one.',
  ...(limited && { 'RateLimit-Policy': 'The limit: `q` requests in any `w` seconds.' }),
  ...(limited && status !== 401 && { RateLimit: '`r` more requests are free now; quota grows again in `t` seconds.' }),
  ...(status === 401 && { 'WWW-Authenticate': '`Bearer`.' }),
  ...([429, 503].includes(status) && { 'Retry-After': 'Seconds after which another try makes sense.' }),
});
