import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** One message of a stream of events. */
export interface StreamEvent {
  readonly event: string;
  /** Absent: the reader's place in the stream stays where it is. */
  readonly id?: number;
  readonly data: unknown;
}

/** A stream that a reader holds open; what is sent after its end goes nowhere. */
export interface EventStream {
  send(event: StreamEvent): void;
  end(): void;
  /** Aborts when the reader has gone, has fallen too far behind, or the stream has ended. */
  readonly over: AbortSignal;
}

const PING_MS = 15_000;
/** A reader that lets this much pile up is cut: it comes back and says what it saw last. */
const MOST_UNREAD_BYTES = 1024 * 1024;

/**
 * Answers with `text/event-stream` and keeps the answer open: a comment every 15 s, so that neither side takes silence
 * for death, and no proxy in between holds anything back.
 */
export function eventStream(reply: FastifyReply, { retryMs }: { retryMs: number }): EventStream {
  const over = new AbortController();
  const source = new Readable({ read() {}, highWaterMark: MOST_UNREAD_BYTES });
  let ended = false;
  const ping = setInterval(() => write(': ping\n\n'), PING_MS);
  source.once('close', () => {
    clearInterval(ping);
    over.abort();
  });

  function write(text: string): void {
    if (ended || over.signal.aborted) return;
    source.push(text);
    if (source.readableLength > MOST_UNREAD_BYTES) source.destroy();
  }

  void reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    .send(source);
  write(`retry: ${retryMs}\n\n`);

  return {
    send: ({ event, id, data }) =>
      write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    end() {
      if (ended) return;
      ended = true;
      clearInterval(ping);
      source.push(null);
    },
    over: over.signal,
  };
}
