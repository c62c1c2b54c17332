import type { Issued } from '../../../http/issued-tokens.ts';
import type { ApiKey, Role } from './api-keys.ts';

export interface Keys {
  all(): readonly ApiKey[];
  /** False until the issued keys have been loaded. */
  complete(): boolean;
}

export function keysNow(configured: readonly ApiKey[], issued: () => Issued): Keys {
  let lastIssued: Issued | undefined;
  let keys = configured;
  return {
    all() {
      const latest = issued();
      if (latest !== lastIssued) {
        lastIssued = latest;
        keys = [...configured, ...latest.tokens.map(keyFrom)];
      }
      return keys;
    },
    complete: () => issued().known,
  };
}

const keyFrom = ({ name, role, digest }: Issued['tokens'][number]): ApiKey => ({
  ...{ name, digest, id: digest.slice(0, 12) },
  // An unknown role gets the least rights.
  role: (role === 'admin' ? 'admin' : 'user') satisfies Role,
});
