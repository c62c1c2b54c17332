import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withImagePermit } from './image-semaphore.ts';

test('withImagePermit leaves two of the four threads of libuv', async () => {
  let running = 0;
  let most = 0;
  const decode = async () => {
    most = Math.max(most, ++running);
    await nextTurn();
    running--;
  };
  await Promise.all(Array.from({ length: 8 }, () => withImagePermit(decode)));
  expect(most).toBe(2);
});
