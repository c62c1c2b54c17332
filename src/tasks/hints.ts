import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import { rest } from '../base/loop.ts';
import type { Hint, OneFinished } from './store.ts';

/** On which all hints go. */
export const CHANNEL = 'assay_hints';
// Commits that notify queue up on one lock of the database, so hints do not ride in the transactions of busy tasks, and one
// process sends no more than one in this time: the first at once, for a lone task waits for it, and then what gathered.
const GATHER_MS = 3;
// A hint may be lost with its connection; a look at the table now and then is what the promise rests on. All look at the
// same moment, so that a thousand waiting readers make one statement.
const LOOK_MS = 1000;

/** PostgreSQL takes payloads of less than 8000 bytes. */
const PAYLOAD_BYTES = 7900;

// Nothing is lost with a hint, so its commit does not wait for the disk as all others do.
const NOTIFY = {
  name: 'hint',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', hint) from unnest($1::text[]) hint`,
};

/** Hints between processes over LISTEN and NOTIFY: wake-ups that may be lost, doubled or late, and never carry data. */
export function hintsOver(db: Db) {
  /** With the ids of finished tasks; `undefined`: of tasks whose ids are not known. */
  const pending = new Map<Hint, Set<string> | undefined>();
  const listeners = new Map<string, Set<() => void>>();
  let listening: AbortController | undefined;
  let looking: NodeJS.Timeout | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;

  const send = async () => {
    const early = sentAt + GATHER_MS - performance.now();
    if (early > 0) await rest(early);
    sentAt = performance.now();
    const payloads = [...pending].flatMap(([what, ids]) => (ids ? withIds(what, ids) : [what]));
    pending.clear();
    // Lost if the database is away: then nobody could act on it either.
    await db.query(NOTIFY, [payloads]).catch(() => {});
  };

  const wake = (topic: string) => {
    for (const each of listeners.get(topic) ?? []) each();
  };
  const wakeAll = (prefix = '') => {
    for (const topic of listeners.keys()) if (topic.startsWith(prefix)) wake(topic);
  };
  /** An empty payload says that hints may have been missed. */
  const receive = (payload: string) => {
    const [what = '', ...ids] = payload.split(' ');
    if (what === '') return wakeAll();
    wake(what);
    if (ids.length > 0) for (const id of ids) wake(oneFinished(id));
    else if (what === 'finished') wakeAll(oneFinished(''));
  };

  return {
    hint(what: Hint, ids?: readonly string[]): void {
      const first = pending.size === 0;
      const known = pending.has(what) ? pending.get(what) : new Set<string>();
      for (const id of ids ?? []) known?.add(id);
      pending.set(what, ids && known);
      if (first) void send();
    },

    onHint(what: Hint | OneFinished, wake: () => void, signal: AbortSignal): void {
      if (signal.aborted) return;
      const wakes = listeners.get(what) ?? new Set();
      listeners.set(what, wakes.add(wake));
      if (!listening) {
        listening = new AbortController();
        void db.listen(CHANNEL, receive, listening.signal);
      }
      looking ??= setInterval(wakeAll, LOOK_MS).unref();
      const leave = () => {
        wakes.delete(wake);
        if (wakes.size === 0) listeners.delete(what);
        if (listeners.size > 0) return;
        clearInterval(looking);
        looking = undefined;
      };
      signal.addEventListener('abort', leave, { once: true });
    },

    close(): void {
      listening?.abort();
      clearInterval(looking);
    },
  };
}

export const oneFinished = (id: string): OneFinished => `finished:${id}`;

/** As many payloads as it takes to name all of `ids`. */
function withIds(what: Hint, ids: Iterable<string>): string[] {
  const payloads: string[] = [];
  let payload: string = what;
  for (const id of ids) {
    if (Buffer.byteLength(payload) + id.length >= PAYLOAD_BYTES) {
      payloads.push(payload);
      payload = what;
    }
    payload += ` ${id}`;
  }
  return [...payloads, payload];
}
