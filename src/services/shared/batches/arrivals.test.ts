import { expect, it } from 'vitest';
import { createArrivals } from './arrivals.ts';

it('few clients with slow batches leave places for the first batch of others', async () => {
  const receive = createArrivals({ ofClient: 3, ofAll: 8 });
  const ends: (() => void)[] = [];
  /** Whether a batch that does not end is accepted. */
  const start = async (client: string) => {
    const arrival = receive(client, () => new Promise<void>((resolve) => ends.push(resolve)));
    return Promise.race([arrival, Promise.resolve().then(() => true)]).catch(() => false);
  };
  const startAll = (clients: string) => Promise.all([...clients].map(start));
  expect(await startAll('aaaa')).toEqual([true, true, true, false]);
  expect(await startAll('bbccdefg')).toEqual([true, false, true, false, true, true, true, false]);
  expect(ends).toHaveLength(8);
});
