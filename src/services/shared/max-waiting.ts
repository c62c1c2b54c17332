import { integer } from '../../base/settings.ts';

/** The setting that limits a service's queue. Counting 1,000,000 tasks takes the database about 1 s. */
export const maxWaiting = (env: string, most: number) =>
  integer(
    env,
    most,
    'New tasks are rejected (503 with `Retry-After`) while this many tasks of all clients wait for a worker. 0: no limit.',
    { max: 1_000_000 },
  );
