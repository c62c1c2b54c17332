import type { Span, Traces } from '../base/trace.ts';
import type { DeliveryOutcome, DueDelivery } from '../tasks/store.ts';

/**
 * The span of one attempt at a webhook (of OpenTelemetry's HTTP spans, the client's), below the hand-over of its task.
 * Where it goes is not told: the address is the client's, and whoever knows it may be all that keeps others out.
 */
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

/** Without an outcome nothing came of it that could be recorded. */
export function endDeliverySpan(span: Span | undefined, outcome: DeliveryOutcome | undefined): void {
  if (span === undefined) return;
  const status = outcome && 'statusCode' in outcome ? outcome.statusCode : undefined;
  const error = outcome === undefined ? 'unknown' : 'error' in outcome ? outcome.error : undefined;
  span.end(
    { 'http.response.status_code': status, 'assay.delivery.outcome': outcome?.state },
    error === 'http_status' ? String(status) : error,
  );
}
