import type { FastifyRequest } from 'fastify';
import type { Span } from '../../base/trace.ts';
import { parseTraceparent } from '../../http/request-id.ts';
import type { Priority } from '../../tasks/task.ts';

/**
 * The OpenTelemetry producer span of a request that creates tasks for `service`. It covers the commit, and the spans of
 * the tasks are its children. Undefined if the request is not traced.
 */
export const startProducerSpan = (request: FastifyRequest, service: string, priority: Priority): Span | undefined =>
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

/** The `traceparent` stored with a task: the producer span's, or else the client's. */
export const taskTraceparent = (request: FastifyRequest, span: Span | undefined): string | undefined =>
  span?.traceparent ?? parseTraceparent(request.headers);
