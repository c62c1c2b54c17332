import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import { sleep } from '../base/loop.ts';
import type { FinishedHint, Hint } from './store.ts';

export const HINT_CHANNEL = 'assay_hints';
// Commits with NOTIFY serialize on one database lock. So hints have transactions of their own, and a process sends at most
// one in this time: the first at once (a lone task waits for it), later ones together.
const BATCH_INTERVAL_MS = 3;
/**
 * After a hint with so many ended tasks the next one waits longer: every 3 ms, hints took a worker with 3000 tasks a second 8 % of
 * the processor time, PostgreSQL included (measured).
 */
const MANY_ENDED = 20;
const BUSY_INTERVAL_MS = 20;
// Hints may be lost with their connection, so listeners also poll. All poll at once: their reads become one statement.
const POLL_INTERVAL_MS = 1000;

/** PostgreSQL accepts payloads of less than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7900;

// Hints may be lost, so the commit does not wait for the disk.
const NOTIFY = {
  name: 'hint',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select set_config('synchronous_commit', 'off', true), pg_notify('${HINT_CHANNEL}', hint) from unnest($1::text[]) hint`,
};

/** Wake-ups between processes over LISTEN and NOTIFY; they may be lost, duplicated or late. */
export function createHints(db: Db) {
  /** By topic, with the ids of finished tasks; `undefined`: ids unknown. */
  const pending = new Map<Hint, Set<string> | undefined>();
  const listeners = new Map<string, Set<() => void>>();
  let listening: AbortController | undefined;
  let polling: NodeJS.Timeout | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;
  let intervalMs = BATCH_INTERVAL_MS;

  const send = async () => {
    const waitMs = sentAt + intervalMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    sentAt = performance.now();
    const ended = pending.get('finished')?.size ?? 0;
    intervalMs = ended < MANY_ENDED ? BATCH_INTERVAL_MS : BUSY_INTERVAL_MS;
    const payloads = [...pending].flatMap(([topic, ids]) => (ids ? toPayloads(topic, ids) : [topic]));
    pending.clear();
    await db.query(NOTIFY, [payloads]).catch(() => {});
  };

  const wake = (topic: string) => {
    for (const each of listeners.get(topic) ?? []) each();
  };
  const wakeAll = (prefix = '') => {
    for (const topic of listeners.keys()) if (topic.startsWith(prefix)) wake(topic);
  };
  const isAwaited = () => {
    for (const topic of listeners.keys()) if (topic.startsWith(finishedHint(''))) return true;
    return false;
  };
  /** An empty payload means that hints may have been missed. */
  const receive = (payload: string) => {
    // A worker listens to no task, and receives the ids of all that end.
    if (payload.startsWith('finished ') && !isAwaited()) return wake('finished');
    const [topic = '', ...ids] = payload.split(' ');
    if (topic === '') return wakeAll();
    wake(topic);
    if (ids.length > 0) for (const id of ids) wake(finishedHint(id));
    else if (topic === 'finished') wakeAll(finishedHint(''));
  };

  return {
    hint(topic: Hint, ids?: readonly string[]): void {
      const first = pending.size === 0;
      const known = pending.has(topic) ? pending.get(topic) : new Set<string>();
      for (const id of ids ?? []) known?.add(id);
      pending.set(topic, ids && known);
      if (first) void send();
    },

    onHint(topic: Hint | FinishedHint, wake: () => void, signal: AbortSignal): void {
      if (signal.aborted) return;
      const wakes = listeners.get(topic) ?? new Set();
      listeners.set(topic, wakes.add(wake));
      if (!listening) {
        listening = new AbortController();
        void db.listen(HINT_CHANNEL, receive, listening.signal);
      }
      polling ??= setInterval(wakeAll, POLL_INTERVAL_MS).unref();
      const stop = () => {
        wakes.delete(wake);
        if (wakes.size === 0) listeners.delete(topic);
        if (listeners.size > 0) return;
        clearInterval(polling);
        polling = undefined;
      };
      signal.addEventListener('abort', stop, { once: true });
    },

    close(): void {
      listening?.abort();
      clearInterval(polling);
    },
  };
}

export const finishedHint = (id: string): FinishedHint => `finished:${id}`;

/** Splits `ids` into payloads of at most `MAX_PAYLOAD_BYTES`. */
function toPayloads(topic: Hint, ids: Iterable<string>): string[] {
  const payloads: string[] = [];
  let payload: string = topic;
  for (const id of ids) {
    if (Buffer.byteLength(payload) + id.length >= MAX_PAYLOAD_BYTES) {
      payloads.push(payload);
      payload = topic;
    }
    payload += ` ${id}`;
  }
  return [...payloads, payload];
}
