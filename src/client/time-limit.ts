/** What ends when a signal aborts. One listener per signal: Node warns of more than ten. */
const pending = new WeakMap<AbortSignal, Set<AbortController>>();
/** Longer timers end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `run` with a signal that aborts with a `TimeoutError` after `ms` milliseconds, or with the reason of `signal`.
 * Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 collects a timeout signal that only another signal refers to, and
 * the limit then never ends. The product has its own (src/base/time-limit.ts): the client is published without the rest.
 */
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  run: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  return withAbort(signal, async (limited) => {
    const expire = () => limited.abort(new DOMException('The time limit is over.', 'TimeoutError'));
    const timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS));
    try {
      return await run(limited.signal);
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Runs `run` with a controller that also aborts with the reason of `signal`. */
export async function withAbort<T>(
  signal: AbortSignal | undefined,
  run: (own: AbortController) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const forget = signal && abortWith(signal, own);
  try {
    return await run(own);
  } finally {
    forget?.();
  }
}

/** Aborts `controller` with `signal`; returns a function that undoes it. */
function abortWith(signal: AbortSignal, controller: AbortController): () => void {
  const controllers = pending.get(signal) ?? new Set();
  if (controllers.size === 0) {
    pending.set(signal, controllers);
    signal.addEventListener('abort', abortPending);
  }
  controllers.add(controller);
  return () => {
    controllers.delete(controller);
    if (controllers.size === 0) signal.removeEventListener('abort', abortPending);
  };
}

function abortPending(this: AbortSignal): void {
  for (const controller of pending.get(this) ?? []) controller.abort(this.reason);
}
