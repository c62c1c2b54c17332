import type { Span, Traces } from '../base/trace.ts';
import type { Claim, DeliveryOutcome, DueDelivery } from '../tasks/store.ts';

/** Recorded outcome of an attempt; `lost`: the worker no longer holds the task, which was not cancelled. */
export type AttemptOutcome = 'done' | 'failed' | 'again' | 'cancelled' | 'lost';

/** Starts an attempt's OpenTelemetry messaging consumer span, a child of the task's producer span. */
export function beginAttemptSpan(traces: Traces | undefined, service: string, claim: Claim): Span | undefined {
  return traces?.begin(`process ${service}`, {
    kind: 'consumer',
    parent: claim.traceparent,
    attributes: {
      'messaging.system': 'assay',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': service,
      'messaging.message.id': claim.id,
      'assay.task.id': claim.id,
      'assay.task.attempt': claim.attempt,
      'assay.task.wait_seconds': claim.waitedMs / 1000,
    },
  });
}

/** Starts a delivery attempt's HTTP client span, a child of the task's producer span. Omits the URL, which may contain secrets. */
export function beginDeliverySpan(traces: Traces | undefined, due: DueDelivery): Span | undefined {
  return traces?.begin('POST webhook', {
    kind: 'client',
    parent: due.traceparent,
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': due.attempt > 1 ? due.attempt - 1 : undefined,
      'assay.service': due.task.service,
      'assay.task.id': due.task.id,
      'assay.delivery.id': due.id,
    },
  });
}

/** `outcome`: undefined if the attempt threw. */
export function endDeliverySpan(span: Span | undefined, outcome: DeliveryOutcome | undefined): void {
  if (span === undefined) return;
  const status = outcome && 'statusCode' in outcome ? outcome.statusCode : undefined;
  const error = outcome === undefined ? 'unknown' : 'error' in outcome ? outcome.error : undefined;
  span.end(
    { 'http.response.status_code': status, 'assay.delivery.outcome': outcome?.state },
    error === 'http_status' ? String(status) : error,
  );
}
