import { expect, test } from 'vitest';
import { patient } from './patient.ts';

const never = new Promise<never>(() => {});

test('pieces pass through, and their end', async () => {
  const given: number[] = [];
  for await (const piece of patient(numbers(3), 1000)) given.push(piece);
  expect(given).toEqual([0, 1, 2]);
});

test('a piece that does not come in time makes the recording corrupt', async () => {
  const pieces = patient(
    (async function* () {
      yield 1;
      await never;
    })(),
    20,
  );
  expect(await pieces.next()).toEqual({ done: false, value: 1 });
  await expect(pieces.next()).rejects.toMatchObject({ name: 'AudioRefused', problem: 'corrupt' });
});

test('a piece that nobody asks for is not waited for', async () => {
  const pieces = patient(numbers(2), 20);
  await pieces.next();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await pieces.next()).toEqual({ done: false, value: 1 });
});

test('whoever takes no more pieces ends their source', async () => {
  let ended = false;
  const source = async function* () {
    try {
      yield* numbers(10);
    } finally {
      ended = true;
    }
  };
  for await (const _ of patient(source(), 1000)) break;
  expect(ended).toBe(true);
});

async function* numbers(count: number): AsyncGenerator<number> {
  for (let i = 0; i < count; i++) yield i;
}
