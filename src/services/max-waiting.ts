import { integer } from '../base/settings.ts';

/** The setting that bounds a service's queue. A count of a million tasks takes the database a second or so. */
export const maxWaiting = (env: string, most: number) =>
  integer(
    env,
    most,
    'New tasks are refused (503, with `Retry-After`) while so many wait for a worker, those of all clients together; 0: never.',
    { max: 1_000_000 },
  );
