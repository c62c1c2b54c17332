import { rest } from '../base/loop.ts';
import type { TaskWork } from '../services/service.ts';
import type { TaskStore } from '../tasks/store.ts';
import type { Demand } from './supervise.ts';

const LOOK_MS = 500;

/**
 * When a service's worker is wanted, where workers cost money while they idle: realtime work starts one at once, batch
 * work after the cost-delay window in which it gathers company; and without work for `idleSeconds` it goes again.
 */
export function demandFor(
  { name, work }: { name: string; work: TaskWork },
  tasks: TaskStore,
  { idleSeconds }: { idleSeconds: number },
): Demand {
  const depth = () => tasks.depth(name).catch(() => undefined);
  return {
    async wanted(signal) {
      for (; !signal.aborted; await rest(LOOK_MS, signal)) {
        const now = await depth();
        if (!now) continue;
        const due = (['realtime', 'batch'] as const).some(
          (priority) =>
            now.waiting[priority] > 0 && now.oldestWaitingSeconds[priority] >= work.startAfterSeconds[priority],
        );
        if (due) return;
      }
    },
    async idle(signal) {
      for (let since = Date.now(); !signal.aborted; await rest(LOOK_MS, signal)) {
        const now = await depth();
        if (!now || now.waiting.realtime + now.waiting.batch + now.processing > 0) since = Date.now();
        if (Date.now() - since > idleSeconds * 1000) return;
      }
    },
  };
}
