import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Traces } from '../base/trace.ts';
import { parseTraceparent } from './request-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent if tracing is disabled. */
    span?: Span;
  }
}

/** Creates an OpenTelemetry HTTP server span per request. Omits the URL, which may contain ids, names and secrets. */
export function traceRequests(app: FastifyInstance, { service, traces }: { service: string; traces: Traces }): void {
  app.decorateRequest('span');
  app.addHook('onRequest', (request, reply, done) => {
    const { method, protocol, routeOptions } = request;
    const span = traces.begin(routeOptions.url === undefined ? method : `${method} ${routeOptions.url}`, {
      kind: 'server',
      parent: parseTraceparent(request.headers),
      attributes: {
        'http.request.method': method,
        'http.route': routeOptions.url,
        'url.scheme': protocol,
        'assay.service': service,
        'assay.request.id': request.id,
      },
    });
    request.span = span;
    addTraceToLog(request, span.traceId);
    // Fastify's hook is not called when the client has disconnected.
    reply.raw.once('close', () => {
      const { headersSent, statusCode } = reply.raw;
      const failed = headersSent ? (statusCode >= 500 ? String(statusCode) : undefined) : 'client_gone';
      span.end({ 'http.response.status_code': headersSent ? statusCode : undefined }, failed);
    });
    done();
  });
}

function addTraceToLog({ log }: FastifyRequest, trace_id: string): void {
  (log as unknown as { setBindings(more: object): void }).setBindings({ trace_id });
}
