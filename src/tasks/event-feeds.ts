import type { Log } from '../base/log.ts';
import { createSignal, loop } from '../base/loop.ts';
import type { EventReading, EventStore, Feed, FeedPosition } from './events.ts';
import type { Hint, TaskStore } from './store.ts';

/** Minimum time between two checks for new events. */
const CHECK_INTERVAL_MS = 20;

export type EventFeeds = ReturnType<typeof createEventFeeds>;

/**
 * Follows the event feeds of clients. One query per check finds the feeds with new events, however many are followed;
 * only those are read. Without followers there is no check.
 */
export function createEventFeeds(deps: {
  events: Pick<EventStore, 'read' | 'numberNew' | 'changedSince'>;
  tasks: Pick<TaskStore, 'onHint'>;
  services: readonly string[];
  log: Log;
  signal: AbortSignal;
}) {
  const { events, tasks, services, log, signal } = deps;
  const followers = new Map<string, Set<() => void>>();
  const check = createSignal();
  /** Events up to this number have woken their followers. Undefined: unknown, because there were no followers. */
  let checkedTo: number | undefined;

  const wakeAll = () => {
    for (const wakes of followers.values()) for (const wake of wakes) wake();
  };
  const round = async () => {
    await check.wait();
    if (followers.size === 0) {
      checkedTo = undefined;
      return;
    }
    if (await events.numberNew()) check.notify();
    const { feeds, newest } = await events.changedSince(checkedTo);
    if (checkedTo === undefined) wakeAll();
    for (const feed of feeds) for (const wake of followers.get(keyOf(feed)) ?? []) wake();
    checkedTo = newest;
  };
  /** Stored events can be read while the database accepts no writes. */
  const numberNew = () => events.numberNew().catch((err: unknown) => log.debug({ err }, 'numbering events failed'));

  let started = false;
  function start(): void {
    started = true;
    const topics: readonly Hint[] = ['finished', ...services.map((name) => `changed:${name}` as const)];
    // Notified at least once a second.
    for (const topic of topics) tasks.onHint(topic, check.notify, signal);
    void loop(round, {
      intervalMs: CHECK_INTERVAL_MS,
      signal,
      onError: (err) => log.warn({ err }, 'new events could not be read; will retry'),
    });
  }

  function follow(feed: Feed, wake: () => void): () => void {
    if (!started) start();
    const key = keyOf(feed);
    const wakes = followers.get(key) ?? new Set();
    followers.set(key, wakes.add(wake));
    return () => {
      wakes.delete(wake);
      if (wakes.size === 0 && followers.get(key) === wakes) followers.delete(key);
    };
  }

  return {
    /** Includes the events of everything committed before the call. */
    async read(feed: Feed, after: FeedPosition, limit: number): Promise<EventReading> {
      await numberNew();
      return events.read(feed, after, limit);
    },

    /** Like `read`, but waits for an event: at most `ms`, or until `stop` aborts. */
    async readNext(
      feed: Feed,
      after: FeedPosition,
      { limit, ms, stop }: { limit: number; ms: number; stop: AbortSignal },
    ): Promise<EventReading> {
      const woken = createSignal();
      // Before the read, so that no event is missed in between.
      const unfollow = follow(feed, woken.notify);
      let over = stop.aborted;
      const end = () => {
        over = true;
        woken.notify();
      };
      const timer = setTimeout(end, ms);
      stop.addEventListener('abort', end);
      try {
        await numberNew();
        for (;;) {
          const reading = await events.read(feed, after, limit);
          if (reading.outcome !== 'page' || reading.events.length > 0 || over) return reading;
          after = reading.position;
          await woken.wait();
        }
      } finally {
        clearTimeout(timer);
        stop.removeEventListener('abort', end);
        unfollow();
      }
    },
  };
}

const keyOf = ({ service, principal }: Feed) => `${service} ${principal}`;
