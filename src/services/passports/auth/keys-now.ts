import type { Issued } from '../../../http/issued-tokens.ts';
import type { ApiKey, Role } from './api-keys.ts';

/** The keys that are good at the moment: those of the settings, and those that were issued since. */
export interface Keys {
  all(): readonly ApiKey[];
  /** False while the database has not said yet which were issued. */
  complete(): boolean;
}

/** Made anew only when something changed. */
export function keysNow(configured: readonly ApiKey[], issued: () => Issued): Keys {
  let of: Issued | undefined;
  let keys = configured;
  return {
    all() {
      const latest = issued();
      if (latest !== of) {
        of = latest;
        keys = [...configured, ...latest.tokens.map(keyFrom)];
      }
      return keys;
    },
    complete: () => issued().known,
  };
}

const keyFrom = ({ name, role, digest }: Issued['tokens'][number]): ApiKey => ({
  ...{ name, digest, id: digest.slice(0, 12) },
  // A role that this version does not know may do the least.
  role: (role === 'admin' ? 'admin' : 'user') satisfies Role,
});
