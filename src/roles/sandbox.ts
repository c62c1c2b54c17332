import { setMaxListeners } from 'node:events';
import { newId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { createSignal, loop, sleep } from '../base/loop.ts';
import { sandboxQueue } from '../services/shared/sandbox/queue.ts';
import { inputOf, type Sandbox } from '../services/shared/sandbox/sandbox.ts';
import type { AttemptResult, Claim, TaskStore } from '../tasks/store.ts';
import { LEASE_MS } from './attempt.ts';

/** Sandbox tasks stay queued for at most this time, so that clients can see the state. */
const QUEUED_MS = 200;
const RETRY_MS = 100;
const BATCH = 100;
/** Progress reports of an attempt that takes time. */
const STEPS = 4;

/**
 * Ends the sandbox tasks of a service as their inputs specify, until `signal` aborts. It uses the task engine like a worker, but no
 * model, and needs no worker of the service.
 */
export async function runSandbox(deps: {
  service: string;
  sandbox: Sandbox;
  tasks: TaskStore;
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const { sandbox, tasks, log } = deps;
  const signal = AbortSignal.any([deps.signal]);
  setMaxListeners(0, signal); // each attempt that takes time adds a listener
  const service = sandboxQueue(deps.service);
  const worker = `${service}-${newId().slice(-12).toLowerCase()}`;
  const due = createSignal();

  const end = (ending: AttemptResult) =>
    tasks.completeAndClaim([ending], { service, worker, limit: 0, leaseMs: LEASE_MS });

  /** False once the task was cancelled or taken over. */
  const renew = async ({ id, attempt }: Claim, leaseMs: number, progress?: number): Promise<boolean> => {
    const held = await tasks.renew(worker, [{ id, attempt, leaseMs, ...(progress !== undefined && { progress }) }]);
    return held.length > 0;
  };

  const runAttempt = async (claim: Claim): Promise<void> => {
    const { id, attempt } = claim;
    const begun = performance.now();
    const { earlierAttempts = [], durationMs = 0, failure, isDeleted } = inputOf(sandbox, claim.input);
    const earlier = earlierAttempts[attempt - 1];
    if (earlier === 'lost') {
      // The cleanup requeues the task when this lease has expired, as after a crash.
      await renew(claim, 1);
      return;
    }
    if (earlier === 'failed') {
      await end({ id, attempt, outcome: 'again', delayMs: RETRY_MS, reason: sandbox.transientCode });
      void sleep(RETRY_MS, signal).then(due.notify);
      return;
    }
    if (isDeleted) {
      await tasks.remove(service, [id]);
      return tasks.hint('finished', [id]);
    }
    for (let step = 1; durationMs > 0 && step <= STEPS; step++) {
      await sleep(durationMs / STEPS, signal);
      if (!(await renew(claim, LEASE_MS, step / (STEPS + 1)))) return;
    }
    const processingMs = performance.now() - begun;
    await end(
      failure
        ? { id, attempt, outcome: 'failed', failure, processingMs }
        : { id, attempt, outcome: 'done', processingMs, ...sandbox.outcome },
    );
    tasks.hint('finished', [id]);
  };

  const round = async () => {
    await due.wait();
    await sleep(QUEUED_MS, signal);
    let claimed: readonly Claim[];
    do {
      ({ claimed } = await tasks.completeAndClaim([], { service, worker, limit: BATCH, leaseMs: LEASE_MS }));
      // After an error the lease expires, and the attempt is repeated.
      for (const claim of claimed)
        void runAttempt(claim).catch((err: unknown) => log.warn({ err, task: claim.id }, 'a sandbox attempt failed'));
    } while (claimed.length > 0 && !signal.aborted);
  };
  tasks.onHint(`waiting:${service}`, due.notify, signal);
  signal.addEventListener('abort', due.notify);
  await loop(round, { intervalMs: 0, maxIntervalMs: 1000, signal, onError: (err) => log.warn({ err }, 'retrying') });
}
