import { SANDBOX_ROLE, sandboxPrincipal } from '../../../http/sandbox-credential.ts';
import type { TokenSnapshot } from '../../../http/token-store.ts';
import type { ApiKey, Role } from './api-keys.ts';

export type LiveKeys = ReturnType<typeof createLiveKeys>;

export function createLiveKeys(configured: readonly ApiKey[], issued: () => TokenSnapshot) {
  let lastIssued: TokenSnapshot | undefined;
  let keys = configured;
  return {
    all(): readonly ApiKey[] {
      const latest = issued();
      if (latest !== lastIssued) {
        lastIssued = latest;
        keys = [...configured, ...latest.tokens.map(keyFrom)];
      }
      return keys;
    },
    /** False until the issued keys have been loaded. */
    isComplete: () => issued().known,
  };
}

const keyFrom = ({ name, role, digest }: TokenSnapshot['tokens'][number]): ApiKey => ({
  ...{ name: role === SANDBOX_ROLE ? sandboxPrincipal(name) : name, digest, id: digest.slice(0, 12) },
  // An unknown role gets the least rights.
  role: (role === 'admin' ? 'admin' : 'user') satisfies Role,
});
