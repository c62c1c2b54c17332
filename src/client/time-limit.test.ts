import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { withTimeLimit as withProductTimeLimit } from '../base/time-limit.ts';
import { withTimeLimit } from './time-limit.ts';

const BOTH = { product: withProductTimeLimit, client: withTimeLimit };

/** Settles only by the signal, which nothing else refers to. */
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

it.each(Object.entries(BOTH))('A time limit of the %s ends although garbage is collected', async (_, withTimeLimit) => {
  setFlagsFromString('--expose-gc');
  const collect = setInterval(runInNewContext('gc') as () => void, 10);
  onTestFinished(() => clearInterval(collect));
  const caller = new AbortController();
  const limits = Array.from({ length: 20 }, () => withTimeLimit(200, caller.signal, never));
  const ended = await Promise.allSettled(limits);
  expect(ended.map((each) => (each as PromiseRejectedResult).reason.name)).toEqual(Array(20).fill('TimeoutError'));
});

it.each(Object.entries(BOTH))(
  'A time limit of the %s passes the reason of its caller on, also before its start',
  async (_, withTimeLimit) => {
    const caller = new AbortController();
    const limited = withTimeLimit(60_000, caller.signal, never);
    caller.abort(new Error('stopped'));
    await expect(limited).rejects.toThrow('stopped');
    await expect(withTimeLimit(60_000, caller.signal, async () => 'run')).rejects.toThrow('stopped');
  },
);

it.each(Object.entries(BOTH))(
  'A time limit of the %s returns the result and leaves no listener behind',
  async (_, withTimeLimit) => {
    const caller = new AbortController();
    let limited: AbortSignal | undefined;
    const result = await withTimeLimit(60_000, caller.signal, async (signal) => {
      limited = signal;
      return 'done';
    });
    caller.abort();
    expect([result, limited?.aborted]).toEqual(['done', false]);
  },
);
