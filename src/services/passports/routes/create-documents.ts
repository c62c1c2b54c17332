import type { FastifyRequest } from 'fastify';
import { during } from '../../../base/trace.ts';
import { handOver, traceOf } from '../../hand-over.ts';
import type { Caller, Document, Documents, NewDocument, Within } from '../documents.ts';
import { SERVICE } from '../store/rows.ts';

/** The documents that a request brings; their tasks keep its id and its trace. `within` takes part in the transaction. */
export function createDocuments(
  documents: Documents,
  request: FastifyRequest,
  caller: Caller,
  brought: readonly NewDocument[],
  within: Within,
): Promise<Document[]> {
  const span = handOver(request, SERVICE, 'realtime');
  const trace = traceOf(request, span);
  const asked = { id: request.id, ...(trace !== undefined && { traceparent: trace }) };
  return during(
    span,
    () => documents.create(caller, brought, asked, within),
    (created) => ({ 'messaging.batch.message_count': created.length }),
  );
}
