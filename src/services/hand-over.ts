import type { FastifyRequest } from 'fastify';
import type { Span } from '../base/trace.ts';
import { traceparent } from '../http/request-id.ts';
import type { Priority } from '../tasks/task.ts';

/**
 * The span in which a request hands tasks over to the workers of `service` (of OpenTelemetry's messaging spans, the
 * producer's): its time is that of the commit, and what becomes of the tasks stands below it. `undefined` where requests
 * are not traced.
 */
export const handOver = (request: FastifyRequest, service: string, priority: Priority): Span | undefined =>
  request.span?.child(`send ${service}`, {
    kind: 'producer',
    attributes: {
      'messaging.system': 'assay',
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.destination.name': service,
      'assay.task.priority': priority,
    },
  });

/** The trace that a task goes on in, as the task keeps it: of the hand-over, or else the caller's own. */
export const traceOf = (request: FastifyRequest, span: Span | undefined): string | undefined =>
  span?.traceparent ?? traceparent(request.headers);
