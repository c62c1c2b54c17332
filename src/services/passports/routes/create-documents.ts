import type { FastifyRequest } from 'fastify';
import { during } from '../../../base/trace.ts';
import { handOver, traceOf } from '../../hand-over.ts';
import type { Caller, Document, Documents, NewDocument, Within } from '../documents.ts';
import { SERVICE } from '../store/rows.ts';

/** Tasks store the request id and the trace context. */
export function createDocuments(
  documents: Documents,
  request: FastifyRequest,
  caller: Caller,
  newDocuments: readonly NewDocument[],
  within: Within,
): Promise<Document[]> {
  const span = handOver(request, SERVICE, 'realtime');
  const trace = traceOf(request, span);
  const requestInfo = { id: request.id, ...(trace !== undefined && { traceparent: trace }) };
  return during(
    span,
    () => documents.create(caller, newDocuments, requestInfo, within),
    (created) => ({ 'messaging.batch.message_count': created.length }),
  );
}
