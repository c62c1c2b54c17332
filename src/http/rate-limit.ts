import { createHash } from 'node:crypto';
import { type Asked, type Granted, TRUST_MS } from './rate-points.ts';
import { latestKeys, Ring } from './ring.ts';

/** What became of one request: `remaining` more are free now, and quota grows again in `resetSeconds`. */
export interface Verdict {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface Limiter {
  /** The `RateLimit-Policy` header of this limiter. */
  readonly policy: string;
  /**
   * Takes one request of `key`. A refused request spends nothing, so waiting `resetSeconds` is always enough. A promise
   * only where several gateways share the count and this one has to ask for more; it never rejects.
   */
  take(key: string): Verdict | Promise<Verdict>;
}

/** What a limiter allows in any window of this length, and of how many clients it keeps count. */
export interface Allowance {
  readonly limit: number;
  readonly windowMs?: number;
  readonly maxKeys?: number;
}

/** How the gateway that a window belongs to counts: see shared-limits.ts. */
export interface Sharing {
  /** False: the whole limit is this gateway's. */
  shares(): boolean;
  /** Puts a question to the database; resolves when it was answered, or when nobody answers. */
  ask(question: Question): Promise<void>;
}

/** More points for one client. */
export interface Question {
  /** As it is when it is asked, which may be later. */
  wish(): Asked;
  answered(answer: Granted): void;
}

/** A limiter that can share its count. */
export interface Window extends Limiter {
  /** From now on only what was let through already is held. */
  beginSharing(): void;
  /** What must be told by now: whatever is held, or what has changed of it. What is not held any more is given back. */
  untold(what: 'all' | 'news'): Asked[];
}

/** What one gateway knows of one client. It has let through as many as there are times in the ring. */
interface Count {
  readonly bucket: string;
  readonly ring: Ring;
  /** So many of any window are this gateway's. */
  points: number;
  /** What nobody held when last asked. */
  free: number;
  /** How many requests wait for an answer, and the answer. */
  waiting: number;
  answer?: Promise<void> | undefined;
  /** How many were let through since what is held was last told. */
  lately: number;
  told?: { readonly at: number; readonly points: number };
  /** Before this, asking again is of no use. */
  askAt: number;
  /** When another gateway has a point that it no longer needs. */
  othersAt: number;
}

/** Another gateway gives back once a second what it no longer needs; so long may it take until that is there. */
const GIVEN_BACK_MS = 2_000;
/** So long is a refusal believed: a client that sends on and on asks the database once a second. */
const REFUSED_MS = 1_000;
/** So much of a limit one gateway asks for at a time, at most. */
const BLOCK = 0.1;
const ALONE: Sharing = { shares: () => false, ask: () => Promise.resolve() };

/**
 * An exact sliding window: at most `limit` requests of one key are allowed in any window, wherever it starts. Returns
 * `undefined` for a limit of 0, which means no limit. Memory is bounded: a ring grows with what its key really sends.
 *
 * Among several gateways it lets through what it holds points for, and a point is held by one gateway at a time: it is
 * given back only when no request of the last window has used it. So all of them together never let through more than
 * the limit, in any window, whatever their clocks say; what others hold in vain is missing for a second or two.
 */
export function slidingWindow(
  options: Allowance & { name?: string; sharing?: Sharing; now?: () => number },
): Window | undefined {
  const { limit, windowMs = 60_000, maxKeys = 10_000, name = '' } = options;
  const { sharing = ALONE, now = () => performance.now() } = options;
  if (limit === 0) return undefined;
  const counts = latestKeys(maxKeys, (key) => newCount(bucketOf(name, key), limit));

  function spend(count: Count, at: number): Verdict | undefined {
    const { ring, told } = count;
    ring.forget(at - windowMs);
    const shares = sharing.shares();
    // Held too long without a word, what is idle may have been given to somebody else.
    if (shares && told && at - told.at > TRUST_MS) count.points = ring.size;
    const most = shares ? Math.min(count.points, limit) : limit;
    if (ring.size >= most) return undefined;
    ring.push(at);
    count.lately++;
    const remaining = shares ? Math.min(limit, most - ring.size + count.free) : limit - ring.size;
    return { allowed: true, remaining, resetSeconds: seconds(ring.oldest() + windowMs - at) };
  }

  function refuse({ ring, othersAt }: Count, at: number): Verdict {
    const own = ring.size > 0 ? ring.oldest() + windowMs : at + windowMs;
    const others = sharing.shares() ? Math.max(othersAt, at) + GIVEN_BACK_MS : own;
    return { allowed: false, remaining: 0, resetSeconds: seconds(Math.min(own, others) - at) };
  }

  const asked = ({ bucket, points, ring }: Count, at: number): Asked => ({
    ...{ bucket, held: points, wanted: 0, block: 0, most: limit },
    freesInMs: points > ring.size ? 0 : ring.size > 0 ? ring.oldest() + windowMs - at : undefined,
  });

  const question = (count: Count): Question => ({
    wish() {
      const at = now();
      count.told = { at, points: count.points };
      return { ...asked(count, at), wanted: Math.max(1, count.waiting), block: Math.ceil(limit * BLOCK) };
    },
    answered({ points, free, freesInMs }) {
      const at = now();
      count.points = points;
      count.free = free;
      count.told = { at: count.told?.at ?? at, points };
      count.othersAt = freesInMs === null ? Number.POSITIVE_INFINITY : at + freesInMs;
      count.askAt = points > count.ring.size ? at : at + REFUSED_MS;
    },
  });

  async function askFor(count: Count): Promise<Verdict> {
    count.waiting++;
    count.answer ??= sharing.ask(question(count)).finally(() => {
      count.answer = undefined;
    });
    await count.answer;
    count.waiting--;
    const at = now();
    return spend(count, at) ?? refuse(count, at);
  }

  return {
    policy: `"default";q=${limit};w=${Math.ceil(windowMs / 1000)}`,

    take(key) {
      const at = now();
      const count = counts.of(key);
      const verdict = spend(count, at);
      if (verdict) return verdict;
      return sharing.shares() && at >= count.askAt ? askFor(count) : refuse(count, at);
    },

    beginSharing() {
      const at = now();
      for (const count of counts.all()) {
        count.ring.forget(at - windowMs);
        count.points = count.ring.size;
        count.askAt = at;
      }
    },

    untold(what) {
      const at = now();
      const found: Asked[] = [];
      for (const count of counts.all()) {
        const { ring, told } = count;
        ring.forget(at - windowMs);
        // What one second has used, the next may want as well; and what was just granted is about to be spent.
        count.points = Math.min(count.points, ring.size + 2 * count.lately + count.waiting);
        count.lately = 0;
        const news = told?.points !== count.points || (count.points > 0 && at - told.at > TRUST_MS / 2);
        if (count.points === 0 && !told?.points) continue;
        if (what === 'news' && !news) continue;
        count.told = { at, points: count.points };
        found.push(asked(count, at));
      }
      return found;
    },
  };
}

const newCount = (bucket: string, limit: number): Count => ({
  ...{ bucket, ring: new Ring(limit), points: 0, free: 0, waiting: 0, lately: 0 },
  ...{ askAt: Number.NEGATIVE_INFINITY, othersAt: Number.POSITIVE_INFINITY },
});

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));

/** Addresses and names of clients stand nowhere in the database. */
const bucketOf = (limiter: string, key: string) =>
  createHash('sha256').update(`${limiter}\n${key}`).digest('base64url').slice(0, 22);
