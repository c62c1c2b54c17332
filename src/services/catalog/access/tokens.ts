import { entryOf, type TokenEntry, tokensFrom } from '../../../http/bearer.ts';
import type { Own } from '../settings.ts';
import type { Role } from './visitor.ts';

/** Who holds which token. */
export interface Tokens {
  /** Undefined for a token that is none of ours. The name is safe to store and to log. */
  holder(token: string): { readonly role: Role; readonly principal: string } | undefined;
  readonly readers: number;
  readonly moderators: number;
}

/** Both kinds are asked about every token, so the time that it takes tells nothing of whose it nearly was. */
export function tokensOf({ apiTokens, moderatorTokens }: Pick<Own, 'apiTokens' | 'moderatorTokens'>): Tokens {
  const readers = entriesOf(apiTokens);
  const moderators = entriesOf(moderatorTokens);
  return {
    holder(token) {
      const moderator = entryOf(moderators, token);
      const reader = entryOf(readers, token);
      if (moderator !== undefined) return { role: 'moderator', principal: moderator.principal };
      return reader && { role: 'reader', principal: reader.principal };
    },
    readers: readers.length,
    moderators: moderators.length,
  };
}

function entriesOf(list: string | undefined): readonly TokenEntry[] {
  const set = tokensFrom({ list, mayDisable: false });
  return set.state === 'enforced' ? set.entries : [];
}
