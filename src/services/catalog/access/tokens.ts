import { entryFor, entryOf, type TokenEntry, tokensFrom } from '../../../http/bearer.ts';
import type { Issued } from '../../../http/issued-tokens.ts';
import type { Own } from '../settings.ts';
import type { Role } from './visitor.ts';

export interface Tokens {
  /** Undefined for an invalid token. The principal is safe to store and to log. */
  holder(token: string): { readonly role: Role; readonly principal: string } | undefined;
  count(): { readonly readers: number; readonly moderators: number };
  /** False until the issued tokens have been read. */
  complete(): boolean;
}

interface Entries {
  readonly readers: readonly TokenEntry[];
  readonly moderators: readonly TokenEntry[];
}

export const configuredEntries = ({
  apiTokens,
  moderatorTokens,
}: Pick<Own, 'apiTokens' | 'moderatorTokens'>): Entries => ({
  readers: entriesOf(apiTokens),
  moderators: entriesOf(moderatorTokens),
});

/** Compares each token with both lists, so the duration reveals nothing. */
export function tokensNow(configured: Entries, issued: () => Issued): Tokens {
  let cachedFor: Issued | undefined;
  let entries = configured;
  function currentEntries(): Entries {
    const latest = issued();
    if (latest !== cachedFor) {
      cachedFor = latest;
      const moderators = latest.tokens.filter(({ role }) => role === 'moderator');
      const readers = latest.tokens.filter(({ role }) => role !== 'moderator');
      entries = {
        readers: [...configured.readers, ...readers.map(entryFor)],
        moderators: [...configured.moderators, ...moderators.map(entryFor)],
      };
    }
    return entries;
  }
  return {
    holder(token) {
      const { readers, moderators } = currentEntries();
      const moderator = entryOf(moderators, token);
      const reader = entryOf(readers, token);
      if (moderator !== undefined) return { role: 'moderator', principal: moderator.principal };
      return reader && { role: 'reader', principal: reader.principal };
    },
    count() {
      const { readers, moderators } = currentEntries();
      return { readers: readers.length, moderators: moderators.length };
    },
    complete: () => issued().known,
  };
}

function entriesOf(list: string | undefined): readonly TokenEntry[] {
  const set = tokensFrom({ list, mayDisable: false });
  return set.state === 'enforced' ? set.entries : [];
}
