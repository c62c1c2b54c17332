import type { TokenSnapshot } from '../../../http/token-store.ts';
import type { ApiKey, Role } from './api-keys.ts';

export interface LiveKeys {
  all(): readonly ApiKey[];
  /** False until the issued keys have been loaded. */
  isComplete(): boolean;
}

export function createLiveKeys(configured: readonly ApiKey[], issued: () => TokenSnapshot): LiveKeys {
  let lastIssued: TokenSnapshot | undefined;
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
    isComplete: () => issued().known,
  };
}

const keyFrom = ({ name, role, digest }: TokenSnapshot['tokens'][number]): ApiKey => ({
  ...{ name, digest, id: digest.slice(0, 12) },
  // An unknown role gets the least rights.
  role: (role === 'admin' ? 'admin' : 'user') satisfies Role,
});
