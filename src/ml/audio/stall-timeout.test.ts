import { expect, test } from 'vitest';
import { withStallTimeout } from './stall-timeout.ts';

const never = new Promise<never>(() => {});

test('withStallTimeout forwards all chunks and the end', async () => {
  const received: number[] = [];
  for await (const piece of withStallTimeout(numbers(3), 1000)) received.push(piece);
  expect(received).toEqual([0, 1, 2]);
});

test('withStallTimeout rejects with problem "corrupt" when a chunk takes too long', async () => {
  const pieces = withStallTimeout(
    (async function* () {
      yield 1;
      await never;
    })(),
    20,
  );
  expect(await pieces.next()).toEqual({ done: false, value: 1 });
  await expect(pieces.next()).rejects.toMatchObject({ name: 'AudioError', problem: 'corrupt' });
});

test('withStallTimeout does not count the time between reads', async () => {
  const pieces = withStallTimeout(numbers(2), 20);
  await pieces.next();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await pieces.next()).toEqual({ done: false, value: 1 });
});

test('withStallTimeout ends its source when the consumer stops', async () => {
  let ended = false;
  const source = async function* () {
    try {
      yield* numbers(10);
    } finally {
      ended = true;
    }
  };
  for await (const _ of withStallTimeout(source(), 1000)) break;
  expect(ended).toBe(true);
});

async function* numbers(count: number): AsyncGenerator<number> {
  for (let i = 0; i < count; i++) yield i;
}
