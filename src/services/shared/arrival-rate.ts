import type { Readable } from 'node:stream';
import { requestTimeout } from '../../base/api-error.ts';

const PERIOD_MS = 60_000;
/** 64 KiB/s (chosen): a tenth of a slow line; an archive at this rate takes one of the few places for at most an hour. */
const MIN_BYTES = 64 * 1024 * (PERIOD_MS / 1000);

/** Fails a body of which less than 64 KiB/s arrives in a minute, because it takes one of a few places. */
export async function* requireArrivalRate(body: Readable): AsyncGenerator<Buffer, void, undefined> {
  let received = 0;
  const timer = setInterval(() => {
    if (received < MIN_BYTES) body.destroy(requestTimeout());
    received = 0;
  }, PERIOD_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      received += chunk.length;
      yield chunk;
    }
  } finally {
    clearInterval(timer);
  }
}
