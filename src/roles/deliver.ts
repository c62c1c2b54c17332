import { setMaxListeners } from 'node:events';
import { isUnavailable } from '../base/db-errors.ts';
import { FetchFailed } from '../base/fetch-failed.ts';
import type { GuardedFetch } from '../base/guarded-fetch.ts';
import type { Log } from '../base/log.ts';
import { createBell, loop, rest } from '../base/loop.ts';
import { isLoopback, type UrlPolicy } from '../base/outbound-url.ts';
import type { Span, Traces } from '../base/trace.ts';
import type { TaskWork } from '../services/service.ts';
import { type SigningKeys, sign } from '../tasks/signature.ts';
import {
  type DeliveryOutcome,
  type DueDelivery,
  type DuePosition,
  newbornWebhook,
  type TaskStore,
} from '../tasks/store.ts';
import { createCircuit } from './circuit.ts';
import { type Attempt, createDeliveryQueues } from './delivery-queues.ts';
import { beginDeliverySpan, endDeliverySpan } from './delivery-span.ts';
import type { DeliveryMeters } from './meters.ts';
import { createReceiverSpeed } from './receiver-speed.ts';
import { afterFailure, type Schedule, withheld } from './retry.ts';

/** Due deliveries that one statement looks at. */
const PAGE = 1000;
/** Between two searches for deliveries that have become due. */
const SEARCH_MS = 50;
/** Between two statements that take deliveries. */
const TAKE_MS = 1;
/** Between two searches of all due deliveries: a second, or so many times as long as the last search took. */
const FULL_SEARCH_MS = 1000;
const FULL_SEARCH_REST = 20;
/** For the connection and for recording the outcome. */
const LEASE_BEYOND_TIMEOUT_MS = 15_000;

export interface DeliverNeeds {
  tasks: TaskStore;
  services: readonly { readonly name: string; readonly work?: TaskWork }[];
  fetch: GuardedFetch;
  policy: UrlPolicy;
  /** Whether clients see nothing of a receiver on this machine but that it took a callback. */
  withholdLoopback: boolean;
  signingKeys: SigningKeys;
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
 * Delivers webhooks until `signal` aborts, then waits for the attempts under way. Three loops: one finds deliveries that have
 * become due, one searches all due deliveries for those that were committed late, one begins attempts in turn.
 */
export async function deliver(needs: DeliverNeeds): Promise<void> {
  const { tasks, log } = needs;
  const signal = AbortSignal.any([needs.signal]);
  setMaxListeners(0, signal); // each outcome that is held back listens
  const speed = createReceiverSpeed();
  const queues = createDeliveryQueues(speed);
  const circuit = createCircuit();
  const underWay = new Set<Attempt>();
  const becameDue = createBell();
  const mayBegin = createBell();
  let unsettled = 0;

  const send = async (due: DueDelivery): Promise<DeliveryOutcome> => {
    if (circuit.putsOff(due)) return POSTPONED(needs.schedule);
    const slot: Attempt = { principal: due.principal, origin: due.origin, startedAt: performance.now() };
    underWay.add(slot);
    try {
      return await traced(needs, due);
    } finally {
      speed.record(due.origin, performance.now() - slot.startedAt);
      underWay.delete(slot);
      mayBegin.ring();
    }
  };

  const begin = async (due: DueDelivery) => {
    const { id, attempt, origin } = due;
    const startedAt = performance.now();
    unsettled++;
    try {
      const outcome = await send(due);
      const isWithheld = needs.withholdLoopback && isLoopback(origin);
      const told = isWithheld ? withheld(outcome, attempt, needs) : outcome;
      circuit.note(origin, told.state);
      needs.meters.attempted(due.task.service, told.state === 'pending' ? 'retry' : told.state);
      // The moment at which the client sees the outcome does not depend on the receiver either.
      if (isWithheld) await rest(Math.max(0, startedAt + needs.timeoutMs - performance.now()), signal);
      const counted = await tasks.settle(id, attempt, told);
      log.debug({ delivery: id, attempt, outcome, counted }, 'a delivery attempt ended');
    } catch (err) {
      // Not settled: its lease runs out and another attempt follows, under the same delivery id.
      log.warn({ err, delivery: id }, 'what came of a delivery could not be written down');
    } finally {
      unsettled--;
      becameDue.ring();
      mayBegin.ring();
    }
  };

  /** Reads pages of due deliveries, from `after` to the last one; answers where the next search begins. */
  const search = async (after?: DuePosition): Promise<DuePosition> => {
    for (;;) {
      const page = await tasks.findDue(PAGE, after);
      page.queues.forEach(queues.add);
      if (page.queues.length > 0) mayBegin.ring();
      if (page.isLast || signal.aborted) return page.next;
      after = page.next;
    }
  };

  let newest: DuePosition | undefined;
  const searchNew = async () => {
    await becameDue.wait();
    newest = await search(newest);
  };

  let fullSearchMs = 0;
  const searchAll = async () => {
    const began = performance.now();
    await search();
    fullSearchMs = performance.now() - began;
  };

  const beginInTurn = async () => {
    const wanted = queues.choose(underWay);
    if (wanted.length === 0) return mayBegin.wait();
    const taken = await tasks.takeDue(wanted, needs.timeoutMs + LEASE_BEYOND_TIMEOUT_MS).catch((error) => {
      wanted.forEach(queues.add);
      throw error;
    });
    for (const { principal, origin, limit } of wanted) {
      const its = taken.filter((due) => due.principal === principal && due.origin === origin);
      // It got all it asked for, so there may be more.
      if (its.length === limit) queues.add({ principal, origin, since: Math.max(...its.map(({ dueAt }) => dueAt)) });
    }
    for (const due of taken) void begin(due);
  };

  const onError = (err: unknown) => log.warn({ err }, 'due deliveries could not be read; trying again');
  const fullSearchRestMs = () => Math.max(FULL_SEARCH_MS, FULL_SEARCH_REST * fullSearchMs);
  becameDue.ring();
  tasks.onHint('finished', becameDue.ring, signal);
  signal.addEventListener('abort', becameDue.ring);
  signal.addEventListener('abort', mayBegin.ring);
  await Promise.all([
    loop(searchNew, { restMs: SEARCH_MS, maxRestMs: 1000, signal, onError }),
    loop(searchAll, { restMs: fullSearchRestMs, signal, onError }),
    loop(beginInTurn, { restMs: TAKE_MS, maxRestMs: 1000, signal, onError }),
  ]);
  while (unsettled > 0) await mayBegin.wait();
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
    return { state: 'delivered', statusCode: await request(needs, due, span?.traceparent ?? due.traceparent) };
  } catch (error) {
    if (error instanceof FetchFailed) return afterFailure(error, due.attempt, { schedule });
    if (isUnavailable(error)) throw error;
    // A fault of ours (a secret that does not open, a service that is not here any more) that only a new start may mend:
    // it takes the same slow schedule, or it would come back with every lease.
    const trace = span && { trace_id: span.traceId };
    log.error({ err: error, delivery: due.id, ...trace }, 'a delivery could not be made ready');
    return afterFailure({ reason: 'connect_error' }, due.attempt, { schedule });
  }
}

/** The status of the receiver's 2xx; he may go on in the trace `traceparent`. */
async function request(needs: DeliverNeeds, due: DueDelivery, traceparent: string | undefined): Promise<number> {
  const { tasks, fetch, policy, timeoutMs, signingKeys } = needs;
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
      ...sign({ id: due.id, timestamp, body, secret, ...signingKeys }),
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
