import { sleep } from '../base/loop.ts';
import type { TaskService } from '../services/shared/service.ts';
import type { TaskStore } from '../tasks/store.ts';
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
  const depth = () => tasks.queueDepth(name).catch(() => undefined);
  return {
    async waitUntilNeeded(signal) {
      for (; !signal.aborted; await sleep(POLL_INTERVAL_MS, signal)) {
        const current = await depth();
        if (!current) continue;
        const due = (['realtime', 'batch'] as const).some(
          (priority) =>
            current.waiting[priority] > 0 && current.oldestWaitingSeconds[priority] >= work.startAfterSeconds[priority],
        );
        if (due) return;
      }
    },
    async waitUntilIdle(signal) {
      for (let since = Date.now(); !signal.aborted; await sleep(POLL_INTERVAL_MS, signal)) {
        const current = await depth();
        if (!current || current.waiting.realtime + current.waiting.batch + current.processing > 0) since = Date.now();
        if (Date.now() - since > idleSeconds * 1000) return;
      }
    },
  };
}
