import type { FastifyRequest } from 'fastify';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { withSpan } from '../../../base/trace.ts';
import type { Grouping } from '../../shared/grouping.ts';
import { startProducerSpan, taskTraceparent } from '../../shared/producer-span.ts';
import type { Caller, Document, NewDocument, TransactionHook } from '../documents.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { SERVICE } from '../store/rows.ts';

/** Tasks store the request id and the trace context. */
export function createDocuments(
  documents: DocumentStore,
  request: FastifyRequest,
  caller: Caller,
  { newDocuments, grouping }: { newDocuments: readonly NewDocument[]; grouping: Grouping | undefined },
  within: TransactionHook,
): Promise<Document[]> {
  const span = startProducerSpan(request, SERVICE, 'realtime');
  const requestInfo = omitUndefined({ id: request.id, traceparent: taskTraceparent(request, span), grouping });
  return withSpan(
    span,
    () => documents.create(caller, newDocuments, requestInfo, within),
    (created) => ({ 'messaging.batch.message_count': created.length }),
  );
}
