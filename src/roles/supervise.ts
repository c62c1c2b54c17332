import type { ChildProcess } from 'node:child_process';
import type { Log } from '../base/log.ts';
import { rest } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';

/** Exit status of a process that cannot run as it is configured: starting it again would change nothing. */
export const MISCONFIGURED = 2;

/** One process to keep alive. */
export interface Post {
  readonly name: string;
  /** Starts it. The child stops by itself when it loses its parent. */
  spawn(): ChildProcess;
  /** When it is wanted; a post without this is wanted always. */
  readonly demand?: Demand;
}

export interface Demand {
  /** Resolves when the process is wanted. */
  wanted(signal: AbortSignal): Promise<void>;
  /** Resolves when it is wanted no more. */
  idle(signal: AbortSignal): Promise<void>;
}

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/** A process that lived this long had a good start; its next death is a first one. */
const GOOD_LIFE_MS = 30_000;
/** Gentle stops take up to 20 s (work under way); after this a process is killed. */
const STOP_MS = 30_000;

/**
 * Keeps every post manned until `signal` aborts: what dies is started again, at once the first time and then more and
 * more slowly. Then all are told to stop, and waited for. Rejects if a process says that it is misconfigured.
 */
export async function supervise({
  posts,
  log,
  signal,
}: {
  posts: readonly Post[];
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const given = new AbortController();
  const stop = AbortSignal.any([signal, given.signal]);
  const outcomes = await Promise.allSettled(
    posts.map(async (post) => {
      try {
        await keep(post, stop, log);
      } catch (error) {
        given.abort();
        throw error;
      }
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function keep(post: Post, signal: AbortSignal, log: Log): Promise<void> {
  let deaths = 0;
  while (!signal.aborted) {
    await post.demand?.wanted(signal);
    if (signal.aborted) return;
    const begun = Date.now();
    const dismissed = new AbortController();
    const over = new AbortController();
    if (post.demand) void post.demand.idle(AbortSignal.any([signal, over.signal])).then(() => dismissed.abort());
    const death = await run(post.spawn(), AbortSignal.any([signal, dismissed.signal]));
    over.abort();
    if (signal.aborted) return;
    // Without words: they are those of the process that ended.
    if (death.code === MISCONFIGURED) throw new OperatorError('');
    if (dismissed.signal.aborted) continue;
    deaths = Date.now() - begun > GOOD_LIFE_MS ? 1 : deaths + 1;
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (deaths - 1), LONGEST_BACKOFF_MS);
    log.warn({ post: post.name, ...death, backoffMs }, 'a process died and is started again');
    await rest(backoffMs, signal);
  }
}

/** Waits for the end of `child`, which is told to stop when `signal` aborts and killed if it does not. */
function run(child: ChildProcess, signal: AbortSignal): Promise<{ code: number | null; by: string | null }> {
  return new Promise((resolve) => {
    let killing: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill('SIGTERM');
      killing = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const ended = (code: number | null, by: string | null) => {
      signal.removeEventListener('abort', stop);
      clearTimeout(killing);
      resolve({ code, by });
    };
    // Not `exit`: what it has sent before that may still be on its way.
    child.once('close', ended);
    child.once('error', (error) => ended(null, error.message));
  });
}
