import type { Files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import type { Trash } from '../services/trash.ts';
import type { SweepLimits, TaskStore } from '../tasks/store.ts';
import { openAsking } from './asking.ts';
import { LEASE_MS } from './attempt.ts';
import type { TaskMeter } from './meters.ts';

const SWEEP_MS = 1000;
/** The next look comes this much later than the next lease ends: not just before it, to look again. */
const AFTER_LEASE_MS = 5;
const TIDY_MS = 60_000;
/** A sweep that ends or removes this many has more to do, and goes on at once. */
const ROWS = 1000;

export interface SweepNeeds {
  readonly tasks: TaskStore;
  /** Whose workers are told that work has come back, and what they have to tidy of their own. */
  readonly services: readonly { readonly name: string; tidy?(signal: AbortSignal): Promise<void> }[];
  /** What services that do not run here have asked of the others is taken back. */
  readonly absent: readonly (() => Promise<void>)[];
  /** Removes uploads whose time is over. */
  readonly expiredUploads: Trash;
  readonly files: Files;
  readonly limits: Pick<SweepLimits, 'maxAttempts' | 'batchMaxWaitSeconds'>;
  readonly meter: TaskMeter;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Keeps house until `signal` aborts: lost leases, deadlines, ageing and expiry every second and whenever a lease ends that
 * nobody has renewed, files every minute.
 */
export async function sweep(needs: SweepNeeds): Promise<void> {
  const { tasks, services, absent, expiredUploads, files, limits, meter, log, signal } = needs;
  const onError = (err: unknown) => log.warn({ err }, 'the sweep could not be done; the next one will');
  const names = services.map(({ name }) => name);
  const asking = openAsking();
  let restMs = SWEEP_MS;
  const round = async () => {
    restMs = SWEEP_MS;
    const since = asking.since();
    const asked = since && { since, leaseMs: LEASE_MS };
    let answeredAt: Date | undefined;
    for (let more = true; more && !signal.aborted; ) {
      const swept = await tasks.sweep({ ...limits, ...(asked && { asked }), services: names, rows: ROWS });
      answeredAt ??= swept.at;
      const failed = Object.entries(swept.failed);
      for (const [service, count] of failed) meter.ended(service, 'failed', count);
      if (failed.length > 0) tasks.hint('finished');
      if (swept.returned > 0) {
        for (const name of names) tasks.hint(`waiting:${name}`);
        log.info(swept, 'lost leases went back to the queue');
      }
      for (const { id, error } of swept.skipped) log.error({ err: error, task: id }, 'this task cannot be swept');
      if (swept.spared > 0) log.warn(swept, 'the database was away: leases that ran out meanwhile go on for a while');
      const { removed, returned, promoted, spared } = swept;
      const touched = failed.reduce((sum, [, count]) => sum + count, removed + returned + promoted + spared);
      more = touched >= ROWS;
      if (swept.nextLeaseMs !== null) restMs = Math.min(SWEEP_MS, Math.ceil(swept.nextLeaseMs) + AFTER_LEASE_MS);
    }
    if (answeredAt) asking.answered(answeredAt);
  };
  const tidy = async () => {
    await expiredUploads.empty(signal);
    await files.tidy();
    // One that fails must not keep the others.
    for (const service of services) await service.tidy?.(signal).catch(onError);
    for (const takeBack of absent) await takeBack().catch(onError);
  };
  await Promise.all([
    loop(round, { restMs: () => restMs, signal, onError }),
    loop(tidy, { restMs: TIDY_MS, signal, onError }),
  ]);
}
