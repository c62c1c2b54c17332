import type { Span, Traces } from '../base/trace.ts';
import type { Claim } from '../tasks/store.ts';

/** Recorded outcome of an attempt; `lost`: the worker no longer holds the task. */
export type AttemptOutcome = 'done' | 'failed' | 'again' | 'lost';

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

/** `code`: the failure's code, if any. */
export function endAttemptSpan(span: Span | undefined, outcome: AttemptOutcome, code?: string): void {
  span?.end({ 'assay.attempt.outcome': outcome }, code);
}
