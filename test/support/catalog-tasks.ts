import { newId } from '../../src/base/ids.ts';
import type { JsonValue } from '../../src/base/json.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import type { Failure } from '../../src/tasks/task.ts';

export interface FinishedTask {
  readonly input?: JsonValue;
  readonly result?: JsonValue;
  readonly attachment?: JsonValue;
  readonly failure?: Failure;
}

/** Finishes tasks in order; returns their ids. */
export async function finishTasks(
  tasks: TaskStore,
  service: string,
  ended: readonly FinishedTask[],
): Promise<string[]> {
  const ids = ended.map(() => newId());
  const byId = new Map(ended.map((end, index) => [ids[index]!, end]));
  for (const [id, { input = {} }] of byId) {
    await tasks.accept({
      ...{ id, service, input, principal: 'token-1', priority: 'realtime', estimateSeconds: 1 },
      ...{ deadlineSeconds: 3600, ttlSeconds: 86_400 },
    });
  }
  const claim = { service, worker: 'test', leaseMs: 60_000 };
  const { claimed } = await tasks.completeAndClaim([], { ...claim, limit: ids.length });
  const attempts = new Map(claimed.map(({ id, attempt }) => [id, attempt]));
  for (const [id, { result = {}, attachment, failure }] of byId) {
    const end = failure ? { outcome: 'failed' as const, failure } : { outcome: 'done' as const, result };
    await tasks.completeAndClaim(
      [{ id, attempt: attempts.get(id)!, processingMs: 7, ...end, ...(attachment !== undefined && { attachment }) }],
      { ...claim, limit: 0 },
    );
  }
  return ids;
}
