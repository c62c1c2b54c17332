import { AssayError, type EventOptions, NetworkProblem, Unauthorized } from '../client/index.ts';
import type { Server } from './resolve-server.ts';

interface TaskEvents {
  events(options: EventOptions): AsyncIterable<{ readonly type: string; readonly task_id: string }>;
}

/** Resolves when the server reports the end of a task; undefined where nothing is followed. */
export type EndOf = (taskId: string) => Promise<void> | undefined;

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
  const ends = new Map<string, { readonly ended: Promise<void>; readonly end: () => void }>();
  const entryOf = (id: string) => {
    const known = ends.get(id);
    if (known) return known;
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const entry = { ended, end };
    ends.set(id, entry);
    return entry;
  };
  const stop = new AbortController();
  const following = AbortSignal.any([signal, stop.signal]);
  const follow = async (after: string) => {
    for await (const { type, task_id: id } of service.events({ after, signal: following }))
      if (type.endsWith('.terminal')) entryOf(id).end();
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
    return await run((id) => entryOf(id).ended);
  } finally {
    stop.abort();
  }
}
