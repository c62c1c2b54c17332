import { setMaxListeners } from 'node:events';
import { isUnavailable } from '../base/db-errors.ts';
import { FetchFailed } from '../base/fetch-failed.ts';
import type { GuardedFetch } from '../base/guarded-fetch.ts';
import type { Log } from '../base/log.ts';
import { createSignal, loop, sleep } from '../base/loop.ts';
import { isLoopback, type UrlPolicy } from '../base/outbound-url.ts';
import type { Span, Traces } from '../base/trace.ts';
import { isSandboxQueue, serviceOfQueue } from '../services/shared/sandbox/queue.ts';
import { inputOf, SANDBOX_RETRY_SCHEDULE } from '../services/shared/sandbox/sandbox.ts';
import type { MessageWork, TaskWork } from '../services/shared/service.ts';
import type { Endpoints } from '../tasks/endpoints.ts';
import { sendWebhook } from '../tasks/send-webhook.ts';
import {
  type DeliveryOutcome,
  type DueDelivery,
  type DuePosition,
  initialWebhook,
  type TaskStore,
} from '../tasks/store.ts';
import type { Task } from '../tasks/task.ts';
import type { SigningKeys } from '../tasks/webhook-signature.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { createDeliveryQueues, type DeliveryAttempt } from './delivery-queues.ts';
import type { DeliveryMetrics } from './metrics.ts';
import { createReceiverSpeed } from './receiver-speed.ts';
import { afterFailure, hideDetails, type RetrySchedule } from './retry.ts';
import { beginDeliverySpan, endDeliverySpan } from './spans.ts';

/** Due deliveries read per statement. */
const PAGE = 1000;
/** Interval of searches for new due deliveries. */
const SEARCH_MS = 50;
/** Pause between statements that take deliveries. */
const TAKE_MS = 1;
/** Pause between full searches: 1 s, or this multiple of the last search's duration. */
const FULL_SEARCH_MS = 1000;
const FULL_SEARCH_PAUSE_FACTOR = 20;
/** Lease time beyond the request timeout, for the connection and for recording the outcome. */
const LEASE_MARGIN_MS = 15_000;
/** Interval of the maintenance of paused endpoints. */
const MAINTENANCE_INTERVAL_MS = 1000;
const CLEANUP_INTERVAL_MS = 60_000;
/** How long a held delivery is kept after its task ended, so that a pause loses none that the schedule would deliver. */
const heldSeconds = (schedule: RetrySchedule): number =>
  Math.max(DAY_SECONDS, HELD_MARGIN_SECONDS + schedule.reduce((sum, seconds) => sum + 1.1 * seconds, 0));
const DAY_SECONDS = 86_400;
const HELD_MARGIN_SECONDS = 7200;

/** Batches and messages have no sandbox. */
type DeliveredWork = (Pick<TaskWork, 'present' | 'webhook'> | Omit<MessageWork, 'isWanted'>) &
  Partial<Pick<TaskWork, 'sandbox'>> & { readonly isWanted?: (message: Task, url: string) => Promise<boolean> };

export interface DeliverDeps {
  tasks: TaskStore;
  endpoints: Pick<Endpoints, 'maintain' | 'cleanUp'>;
  services: readonly { readonly name: string; readonly work: DeliveredWork }[];
  fetch: GuardedFetch;
  policy: UrlPolicy;
  /** Hides the details of receivers on this machine from clients: only success is shown. */
  hideLoopbackDetails: boolean;
  signingKeys: SigningKeys;
  /** Decrypts a stored webhook secret. */
  openSecret: (sealed: Buffer) => string;
  schedule: RetrySchedule;
  timeoutMs: number;
  metrics: DeliveryMetrics;
  /** Absent if tracing is disabled. */
  traces?: Traces | undefined;
  log: Log;
  signal: AbortSignal;
}

/**
 * Delivers webhooks until `signal` aborts, then waits for running attempts. Its loops: find new due deliveries, search all
 * due deliveries for late commits, start attempts fairly, and hold and release the deliveries of paused endpoints.
 */
