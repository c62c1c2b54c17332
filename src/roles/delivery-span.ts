import type { Span, Traces } from '../base/trace.ts';
import type { DeliveryOutcome, DueDelivery } from '../tasks/store.ts';

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
