import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop, rest } from '../base/loop.ts';
import { type Allowance, type Limiter, type Question, slidingWindow, type Window } from './rate-limit.ts';
import { AT_ONCE, beat, forgetOld, hold, KEPT_SECONDS, lease, leave, type Seen } from './rate-points.ts';

/** Limiters of one process that count together with those of all gateways on the same database. */
export interface SharedLimits {
  /** The limiter of this name, one for all gateways; `undefined` for a limit of 0, which means no limit. */
  window(name: string, allowance: Allowance): Limiter | undefined;
  /** How this gateway counts now. */
  mode(): Mode;
  /** Resolves when it has left, after `signal` has aborted. */
  readonly left: Promise<void>;
}

/**
 * `joining`: it does not know yet whether there are others. `alone`: the whole limit is its own, counted in its memory.
 * `sharing`: it lets through what it holds points for. `unshared`: it should share, and the database does not answer: it
 * counts for itself until it does, since a limiter that is out of order must not be a service that is out of order.
 */
export type Mode = 'joining' | 'alone' | 'sharing' | 'unshared';

const BEAT_MS = 1_000;
/** A newcomer looks more often whether the others have noticed it: its first requests wait. */
const JOIN_MS = 50;
const CLEAN_EVERY = 10;
/** A request that is counted waits no longer, whatever it waits for: finding the others, or a database that is silent. */
const ANSWER_MS = 5_000;

/** Begins to share, and goes on until `signal` aborts. Nothing is waited for: the first requests that are counted wait. */
export function shareLimits(needs: {
  db: Db;
  /** This gateway's name among the others. */
  id: string;
  registry: Registry;
  log: Log;
  signal: AbortSignal;
  now?: () => number;
  beatMs?: number;
}): SharedLimits {
  const { db, id, registry, log, signal, now = () => performance.now(), beatMs = BEAT_MS } = needs;
  const windows: Window[] = [];
  let mode: Mode = 'joining';
  let others = 0;
  let seenAt = Number.NEGATIVE_INFINITY;
  let joined: () => void;
  const known = new Promise<void>((resolve) => {
    joined = resolve;
  });
  const failures = measure(registry, () => (mode === 'sharing' ? others + 1 : 1));

  /** What is held is told and asked for by one statement at a time, so that none overtakes another. */
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = last.then(act);
    last = turn.catch(() => {});
    return turn;
  }

  function enter(next: Mode): void {
    if (next !== mode) log.info({ mode: next, others }, MODES[next]);
    mode = next;
    if (next !== 'joining') joined();
  }

  function failOpen(err: unknown): void {
    if (signal.aborted || mode === 'alone') return;
    failures.inc();
    if (mode !== 'unshared') log.warn({ err }, 'rate limits cannot be shared now');
    enter('unshared');
  }

  const tell = (what: 'all' | 'news') =>
    inTurn(async () => {
      const told = windows.flatMap((window) => window.untold(what));
      for (let from = 0; from < told.length; from += AT_ONCE) await hold(db, id, told.slice(from, from + AT_ONCE));
    });

  async function beginSharing(): Promise<void> {
    for (const window of windows) window.beginSharing();
    enter('sharing');
    await tell('all');
    await beat(db, { id, shares: true });
  }

  async function look(): Promise<Seen> {
    const seen = await beat(db, { id, shares: mode === 'joining' || mode === 'sharing' });
    others = seen.living;
    if (seen.others > 0) seenAt = performance.now();
    return seen;
  }

  async function join(): Promise<void> {
    // Of two that begin at the same moment one may not see the other when it says so, but then the other sees it.
    await look();
    for (let seen = await look(); !signal.aborted; seen = await look()) {
      if (seen.others === 0 && (await staysAlone())) return enter('alone');
      if (seen.others > 0 && seen.silent === 0) return enter('sharing');
      await rest(Math.min(JOIN_MS, beatMs), signal);
    }
  }

  /** That it shares no more is said before it is so, and looked at again: whoever came meanwhile had been told that it shares. */
  async function staysAlone(): Promise<boolean> {
    await beat(db, { id, shares: false });
    return (await beat(db, { id, shares: false })).others === 0;
  }

  let turns = 0;
  async function turn(): Promise<void> {
    if (mode === 'joining') return join();
    await look();
    // What one that has left or died has let through still counts for a while.
    const shared = performance.now() - seenAt < KEPT_SECONDS * 1000;
    if (!shared) enter('alone');
    else if (mode === 'sharing') await tell('news');
    else await beginSharing();
    if (turns++ % CLEAN_EVERY === 0) await forgetOld(db);
  }

  const pending: Question[] = [];
  function ask(question: Question): Promise<void> {
    pending.push(question);
    const over = new AbortController();
    const late = rest(ANSWER_MS, over.signal).then(() => {
      throw new Error('The database has not said in time what is left of a limit.');
    });
    // All that come while another is under way are put together; whoever comes first puts them.
    const answer = known.then(() => inTurn(askAll));
    return Promise.race([answer, late])
      .catch(failOpen)
      .finally(() => over.abort());
  }

  async function askAll(): Promise<void> {
    const questions = pending.splice(0, AT_ONCE);
    if (mode !== 'sharing' || questions.length === 0) return;
    const wishes = questions.map(({ wish }) => wish());
    const answers = await lease(db, id, wishes);
    const byBucket = new Map(answers.map((answer) => [answer.bucket, answer]));
    for (const [at, { answered }] of questions.entries()) answered(byBucket.get(wishes[at]!.bucket)!);
  }

  const running = loop(turn, { restMs: beatMs, maxRestMs: 2 * beatMs, signal, onError: failOpen });
  return {
    mode: () => mode,
    left: running.then(() => leave(db, id)).catch(() => {}),
    window(name, allowance) {
      const shares = () => mode === 'sharing' || mode === 'joining';
      const window = slidingWindow({ ...allowance, name, now, sharing: { shares, ask } });
      if (window) windows.push(window);
      return window;
    },
  };
}

const MODES: Readonly<Record<Mode, string>> = {
  joining: 'looking for other gateways',
  alone: 'the only gateway: rate limits are counted in memory',
  sharing: 'one of several gateways: rate limits are shared',
  unshared: 'rate limits are counted for this gateway alone',
};

function measure(registry: Registry, gateways: () => number): Counter {
  const registers = [registry];
  new Gauge({
    name: 'assay_rate_limit_gateways',
    help: 'Gateways that share their rate limits, as this one knows them; 1: it counts for itself.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(gateways());
    },
  });
  return new Counter({
    name: 'assay_rate_limit_store_failures_total',
    help: 'Times that rate limits could not be shared, so that each gateway counted for itself.',
    registers,
  });
}