export async function deliver(deps: DeliverDeps): Promise<void> {
  const { tasks, endpoints, log } = deps;
  const signal = AbortSignal.any([deps.signal]);
  setMaxListeners(0, signal); // each withheld outcome adds a listener
  const speed = createReceiverSpeed();
  const queues = createDeliveryQueues(speed);
  const circuit = createCircuitBreaker();
  const running = new Set<DeliveryAttempt>();
  const dueSignal = createSignal();
  const slotSignal = createSignal();
  let pending = 0;

  const send = async (due: DueDelivery): Promise<DeliveryOutcome> => {
    if (circuit.shouldDefer(due)) return postponed(deps.schedule);
    const slot: DeliveryAttempt = { principal: due.principal, origin: due.origin, startedAt: performance.now() };
    running.add(slot);
    try {
      return await traced(deps, due);
    } finally {
      speed.record(due.origin, performance.now() - slot.startedAt);
      running.delete(slot);
      slotSignal.notify();
    }
  };

  const begin = async (due: DueDelivery) => {
    const { id, attempt, origin } = due;
    const startedAt = performance.now();
    const isSandbox = isSandboxQueue(due.task.service);
    pending++;
    try {
      const simulated = isSandbox ? sandboxFailure(deps, due) : undefined;
      const outcome = withDuration(simulated ?? (await send(due)), performance.now() - startedAt);
      const isWithheld = deps.hideLoopbackDetails && isLoopback(origin) && simulated === undefined;
      const recorded = isWithheld
        ? hideDetails(outcome, due.scheduledAttempt, { schedule: scheduleOf(deps, due) })
        : outcome;
      if (!isSandbox && !('isLocal' in recorded)) circuit.record(origin, recorded.state);
      if (!isSandbox)
        deps.metrics.countAttempt(due.task.service, recorded.state === 'pending' ? 'retry' : recorded.state);
      // The client sees the outcome at a time that does not depend on the receiver.
      if (isWithheld) await sleep(Math.max(0, startedAt + deps.timeoutMs - performance.now()), signal);
      const counted = await tasks.recordDelivery(id, attempt, recorded);
      // Sooner than the next search of all due deliveries.
      if (isSandbox && recorded.state === 'pending') void sleep(recorded.delayMs, signal).then(dueSignal.notify);
      log.debug({ delivery: id, attempt, outcome, counted }, 'a delivery attempt ended');
    } catch (err) {
      // The lease expires and another attempt with the same delivery id follows.
      log.warn({ err, delivery: id }, 'recording the outcome of a delivery attempt failed');
    } finally {
      pending--;
      dueSignal.notify();
      slotSignal.notify();
    }
  };

  /** Reads all pages of due deliveries from `after` on; returns the start of the next search. */
  const search = async (after?: DuePosition): Promise<DuePosition> => {
    for (;;) {
      const page = await tasks.findDueDeliveries(PAGE, after);
      page.queues.forEach(queues.add);
      if (page.queues.length > 0) slotSignal.notify();
      if (page.isLast || signal.aborted) return page.next;
      after = page.next;
    }
  };

  let resumeAt: DuePosition | undefined;
  const searchNew = async () => {
    await dueSignal.wait();
    resumeAt = await search(resumeAt);
  };

  let fullSearchMs = 0;
  const searchAll = async () => {
    const began = performance.now();
    await search();
    fullSearchMs = performance.now() - began;
  };

  const startAttempts = async () => {
    const wanted = queues.choose(running);
    if (wanted.length === 0) return slotSignal.wait();
    const taken = await tasks.claimDueDeliveries(wanted, deps.timeoutMs + LEASE_MARGIN_MS).catch((error) => {
      wanted.forEach(queues.add);
      throw error;
    });
    for (const { principal, origin, limit } of wanted) {
      const received = taken.filter((due) => due.principal === principal && due.origin === origin);
      if (received.length < limit) continue;
      // There may be more.
      queues.add({ principal, origin, since: Math.max(...received.map(({ dueAt }) => dueAt)) });
    }
    for (const due of taken) void begin(due);
  };

  const onError = (err: unknown) => log.warn({ err }, 'reading due deliveries failed; retrying');
  const onMaintenanceError = (err: unknown) => log.warn({ err }, 'maintaining paused receivers failed; retrying');
  const cleanUp = () => endpoints.cleanUp(heldSeconds(deps.schedule));
  const fullSearchRestMs = () => Math.max(FULL_SEARCH_MS, FULL_SEARCH_PAUSE_FACTOR * fullSearchMs);
  dueSignal.notify();
  tasks.onHint('finished', dueSignal.notify, signal);
  signal.addEventListener('abort', dueSignal.notify);
  signal.addEventListener('abort', slotSignal.notify);
  await Promise.all([
    loop(searchNew, { intervalMs: SEARCH_MS, maxIntervalMs: 1000, signal, onError }),
    loop(searchAll, { intervalMs: fullSearchRestMs, signal, onError }),
    loop(endpoints.maintain, { intervalMs: MAINTENANCE_INTERVAL_MS, signal, onError: onMaintenanceError }),
    loop(cleanUp, { intervalMs: CLEANUP_INTERVAL_MS, signal, onError: onMaintenanceError }),
    loop(startAttempts, { intervalMs: TAKE_MS, maxIntervalMs: 1000, signal, onError }),
  ]);
  while (pending > 0) await slotSignal.wait();
}

