import type { Queryable } from '../../../base/db.ts';
import { type AccessToken, readValidTokens } from '../../../http/access-tokens.ts';
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
  let roles = rolesOf(configured);
  function currentEntries(): Entries {
    const latest = issued();
    if (latest !== cachedFor) {
      cachedFor = latest;
      entries = withIssued(configured, latest.tokens);
      roles = rolesOf(entries);
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
      currentEntries();
      return roles.get(principal);
    },
    count() {
      const { readers, moderators } = currentEntries();
      return { readers: readers.length, moderators: moderators.length };
    },
    /** False until the issued tokens have been read. */
    isComplete: () => issued().known,
  };
}

/** The roles of all tokens that are valid now, by principal. Unlike the snapshot of `createTokens`, it has those of the last second. */
export async function readRoles(db: Queryable, configured: Entries): Promise<ReadonlyMap<string, Role>> {
  const issued = await readValidTokens(db);
  return rolesOf(
    withIssued(
      configured,
      issued.filter(({ service }) => service === 'catalog'),
    ),
  );
}

const withIssued = ({ readers, moderators }: Entries, issued: readonly AccessToken[]): Entries => ({
  readers: [...readers, ...issued.filter(({ role }) => role !== 'moderator').map(toTokenEntry)],
  moderators: [...moderators, ...issued.filter(({ role }) => role === 'moderator').map(toTokenEntry)],
});

const rolesOf = ({ readers, moderators }: Entries): ReadonlyMap<string, Role> =>
  new Map([
    ...readers.map(({ principal }) => [principal, 'reader'] as const),
    ...moderators.map(({ principal }) => [principal, 'moderator'] as const),
  ]);
