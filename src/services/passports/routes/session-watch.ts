import type { Log } from '../../../base/log.ts';
import { createSignal, loop } from '../../../base/loop.ts';
import type { EventStream, StreamEvent } from '../../../http/event-stream.ts';
import { tooManyStreams } from '../api-errors.ts';
import type { createEndedCredentials } from '../auth/ended-credentials.ts';
import type { TokenClaims, Tokens } from '../auth/tokens.ts';
import type { Caller, Document, SessionEvent } from '../documents.ts';
import { toTaskItem } from '../responses.ts';
import type { DocumentStore } from '../store/postgres.ts';

const SNAPSHOT_ITEMS = 200;
/** Leaves database connections for requests. */
const CONCURRENCY = 3;

export type SessionWatch = ReturnType<typeof watchSessions>;

interface Watcher {
  readonly caller: Caller;
  readonly stream: EventStream;
  lastSent: number | undefined;
  readonly token: TokenClaims | undefined;
}

const REVOCATION_CHECK_MS = 1000;

/**
 * Sends session events to all open streams, with one query for all sessions. Ends all streams with an `end` event when
 * `signal` aborts.
 */
export function watchSessions(deps: {
  documents: DocumentStore;
  tokens: Tokens;
  findEnded: ReturnType<typeof createEndedCredentials>;
  maxPerSession: number;
  log: Log;
  signal: AbortSignal;
}) {
  const { documents, tokens, findEnded, maxPerSession, log, signal } = deps;
  const watchers = new Set<Watcher>();
  const eventSignal = createSignal();

  async function snapshot(session: string) {
    const { items, total } = await documents.list(session, { page: 1, limit: SNAPSHOT_ITEMS });
    return { items: items.map(toTaskItem), total };
  }

  async function sendNew(watcher: Watcher): Promise<void> {
    const { caller, stream } = watcher;
    const events =
      watcher.lastSent === undefined ? undefined : await documents.events(caller.session, watcher.lastSent);
    if (events === undefined || events === 'lost') {
      // Read before the snapshot: events in between are sent twice rather than lost.
      const id = await documents.lastEvent(caller.session);
      const data = await snapshot(caller.session);
      if (events === 'lost') stream.send({ event: 'resync', data: {} });
      stream.send({ event: 'snapshot', id, data });
      watcher.lastSent = id;
      return;
    }
    if (events.length === 0) return;
    const documentsById = await loadDocuments(documents, caller, events);
    for (const event of events) stream.send(toStreamEvent(event, documentsById.get(event.task)));
    watcher.lastSent = events.at(-1)!.id;
  }

  /** The signal also fires for tasks of other services. */
  async function watchersToUpdate(): Promise<Watcher[]> {
    const all = [...watchers];
    const positions = all.flatMap(({ caller, lastSent }) =>
      lastSent === undefined ? [] : [{ session: caller.session, after: lastSent }],
    );
    const changed = positions.length > 0 ? await documents.findChangedSessions(positions) : new Set<string>();
    return all.filter(({ caller, lastSent }) => lastSent === undefined || changed.has(caller.session));
  }

  let checkedMs = Number.NEGATIVE_INFINITY;
  async function endRevokedStreams(): Promise<void> {
    for (const { stream, token } of watchers) if (token && !tokens.isValid(token)) endStream(stream);
    const open = [...watchers];
    if (open.length === 0 || performance.now() - checkedMs < REVOCATION_CHECK_MS) return;
    checkedMs = performance.now();
    for (const { stream } of await findEnded(open)) endStream(stream);
  }

  async function runIteration(): Promise<void> {
    // Notified at least once a second.
    await eventSignal.wait();
    await endRevokedStreams();
    const waiting = await watchersToUpdate();
    const worker = async () => {
      for (let watcher = waiting.pop(); watcher !== undefined; watcher = waiting.pop()) {
        if (!watcher.stream.closed.aborted) await sendNew(watcher);
      }
    };
    const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
    // Waits for all of them, so that the next iteration sends nothing twice.
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  documents.onEvents(() => eventSignal.notify(), signal);
  void loop(runIteration, {
    intervalMs: 20,
    signal,
    onError: (err) => log.warn({ err }, 'events of watched sessions could not be read; will retry'),
  });

  const endStream = (stream: EventStream) => {
    stream.send({ event: 'end', data: {} });
    stream.end();
  };
  signal.addEventListener('abort', () => {
    eventSignal.notify();
    for (const { stream } of watchers) endStream(stream);
  });

  return {
    /** Throws if the session has too many streams. */
    checkStreamLimit(session: string): void {
      const open = [...watchers].filter(({ caller }) => caller.session === session);
      if (open.length >= maxPerSession) throw tooManyStreams(maxPerSession);
    },
    /** Starts after event `lastSent`, or with a snapshot. The stream ends with its session and with its token. */
    follow(watcher: Watcher) {
      const { closed } = watcher.stream;
      if (signal.aborted) return endStream(watcher.stream);
      watchers.add(watcher);
      closed.addEventListener('abort', () => watchers.delete(watcher));
      eventSignal.notify();
    },
    snapshot,
  };
}

async function loadDocuments(documents: DocumentStore, caller: Caller, events: readonly SessionEvent[]) {
  const ids = new Set(events.filter(({ kind }) => kind === 'task').map(({ task }) => task));
  const found = new Map<string, Document | undefined>();
  for (const id of ids) found.set(id, await documents.find(caller, id));
  return found;
}

/** Details of a document that was deleted meanwhile are null. */
function toStreamEvent(event: SessionEvent, document: Document | undefined): StreamEvent {
  const { id, kind, task, status, previousStatus, at } = event;
  if (kind === 'deleted') return { event: 'deleted', id, data: { id: task } };
  return {
    event: 'task',
    id,
    data: {
      id: task,
      status,
      previous_status: previousStatus,
      filename: document?.filename ?? null,
      cached: document?.cached ?? false,
      created_at: document?.createdAt ?? null,
      error_type: document?.status === status ? document?.errorType : null,
      updated_at: at,
    },
  };
}