const workOf = ({ services }: DeliverDeps, { task }: DueDelivery): DeliveredWork | undefined =>
  services.find(({ name }) => name === serviceOfQueue(task.service))?.work;

const scheduleOf = ({ schedule }: DeliverDeps, { task }: DueDelivery): RetrySchedule =>
  isSandboxQueue(task.service) ? SANDBOX_RETRY_SCHEDULE : schedule;

/** The outcome of an attempt that fails as the sandbox task's input specifies; nothing is sent. Redeliveries continue the count. */
function sandboxFailure(deps: DeliverDeps, due: DueDelivery): DeliveryOutcome | undefined {
  const sandbox = workOf(deps, due)?.sandbox;
  const { callback } = sandbox ? inputOf(sandbox, JSON.parse(due.task.inputText)) : {};
  if (!callback || due.attempt > callback.attempts) return undefined;
  return { ...afterFailure(callback, due.scheduledAttempt, { schedule: SANDBOX_RETRY_SCHEDULE }), isLocal: true };
}

const withDuration = (outcome: DeliveryOutcome, ms: number): DeliveryOutcome =>
  outcome.state === 'postponed' ? outcome : { ...outcome, durationMs: Math.round(ms) };

async function traced(deps: DeliverDeps, due: DueDelivery): Promise<DeliveryOutcome> {
  const span = beginDeliverySpan(deps.traces, due);
  let outcome: DeliveryOutcome | undefined;
  try {
    outcome = await post(deps, due, span);
    return outcome;
  } finally {
    endDeliverySpan(span, outcome);
  }
}

async function post(deps: DeliverDeps, due: DueDelivery, span: Span | undefined): Promise<DeliveryOutcome> {
  const { log } = deps;
  const schedule = scheduleOf(deps, due);
  try {
    if ((await workOf(deps, due)?.isWanted?.(due.task, due.url)) === false) {
      return { state: 'failed', error: 'withdrawn', isLocal: true };
    }
    return { state: 'delivered', statusCode: await request(deps, due, span?.traceparent ?? due.traceparent) };
  } catch (error) {
    if (error instanceof FetchFailed) return afterFailure(error, due.scheduledAttempt, { schedule });
    if (isUnavailable(error)) throw error;
    // A local error (an undecryptable secret, a disabled service) follows the retry schedule; otherwise the delivery would
    // be retried with every lease.
    const trace = span && { trace_id: span.traceId };
    log.error({ err: error, delivery: due.id, ...trace }, 'preparing a delivery failed');
    return { ...afterFailure({ reason: 'connect_error' }, due.scheduledAttempt, { schedule }), isLocal: true };
  }
}

/** Sends the request; returns the receiver's 2xx status. */
async function request(deps: DeliverDeps, due: DueDelivery, traceparent: string | undefined): Promise<number> {
  const { tasks } = deps;
  const work = workOf(deps, due);
  if (!work) throw new Error(`The service ${due.task.service} is not enabled here.`);
  const body = due.body ?? (await tasks.saveBodyOnce(due.id, bodyOf(work, due)));
  const secret = due.secret ? deps.openSecret(due.secret) : work.webhook.secretsFor(due.task.principal);
  const { event } = work.webhook;
  return sendWebhook(deps, {
    ...{ url: due.url, deliveryId: due.id, attempt: due.attempt, taskId: due.task.id, body, secret, traceparent },
    event: typeof event === 'string' ? event : event(due.task),
    requestId: due.requestId,
  });
}

/** Serialized once by the function that also serves polls, with the webhook's initial state; all attempts send these bytes. */
function bodyOf({ present, webhook }: DeliveredWork, due: DueDelivery): string {
  const task = { ...due.task, webhook: initialWebhook(due.id) };
  const body = present(task);
  return webhook.presentTruncated && Buffer.byteLength(body) > MAX_BODY_BYTES ? webhook.presentTruncated(task) : body;
}

/** Chosen; Standard Webhooks recommends much less. */
const MAX_BODY_BYTES = 256 * 1024;

const postponed = (schedule: RetrySchedule): DeliveryOutcome => ({
  state: 'postponed',
  delayMs: (schedule[1] ?? 5) * 1000,
});
