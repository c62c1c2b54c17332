import { entryFor, entryOf, type TokenEntry, tokensFrom } from '../../../http/bearer.ts';
import type { Issued } from '../../../http/issued-tokens.ts';
import type { Own } from '../settings.ts';
import type { Role } from './visitor.ts';

/** Who holds which token, at the moment. */
export interface Tokens {
  /** Undefined for a token that is none of ours. The name is safe to store and to log. */
  holder(token: string): { readonly role: Role; readonly principal: string } | undefined;
  count(): { readonly readers: number; readonly moderators: number };
  /** False while the database has not said yet which tokens were issued. */
  complete(): boolean;
}

interface Entries {
  readonly readers: readonly TokenEntry[];
  readonly moderators: readonly TokenEntry[];
}

/** The tokens of the settings. */
export const configuredEntries = ({
  apiTokens,
  moderatorTokens,
}: Pick<Own, 'apiTokens' | 'moderatorTokens'>): Entries => ({
  readers: entriesOf(apiTokens),
  moderators: entriesOf(moderatorTokens),
});

/**
 * Those of the settings and those that were issued since. Both kinds are asked about every token, so the time that it
 * takes tells nothing of whose it nearly was.
 */
export function tokensNow(configured: Entries, issued: () => Issued): Tokens {
  let of: Issued | undefined;
  let entries = configured;
  function now(): Entries {
    const latest = issued();
    if (latest !== of) {
      of = latest;
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
      const { readers, moderators } = now();
      const moderator = entryOf(moderators, token);
      const reader = entryOf(readers, token);
      if (moderator !== undefined) return { role: 'moderator', principal: moderator.principal };
      return reader && { role: 'reader', principal: reader.principal };
    },
    count() {
      const { readers, moderators } = now();
      return { readers: readers.length, moderators: moderators.length };
    },
    complete: () => issued().known,
  };
}

function entriesOf(list: string | undefined): readonly TokenEntry[] {
  const set = tokensFrom({ list, mayDisable: false });
  return set.state === 'enforced' ? set.entries : [];
}
