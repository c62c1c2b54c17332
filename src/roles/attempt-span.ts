import type { Span, Traces } from '../base/trace.ts';
import type { Claim } from '../tasks/store.ts';

/** How an attempt ended, once it is known whether that counts; `lost`: the task is somebody else's by now. */
export type AttemptOutcome = 'done' | 'failed' | 'again' | 'lost';

/**
 * The span of one attempt (of OpenTelemetry's messaging spans, the consumer's): from the claim until its ending is written
 * down. It stands below the hand-over of the task, whatever process that was in.
 */
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

/** `code`: of the failure, where the attempt failed. */
export function endAttemptSpan(span: Span | undefined, outcome: AttemptOutcome, code?: string): void {
  span?.end({ 'assay.attempt.outcome': outcome }, code);
}
