import { AssayError, type EventOptions, NetworkProblem, Unauthorized } from '../client/index.ts';
import type { Server } from './resolve-server.ts';

interface TaskEvents {
  events(options: EventOptions): AsyncIterable<{ readonly type: string; readonly task_id: string }>;
}

/** Resolves when the server reports the end of a task; undefined where nothing is followed. */
export type EndOf = (taskId: string) => Promise<void> | undefined;

/** Chosen: far more than other programs end during a request; beyond it, a wait polls. */
const MAX_EARLY = 10_000;

/**
 * Runs `run`, which creates tasks and waits for them, and follows the events of another server meanwhile: each result is read
 * when its task has ended instead of after its estimate. Without events, the waits poll. On this machine they long-poll.
 */
export async function withTaskEnds<T>(
  service: TaskEvents,
  { polling, signal }: Pick<Server, 'polling'> & { readonly signal: AbortSignal },
  run: (endOf: EndOf) => Promise<T>,
): Promise<T> {
  if (polling !== 'specification') return run(() => undefined);
  const waiting = new Map<string, () => void>();
  /** Ended tasks that nothing waits for: those whose response is on its way, and those of other programs. */
  const early = new Set<string>();
  const end = (id: string) => {
    waiting.get(id)?.();
    if (waiting.delete(id)) return;
    early.add(id);
    const [oldest] = early;
    if (early.size > MAX_EARLY) early.delete(oldest!);
  };
  const endOf: EndOf = (id) =>
    early.delete(id) ? Promise.resolve() : new Promise((resolve) => waiting.set(id, resolve));
  const stop = new AbortController();
  const following = AbortSignal.any([signal, stop.signal]);
  const follow = async (after: string) => {
    for await (const { type, task_id: id } of service.events({ after, signal: following }))
      if (type.endsWith('.terminal')) end(id);
  };
  // Read before the first task is created, so that no end is missed.
  let cursor: string | undefined;
  const onCursor = (position: string) => (cursor = position);
  const drain = async () => {
    for await (const _ of service.events({ after: 'latest', follow: false, onCursor, signal: following }));
  };
  await drain().catch((error: unknown) => {
    // What every request would meet; other errors are only of the events.
    if (!(error instanceof AssayError) || error instanceof NetworkProblem || error instanceof Unauthorized) throw error;
  });
  if (cursor !== undefined) void follow(cursor).catch(() => {});
  try {
    return await run(endOf);
  } finally {
    stop.abort();
  }
}
