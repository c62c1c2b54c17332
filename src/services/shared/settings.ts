import { integer, list, type Setting } from '../../base/settings.ts';
import type { TokenSet } from '../../http/bearer.ts';

/** The setting that limits a service's queue. Counting 1,000,000 tasks takes the database about 1 s. */
export const maxWaiting = (env: string, most: number) =>
  integer(
    env,
    most,
    'New tasks are rejected (503 with `Retry-After`) while this many tasks of all clients wait for a worker. 0: no limit.',
    { max: 1_000_000 },
  );

/** A number of seconds, at most a day. */
export const seconds = (env: string, fallback: number, about: string) => integer(env, fallback, about, { max: 86_400 });

/** The setting of a service's rate limit. */
export const rateLimit = (env: string) =>
  integer(env, 1000, 'Maximum requests per token in any 60 seconds; 0: no limit.', { max: 1_000_000 });

/** The `local` profile generates a token unless tokens are configured. A list that is set and empty is intentional. */
export const missingTokens = (list: string | undefined, { state }: TokenSet, env: string): string[] =>
  list === undefined && state === 'unconfigured' ? [env] : [];

/** A list of some of `choices`. */
export const listOf = <C extends string>(
  env: string,
  choices: readonly C[],
  fallback: readonly C[],
  about: string,
): Setting<readonly C[]> =>
  list(env, fallback, about, (name) => {
    if ((choices as readonly string[]).includes(name)) return name;
    throw new Error(`must be a list of ${choices.join(', ')}, not "${name}".`);
  }) as Setting<readonly C[]>;
