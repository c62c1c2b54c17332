import { type TokenEntry, type TokenSet, toTokenEntry } from '../../../http/bearer.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import type { TokenSnapshot } from '../../../http/token-store.ts';

/** The role of issued tokens that may correct results. */
export const REVIEWER = 'reviewer';

/**
 * `isReviewer`: the setting or the role of the token says so. `mayCorrect`: reviewers, or everyone without authorization
 * and, by default, on a local installation; only reviewers see the tasks of others then.
 */
export function createReviewerCheck(options: {
  readonly tokens: TokenSet;
  /** Undefined: the setting is absent. */
  readonly reviewers: readonly TokenEntry[] | undefined;
  readonly isLocal: boolean;
  readonly issued: () => TokenSnapshot;
}) {
  const { tokens, reviewers, isLocal, issued } = options;
  const isEveryone = tokens.state === 'disabled' || (isLocal && reviewers === undefined);
  const isReviewer = (principal: string | undefined): boolean =>
    principal !== undefined &&
    (reviewers?.some((entry) => entry.principal === principal) ||
      issued().tokens.some((token) => token.role === REVIEWER && toTokenEntry(token).principal === principal));
  return {
    isReviewer,
    mayCorrect: (principal: string | undefined) =>
      (isEveryone && !isSandboxPrincipal(principal)) || isReviewer(principal),
  };
}
