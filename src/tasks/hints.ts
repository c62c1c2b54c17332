import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import { rest } from '../base/loop.ts';
import type { Hint } from './store.ts';

/** On which all hints go. */
export const CHANNEL = 'assay_hints';
// Commits that notify queue up on one lock of the database, so hints do not ride in the transactions of busy tasks, and one
// process sends no more than one in this time: the first at once, for a lone task waits for it, and then what gathered.
const GATHER_MS = 3;
// A hint may be lost with its connection; a look at the table now and then is what the promise rests on. All look at the
// same moment, so that a thousand waiting readers make one statement.
const LOOK_MS = 1000;

// Nothing is lost with a hint, so its commit does not wait for the disk as all others do.
const NOTIFY = {
  name: 'hint',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', hint) from unnest($1::text[]) hint`,
};

/** Hints between processes over LISTEN and NOTIFY: wake-ups that may be lost, doubled or late, and never carry data. */
export function hintsOver(db: Db) {
  const pending = new Set<Hint>();
  const listeners = new Map<Hint, Set<() => void>>();
  let listening: AbortController | undefined;
  let looking: NodeJS.Timeout | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;

  const send = async () => {
    const early = sentAt + GATHER_MS - performance.now();
    if (early > 0) await rest(early);
    sentAt = performance.now();
    const hints = [...pending];
    pending.clear();
    // Lost if the database is away: then nobody could act on it either.
    await db.query(NOTIFY, [hints]).catch(() => {});
  };

  const wakeAll = (hint?: string) => {
    for (const [what, wakes] of listeners) if (!hint || hint === what) for (const wake of wakes) wake();
  };

  return {
    hint(what: Hint): void {
      const first = pending.size === 0;
      pending.add(what);
      if (first) void send();
    },

    onHint(what: Hint, wake: () => void, signal: AbortSignal): void {
      if (signal.aborted) return;
      const wakes = listeners.get(what) ?? new Set();
      listeners.set(what, wakes.add(wake));
      if (!listening) {
        listening = new AbortController();
        void db.listen(CHANNEL, wakeAll, listening.signal);
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
