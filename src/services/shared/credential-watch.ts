import type { FastifyBaseLogger, FastifyRequest } from 'fastify';

/** Gateways read their tokens every second, so a stream ends within two seconds after its credential. */
const CHECK_INTERVAL_MS = 500;

/** The requests whose credentials are no longer valid. */
export type FindEnded = (
  requests: readonly FastifyRequest[],
) => Iterable<FastifyRequest> | Promise<Iterable<FastifyRequest>>;

/**
 * Returns a function that calls `onEnded` when the credential of a request ends, until its result is called. All open
 * streams are checked together, so that the number of queries does not grow with them.
 */
export function watchCredentials(findEnded: FindEnded, log: FastifyBaseLogger) {
  const open = new Map<FastifyRequest, () => void>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      for (const request of await findEnded([...open.keys()])) open.get(request)?.();
    } catch (err) {
      log.warn({ err }, 'the credentials of open streams could not be checked; will retry');
    } finally {
      isChecking = false;
    }
  }

  return (request: FastifyRequest, onEnded: () => void): (() => void) => {
    open.set(request, onEnded);
    timer ??= setInterval(() => void check(), CHECK_INTERVAL_MS);
    return () => {
      open.delete(request);
      if (open.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
}
