import type { Files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import { createTimeShare } from '../base/time-share.ts';
import type { FileDeletionQueue } from '../services/shared/file-deletion-queue.ts';
import { sandboxQueue } from '../services/shared/sandbox/queue.ts';
import type { Sandbox } from '../services/shared/sandbox/sandbox.ts';
import type { EventStore } from '../tasks/events.ts';
import type { SweepLimits, TaskStore } from '../tasks/store.ts';
import { LEASE_MS } from './attempt.ts';
import type { TaskMetrics } from './metrics.ts';
import { createOutageClock } from './outage-clock.ts';
import { runSandbox } from './sandbox.ts';

const SWEEP_INTERVAL_MS = 1000;
/** The next sweep runs this long after the next lease expires, to avoid running just before it. */
const AFTER_LEASE_MS = 5;
/** Of the completion of batches: interval, share of the time, and maximum pause. */
const COMPLETING_INTERVAL_MS = 1000;
const COMPLETING_SHARE = 0.1;
const MAX_COMPLETING_PAUSE_MS = 60_000;
const CLEANUP_INTERVAL_MS = 60_000;
/** Larger batches cost less per event. */
const NUMBERING_INTERVAL_MS = 5_000;
/** A sweep that changes this many rows is repeated at once. */
const ROWS = 1000;

export interface SweepDeps {
  readonly tasks: TaskStore;
  readonly events: Pick<EventStore, 'numberNew' | 'deleteExpired'>;
  /** Services whose workers are notified of requeued tasks, with the cleanup of their own data. */
  readonly services: readonly {
    readonly name: string;
    readonly sandbox?: Sandbox;
    cleanup?(signal: AbortSignal): Promise<void>;
  }[];
  /** Of the tables of tasks, and of services that need not be in this database. */
  readonly databaseCleanups: readonly (() => Promise<void>)[];
  /** Deletes expired uploads. */
  readonly expiredUploads: FileDeletionQueue;
  readonly files: Files;
  /** Deletes stored files that no row refers to. */
  readonly orphans: { step(signal: AbortSignal): Promise<void> };
  readonly limits: Pick<SweepLimits, 'maxAttempts' | 'batchMaxWaitSeconds'>;
  readonly taskMetrics: TaskMetrics;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Runs cleanup until `signal` aborts: leases, deadlines, promotion and expiry every second and after each lease expiry, ended
 * batches every second, the numbering of events every five seconds, files and expired events every minute. Ends the tasks of
 * sandbox credentials.
 */
export async function sweep(deps: SweepDeps): Promise<void> {
  const { tasks, events, services, databaseCleanups, expiredUploads, files, limits, taskMetrics } = deps;
  const { log, signal } = deps;
  const onError = (err: unknown) => log.warn({ err }, 'the sweep failed; retrying');
  const names = services.map(({ name }) => name);
  const queues = services.flatMap(({ name, sandbox }) => (sandbox ? [name, sandboxQueue(name)] : [name]));
  const outageClock = createOutageClock();
  let restMs = SWEEP_INTERVAL_MS;
  const round = async () => {
    restMs = SWEEP_INTERVAL_MS;
    const since = outageClock.beginAttempt();
    const outage = since && { since, leaseMs: LEASE_MS };
    let answeredAt: Date | undefined;
    for (let more = true; more && !signal.aborted; ) {
      const swept = await tasks.sweep({ ...limits, ...(outage && { outage }), services: names, rows: ROWS });
      answeredAt ??= swept.at;
      const failed = Object.entries(swept.failed);
      for (const [service, count] of failed)
        if (names.includes(service)) taskMetrics.countFinished(service, 'failed', count);
      if (failed.length > 0) tasks.hint('finished');
      if (swept.returned > 0) {
        for (const queue of queues) tasks.hint(`waiting:${queue}`);
        log.warn({ ...swept, reason: 'WORKER_LOST' }, 'tasks with expired leases were requeued');
      }
      for (const { id, error } of swept.skipped) log.error({ err: error, task: id }, 'sweeping this task failed');
      if (swept.extended > 0) log.warn(swept, 'leases that expired during a database outage were extended');
      const { removed, returned, promoted, extended } = swept;
      const touched = failed.reduce((sum, [, count]) => sum + count, removed + returned + promoted + extended);
      more = touched >= ROWS;
      if (swept.nextLeaseMs !== null)
        restMs = Math.min(SWEEP_INTERVAL_MS, Math.ceil(swept.nextLeaseMs) + AFTER_LEASE_MS);
    }
    if (answeredAt) outageClock.recordResponse(answeredAt);
  };
  // Its time grows with the number of open batches.
  const completing = createTimeShare(COMPLETING_SHARE, { leastMs: 0, mostMs: MAX_COMPLETING_PAUSE_MS });
  const completeBatches = async () => {
    if (!completing.isDue()) return;
    const completed = await completing.spend(() => tasks.batches.completeEnded(names));
    if (completed.length > 0) tasks.hint('finished', completed);
  };
  const cleanUp = async () => {
    await events.deleteExpired(signal).catch(onError);
    await expiredUploads.drain(signal);
    // A failing cleanup does not stop the others.
    await files.cleanup().catch(onError);
    await deps.orphans.step(signal).catch(onError);
    for (const service of services) await service.cleanup?.(signal).catch(onError);
    for (const cleanUp of databaseCleanups) await cleanUp().catch(onError);
  };
  // Also without readers, so that none finds a long backlog.
  const numberEvents = async () => {
    while ((await events.numberNew()) && !signal.aborted);
  };
  await Promise.all([
    loop(numberEvents, { intervalMs: NUMBERING_INTERVAL_MS, signal, onError }),
    loop(round, { intervalMs: () => restMs, signal, onError }),
    loop(completeBatches, { intervalMs: COMPLETING_INTERVAL_MS, signal, onError }),
    loop(cleanUp, { intervalMs: CLEANUP_INTERVAL_MS, signal, onError }),
    ...services.flatMap(({ name, sandbox }) =>
      sandbox ? [runSandbox({ service: name, sandbox, tasks, log, signal })] : [],
    ),
  ]);
}
