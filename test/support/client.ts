import { readFile } from 'node:fs/promises';
import type { Clock } from '../../src/client/index.ts';

export const readExamplePhoto = async () =>
  new Blob([await readFile(new URL('../../examples/wall.jpg', import.meta.url))]);
/** An address in the allowlist of the test product; the fake model never fetches it. */
export const REFERENCE = 'https://storage-1.example.com/photo.jpg';

/** Wraps the global `fetch`, records requests, and drops responses for which `outcomeOf` returns `lost`. */
export function recordingFetch(outcomeOf: (path: string, count: number) => 'lost' | undefined = () => undefined) {
  const requests: string[] = [];
  const watch: typeof fetch = async (input, init) => {
    const path = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`;
    const count = requests.filter((each) => each === path).length;
    requests.push(path);
    const response = await fetch(input, init);
    if (outcomeOf(path, count) !== 'lost') return response;
    await response.arrayBuffer();
    throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
  };
  return { requests, fetch: watch };
}

/** A clock that advances only during `sleep`. */
export function createFakeClock(
  onSleep: (seconds: number) => Promise<void> | void = () => {},
): Clock & { slept: number[] } {
  let now = Date.now();
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      now += ms;
      slept.push(ms / 1000);
      await onSleep(ms / 1000);
    },
  };
}
