import type { Log } from '../../../base/log.ts';
import { createBell, loop } from '../../../base/loop.ts';
import type { EventStream, StreamEvent } from '../../../http/event-stream.ts';
import type { Holder, Tokens } from '../auth/tokens.ts';
import type { Visits } from '../auth/visits.ts';
import type { Caller, Document, Documents, SessionEvent } from '../documents.ts';
import { tooManyStreams } from '../refusals.ts';
import { taskItem } from '../wire.ts';

/** As many documents as a snapshot shows; a list knows the others. */
const SNAPSHOT_ITEMS = 200;
/** Questions to the store at a time: watching must leave connections for everybody else. */
const AT_ONCE = 3;

/** Tells what happens in sessions to whoever watches them, from one look at the store for all of them. */
export interface SessionWatch {
  /** Refuses a stream too many, before anything was answered. */
  admit(session: string): void;
  /**
   * Follows the session until the stream is over: from after `after`, or from a snapshot. A stream ends with its session
   * and with the token that opened it.
   */
  follow(caller: Caller, stream: EventStream, from: { after: number | undefined; token: Holder | undefined }): void;
  snapshot(session: string): Promise<{ items: object[]; total: number }>;
}

interface Watcher {
  readonly caller: Caller;
  readonly stream: EventStream;
  /** The number of the event that was sent last; undefined before the first. */
  seen: number | undefined;
  readonly token: Holder | undefined;
}

/** Sessions and tokens that were given back are looked up so often, whatever happens meanwhile. */
const REVOCATION_CHECK_MS = 1000;

/** `mostPerSession` streams at a time; when `signal` aborts each of them is told that it ends, and ended. */
export function watchSessions(needs: {
  documents: Documents;
  tokens: Pick<Tokens, 'keeps'>;
  visits: Pick<Visits, 'over'>;
  mostPerSession: number;
  log: Log;
  signal: AbortSignal;
}): SessionWatch {
  const { documents, tokens, visits, mostPerSession, log, signal } = needs;
  const watchers = new Map<string, Set<Watcher>>();
  const bell = createBell();

  async function snapshot(session: string) {
    const { items, total } = await documents.list(session, { page: 1, limit: SNAPSHOT_ITEMS });
    return { items: items.map(taskItem), total };
  }

  /** Sends what is new to one watcher. */
  async function tell(watcher: Watcher): Promise<void> {
    const { caller, stream } = watcher;
    const news = watcher.seen === undefined ? undefined : await documents.events(caller.session, watcher.seen);
    if (news === undefined || news === 'lost') {
      // Asked first: what happens in between is told twice rather than never.
      const id = await documents.lastEvent(caller.session);
      const data = await snapshot(caller.session);
      if (news === 'lost') stream.send({ event: 'resync', data: {} });
      stream.send({ event: 'snapshot', id, data });
      watcher.seen = id;
      return;
    }
    if (news.length === 0) return;
    const known = await byId(documents, caller, news);
    for (const event of news) stream.send(message(event, known.get(event.task)));
    watcher.seen = news.at(-1)!.id;
  }

  const everybody = () => [...watchers.values()].flatMap((each) => [...each]);

  /** Who has just come, and whose session has news: the bell rings for every task there is, of other services too. */
  async function waitingForWord(): Promise<Watcher[]> {
    const all = everybody();
    const known = all.flatMap(({ caller, seen }) =>
      seen === undefined ? [] : [{ session: caller.session, after: seen }],
    );
    const stirred = known.length > 0 ? await documents.stirred(known) : new Set<string>();
    return all.filter(({ caller, seen }) => seen === undefined || stirred.has(caller.session));
  }

  let checkedMs = Number.NEGATIVE_INFINITY;
  /** Ends the streams whose session or token was given back or has expired. */
  async function endRevoked(): Promise<void> {
    for (const { stream, token } of everybody()) if (token && !tokens.keeps(token)) endOf(stream);
    const open = everybody();
    if (open.length === 0 || performance.now() - checkedMs < REVOCATION_CHECK_MS) return;
    checkedMs = performance.now();
    const over = await visits.over({
      sessions: [...new Set(open.map(({ caller }) => caller.session).filter(isOfCookie))],
      tokens: [...new Set(open.flatMap(({ token }) => token?.jti ?? []))],
    });
    for (const { caller, stream, token } of open) {
      if (over.has(caller.session) || (token && over.has(token.jti))) endOf(stream);
    }
  }

  async function round(): Promise<void> {
    // The bell rings once a second at least.
    await bell.wait();
    await endRevoked();
    const waiting = await waitingForWord();
    const line = async () => {
      for (let watcher = waiting.pop(); watcher !== undefined; watcher = waiting.pop()) {
        if (!watcher.stream.over.aborted) await tell(watcher);
      }
    };
    const lines = await Promise.allSettled(Array.from({ length: AT_ONCE }, line));
    // Not before all of them have ended: nobody is to be told the same by this round and the next.
    for (const one of lines) if (one.status === 'rejected') throw one.reason;
  }

  documents.onEvents(() => bell.ring(), signal);
  void loop(round, {
    restMs: 20,
    signal,
    onError: (err) => log.warn({ err }, 'watched sessions could not be read; the next look may'),
  });

  const endOf = (stream: EventStream) => {
    stream.send({ event: 'end', data: {} });
    stream.end();
  };
  signal.addEventListener('abort', () => {
    bell.ring();
    for (const { stream } of everybody()) endOf(stream);
  });

  return {
    admit(session) {
      if ((watchers.get(session)?.size ?? 0) >= mostPerSession) throw tooManyStreams(mostPerSession);
    },
    follow(caller, stream, { after, token }) {
      // It came while the service was about to stop.
      if (signal.aborted) return endOf(stream);
      const watcher: Watcher = { caller, stream, seen: after, token };
      const beside = watchers.get(caller.session) ?? new Set();
      watchers.set(caller.session, beside.add(watcher));
      stream.over.addEventListener('abort', () => {
        beside.delete(watcher);
        if (beside.size === 0) watchers.delete(caller.session);
      });
      bell.ring();
    },
    snapshot,
  };
}

/** A key without a cookie has a session of its own, which ends with the key. */
const isOfCookie = (session: string) => !session.startsWith('key:');

async function byId(documents: Documents, caller: Caller, events: readonly SessionEvent[]) {
  const ids = new Set(events.filter(({ kind }) => kind === 'task').map(({ task }) => task));
  const found = new Map<string, Document>();
  for (const id of ids) {
    const document = await documents.find(caller, id);
    if (document !== undefined) found.set(id, document);
  }
  return found;
}

/** Of a document that has gone since only the event itself can tell. */
function message(event: SessionEvent, document: Document | undefined): StreamEvent {
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
      created_at: document?.createdAt.toISOString() ?? null,
      error_type: document?.status === status ? document?.errorType : null,
      updated_at: at.toISOString(),
    },
  };
}
