import { isUnavailable } from '../base/db.ts';
import { FetchFailed } from '../base/fetch-failed.ts';
import type { GuardedFetch } from '../base/guarded-fetch.ts';
import type { Log } from '../base/log.ts';
import { createBell, rest } from '../base/loop.ts';
import type { UrlPolicy } from '../base/outbound-url.ts';
import type { Span, Traces } from '../base/trace.ts';
import type { TaskWork } from '../services/service.ts';
import type { SignedMessage } from '../tasks/signature.ts';
import { sign } from '../tasks/signature.ts';
import { type DeliveryOutcome, type DueDelivery, newbornWebhook, type TaskStore } from '../tasks/store.ts';
import { createCircuit } from './circuit.ts';
import { beginDeliverySpan, endDeliverySpan } from './delivery-span.ts';
import type { DeliveryMeters } from './meters.ts';
import { afterFailure, type Schedule } from './retry.ts';

const AT_ONCE = 50;
const AT_ONCE_PER_ORIGIN = 4;

export interface DeliverNeeds {
  tasks: TaskStore;
  services: readonly { readonly name: string; readonly work?: TaskWork }[];
  fetch: GuardedFetch;
  policy: UrlPolicy;
  signingKey: SignedMessage['signingKey'];
  /** Opens a secret that was sealed into the delivery. */
  openSecret: (sealed: Buffer) => string;
  schedule: Schedule;
  timeoutMs: number;
  meters: DeliveryMeters;
  /** Where the spans of attempts go; absent where nothing is traced. */
  traces?: Traces;
  log: Log;
  signal: AbortSignal;
}

/**
 * Delivers webhooks until `signal` aborts, then waits for the attempts under way. A slow or dead receiver costs others
 * nothing: at most 4 attempts per receiver and 50 in all are under way, and none of it touches the path of a task.
 */
export async function deliver(needs: DeliverNeeds): Promise<void> {
  const { tasks, log, signal } = needs;
  const underWay = new Map<string, number>();
  const circuit = createCircuit();
  const bell = createBell();
  let running = 0;

  const attempt = async (due: DueDelivery) => {
    const outcome = circuit.putsOff(due) ? POSTPONED(needs.schedule) : await traced(needs, due);
    circuit.note(due.origin, outcome.state);
    needs.meters.attempted(due.task.service, outcome.state === 'pending' ? 'retry' : outcome.state);
    const counted = await tasks.settle(due.id, due.attempt, outcome);
    log.debug({ delivery: due.id, attempt: due.attempt, outcome, counted }, 'a delivery attempt ended');
  };

  const begin = (due: DueDelivery) => {
    running++;
    underWay.set(due.origin, (underWay.get(due.origin) ?? 0) + 1);
    void attempt(due)
      // Not settled: its lease runs out and another attempt follows, under the same delivery id.
      .catch((err) => log.warn({ err, delivery: due.id }, 'what came of a delivery could not be written down'))
      .finally(() => {
        running--;
        const left = underWay.get(due.origin)! - 1;
        if (left > 0) underWay.set(due.origin, left);
        else underWay.delete(due.origin);
        bell.ring();
      });
  };

  tasks.onHint('finished', bell.ring, signal);
  signal.addEventListener('abort', bell.ring);
  while (!signal.aborted) {
    try {
      const limit = AT_ONCE - running;
      const leaseMs = needs.timeoutMs + 15_000;
      const due =
        limit > 0 ? await tasks.dueDeliveries({ limit, leaseMs, perOrigin: AT_ONCE_PER_ORIGIN, underWay }) : [];
      due.forEach(begin);
      if (due.length === 0) await bell.wait();
    } catch (err) {
      log.warn({ err }, 'due deliveries could not be read; trying again');
      await rest(1000, signal);
    }
  }
  while (running > 0) await bell.wait();
}

/** One attempt as a span, where deliveries are traced. */
async function traced(needs: DeliverNeeds, due: DueDelivery): Promise<DeliveryOutcome> {
  const span = beginDeliverySpan(needs.traces, due);
  let outcome: DeliveryOutcome | undefined;
  try {
    outcome = await post(needs, due, span);
    return outcome;
  } finally {
    endDeliverySpan(span, outcome);
  }
}

async function post(needs: DeliverNeeds, due: DueDelivery, span: Span | undefined): Promise<DeliveryOutcome> {
  const { schedule, log } = needs;
  try {
    return { state: 'delivered', statusCode: await send(needs, due, span?.traceparent ?? due.traceparent) };
  } catch (error) {
    if (error instanceof FetchFailed) return afterFailure(error, due.attempt, { schedule });
    if (isUnavailable(error)) throw error;
    // A fault of ours (a secret that does not open, a service that is not here any more) that only a new start may mend:
    // it takes the same slow schedule, or it would come back with every lease until the task expires.
    const trace = span && { trace_id: span.traceId };
    log.error({ err: error, delivery: due.id, ...trace }, 'a delivery could not be made ready');
    return afterFailure({ reason: 'connect_error' }, due.attempt, { schedule });
  }
}

/** The status of the receiver's 2xx; he may go on in the trace `traceparent`. */
async function send(needs: DeliverNeeds, due: DueDelivery, traceparent: string | undefined): Promise<number> {
  const { tasks, fetch, policy, timeoutMs, signingKey } = needs;
  const work = needs.services.find(({ name }) => name === due.task.service)?.work;
  if (!work) throw new Error(`No service here is named ${due.task.service}.`);
  const body = due.body ?? (await tasks.keepBody(due.id, bodyOf(work, due)));
  const secret = due.secret ? needs.openSecret(due.secret) : work.webhook.secretFor(due.task.principal);
  const timestamp = Math.floor(Date.now() / 1000);
  const { status } = await fetch(due.url, {
    policy,
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'assay-webhook/1',
      'x-service-event': work.webhook.event,
      'x-service-task-id': due.task.id,
      'x-service-delivery-id': due.id,
      'x-service-delivery-attempt': String(due.attempt),
      ...(due.requestId && { 'x-request-id': due.requestId }),
      ...(traceparent && { traceparent }),
      ...sign({ id: due.id, timestamp, body, secret, signingKey }),
    },
    budgets: { headersMs: timeoutMs, totalMs: timeoutMs },
  });
  return status;
}

/**
 * Serialised once, by the function that answers polls, with the webhook as it was the moment the result was recorded;
 * every attempt sends these bytes.
 */
function bodyOf({ present, webhook }: TaskWork, due: DueDelivery): string {
  const task = { ...due.task, webhook: newbornWebhook(due.id) };
  const body = present(task);
  return webhook.thin && Buffer.byteLength(body) > LARGEST_BODY_BYTES ? webhook.thin(task) : body;
}

/** What a receiver may be expected to take; Standard Webhooks advises much less. */
const LARGEST_BODY_BYTES = 256 * 1024;

const POSTPONED = (schedule: Schedule): DeliveryOutcome => ({ state: 'postponed', delayMs: (schedule[1] ?? 5) * 1000 });
