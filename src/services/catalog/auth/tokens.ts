import { findTokenEntry, type TokenEntry, toTokenEntry } from '../../../http/bearer.ts';
import type { TokenSnapshot } from '../../../http/token-store.ts';
import { type CatalogSettings, tokenEntriesOf } from '../settings.ts';
import type { Role } from './visitor.ts';

export type Tokens = ReturnType<typeof createTokens>;

interface Entries {
  readonly readers: readonly TokenEntry[];
  readonly moderators: readonly TokenEntry[];
}

export const configuredEntries = ({
  apiTokens,
  moderatorTokens,
}: Pick<CatalogSettings, 'apiTokens' | 'moderatorTokens'>): Entries => ({
  readers: tokenEntriesOf(apiTokens),
  moderators: tokenEntriesOf(moderatorTokens),
});

/** Compares each token with both lists, so the duration reveals nothing. */
export function createTokens(configured: Entries, issued: () => TokenSnapshot) {
  let cachedFor: TokenSnapshot | undefined;
  let entries = configured;
  function currentEntries(): Entries {
    const latest = issued();
    if (latest !== cachedFor) {
      cachedFor = latest;
      const moderators = latest.tokens.filter(({ role }) => role === 'moderator');
      const readers = latest.tokens.filter(({ role }) => role !== 'moderator');
      entries = {
        readers: [...configured.readers, ...readers.map(toTokenEntry)],
        moderators: [...configured.moderators, ...moderators.map(toTokenEntry)],
      };
    }
    return entries;
  }
  return {
    /** Undefined for an invalid token. The principal is safe to store and to log. */
    find(token: string): { readonly role: Role; readonly principal: string } | undefined {
      const { readers, moderators } = currentEntries();
      const moderator = findTokenEntry(moderators, token);
      const reader = findTokenEntry(readers, token);
      if (moderator !== undefined) return { role: 'moderator', principal: moderator.principal };
      return reader && { role: 'reader', principal: reader.principal };
    },
    /** Undefined for the principal of an invalid token. */
    roleOf(principal: string): Role | undefined {
      const { readers, moderators } = currentEntries();
      const isIn = (list: readonly TokenEntry[]) => list.some((entry) => entry.principal === principal);
      if (isIn(moderators)) return 'moderator';
      return isIn(readers) ? 'reader' : undefined;
    },
    count() {
      const { readers, moderators } = currentEntries();
      return { readers: readers.length, moderators: moderators.length };
    },
    /** False until the issued tokens have been read. */
    isComplete: () => issued().known,
  };
}
