import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { sleep } from '../base/loop.ts';

export interface StreamEvent {
  readonly event: string;
  /** Absent: the client's last event id stays unchanged. */
  readonly id?: number | string;
  readonly data: unknown;
}

export type EventStream = ReturnType<typeof openEventStream>;

const PING_INTERVAL_MS = 15_000;
const MAX_UNREAD_BYTES = 1024 * 1024;
/** A sender that waits for its client continues below this amount. */
const RESUME_BYTES = 128 * 1024;
const ROOM_CHECK_MS = 100;

/**
 * Opens a `text/event-stream` response without proxy buffering; sends a keep-alive comment every 15 s. Ignores events after
 * its end. Disconnects a client with more than `maxUnreadBytes` of unread data.
 */
export function openEventStream(
  reply: FastifyReply,
  { retryMs, maxUnreadBytes = MAX_UNREAD_BYTES }: { retryMs?: number; maxUnreadBytes?: number } = {},
) {
  const over = new AbortController();
  const source = new Readable({ read() {}, highWaterMark: maxUnreadBytes });
  let ended = false;
  const ping = setInterval(() => write(': ping\n\n'), PING_INTERVAL_MS);
  source.once('close', () => {
    clearInterval(ping);
    over.abort();
  });

  function write(text: string): void {
    if (ended || over.signal.aborted) return;
    source.push(text);
    if (source.readableLength > maxUnreadBytes) source.destroy();
  }

  void reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    .send(source);
  if (retryMs !== undefined) write(`retry: ${retryMs}\n\n`);

  return {
    send: ({ event, id, data }: StreamEvent): void =>
      write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    /** Sets the client's last event id without an event. */
    setLastId: (id: string): void => write(`id: ${id}\n\n`),
    /** Waits until the client has read most of what was sent. */
    async drained(): Promise<void> {
      while (!over.signal.aborted && source.readableLength > RESUME_BYTES) await sleep(ROOM_CHECK_MS, over.signal);
    },
    end(): void {
      if (ended) return;
      ended = true;
      clearInterval(ping);
      source.push(null);
    },
    /** Aborts when the stream has ended, or the client has disconnected or does not read fast enough. */
    closed: over.signal,
  };
}
