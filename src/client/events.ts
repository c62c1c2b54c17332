import type { Connection, OutageListener } from './connection.ts';
import { type AssayError, RateLimited } from './errors.ts';
import type { CallOptions } from './request.ts';
import { isTransient } from './response-error.ts';

export interface EventOptions extends CallOptions {
  /** The `id` of the last event that you have processed. `latest`: only new events. Default: all stored events. */
  readonly after?: string | undefined;
  /** Whether to wait for new events after the stored ones. Default: true. */
  readonly follow?: boolean | undefined;
  /**
   * While following: called with the error when events can no longer be read, again if another error follows the rate limit, and
   * without an error when events can be read again.
   */
  readonly onOutage?: OutageListener | undefined;
  /** Called after the events of each page with the cursor that follows them, also if there were none. */
  readonly onCursor?: ((cursor: string) => void) | undefined;
}

export interface EventsPage<Event> {
  readonly events: readonly Event[];
  readonly next: string;
  readonly more: boolean;
}

const WAIT_SECONDS = 30;
const PAGE_SIZE = 500;
/** So that a follower continues soon after an outage. */
const MAX_PAUSE_SECONDS = 5;

/** Of a follower, after `failures` earlier errors in a row. */
export const outagePauseSeconds = ({ retryAfterSeconds = 0 }: AssayError, failures: number): number =>
  Math.max(retryAfterSeconds, Math.min(0.5 * 2 ** failures, MAX_PAUSE_SECONDS));

/**
 * Yields each event once and in order. While it follows, it reconnects after overload and connection errors without end;
 * other errors are thrown.
 */
export async function* followEvents<Event>(
  line: Connection,
  pageOf: (answer: Awaited<ReturnType<Connection['request']>>) => EventsPage<Event>,
  { after, follow = true, onOutage, onCursor, signal }: EventOptions,
): AsyncGenerator<Event, void, undefined> {
  let position = after;
  let failures = 0;
  let reported: AssayError | undefined;
  for (;;) {
    // `latest` becomes a cursor at once: a reconnection would otherwise skip the events before it.
    const wait = follow && position !== 'latest' ? WAIT_SECONDS : 0;
    let page: EventsPage<Event>;
    try {
      const query = { after: position, limit: PAGE_SIZE, wait };
      const retries = follow ? { retries: 0 } : {};
      page = pageOf(await line.request('/events', { query, longPollSeconds: wait, signal, ...retries }));
      if (reported) onOutage?.(undefined);
      reported = undefined;
      failures = 0;
    } catch (error) {
      if (!follow || !isTransient(error)) throw error;
      if (!reported || (reported instanceof RateLimited && !(error instanceof RateLimited))) {
        reported = error;
        onOutage?.(error);
      }
      await line.clock.sleep(outagePauseSeconds(error, failures++) * 1000, signal);
      continue;
    }
    yield* page.events;
    position = page.next;
    onCursor?.(position);
    if (!follow && !page.more) return;
  }
}
