import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Traces } from '../base/trace.ts';
import { traceparent } from './request-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of this request, where requests are traced. */
    span?: Span;
  }
}

/**
 * A span for every request of a gateway (OpenTelemetry's HTTP server spans): method, route template, status and the
 * request's id. The address itself is not told: it holds ids and names, and its query whatever a client puts there.
 */
export function traceRequests(app: FastifyInstance, { service, traces }: { service: string; traces: Traces }): void {
  app.decorateRequest('span');
  app.addHook('onRequest', (request, reply, done) => {
    const { method, protocol, routeOptions } = request;
    const span = traces.begin(routeOptions.url === undefined ? method : `${method} ${routeOptions.url}`, {
      kind: 'server',
      parent: traceparent(request.headers),
      attributes: {
        'http.request.method': method,
        'http.route': routeOptions.url,
        'url.scheme': protocol,
        'assay.service': service,
        'assay.request.id': request.id,
      },
    });
    request.span = span;
    tellTrace(request, span.traceId);
    // Not Fastify's own hook: that is not called for a client who has gone.
    reply.raw.once('close', () => {
      const { headersSent, statusCode } = reply.raw;
      const failed = headersSent ? (statusCode >= 500 ? String(statusCode) : undefined) : 'client_gone';
      span.end({ 'http.response.status_code': headersSent ? statusCode : undefined }, failed);
    });
    done();
  });
}

/** The lines that a request logs name its trace. */
function tellTrace({ log }: FastifyRequest, trace_id: string): void {
  (log as unknown as { setBindings(more: object): void }).setBindings({ trace_id });
}
