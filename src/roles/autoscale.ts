import { sleep } from '../base/loop.ts';
import type { TaskService } from '../services/shared/service.ts';
import type { Depth, TaskStore } from '../tasks/store.ts';
import type { Demand } from './supervise.ts';

const POLL_INTERVAL_MS = 500;

/**
 * Starts a service's worker on demand: at once for realtime tasks, after `startAfterSeconds` for batch tasks. Stops it after
 * `idleSeconds` without tasks.
 */
export function createDemand(
  { name, work }: Pick<TaskService, 'name' | 'work'>,
  tasks: TaskStore,
  { idleSeconds }: { idleSeconds: number },
): Demand {
  /** Polls until `isReached`; the depth is undefined while the database does not respond. */
  const waitUntil = async (isReached: (depth: Depth | undefined) => boolean, signal: AbortSignal) => {
    while (!signal.aborted) {
      if (isReached(await tasks.queueDepth(name).catch(() => undefined))) return;
      await sleep(POLL_INTERVAL_MS, signal);
    }
  };
  const isNeeded = (depth: Depth | undefined) =>
    depth !== undefined &&
    (['realtime', 'batch'] as const).some(
      (priority) =>
        depth.waiting[priority] > 0 && depth.oldestWaitingSeconds[priority] >= work.startAfterSeconds[priority],
    );
  const isBusy = (depth: Depth | undefined) =>
    !depth || depth.waiting.realtime + depth.waiting.batch + depth.processing > 0;
  return {
    waitUntilNeeded: (signal) => waitUntil(isNeeded, signal),
    waitUntilIdle(signal) {
      let idleSince = Date.now();
      return waitUntil((depth) => {
        if (isBusy(depth)) idleSince = Date.now();
        return Date.now() - idleSince > idleSeconds * 1000;
      }, signal);
    },
  };
}
