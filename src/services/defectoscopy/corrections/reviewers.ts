import { type TokenEntry, type TokenSet, toTokenEntry } from '../../../http/bearer.ts';
import type { TokenSnapshot } from '../../../http/token-store.ts';

/** The role of issued tokens that may correct results. */
export const REVIEWER = 'reviewer';

/** Which principals may correct results: reviewers, or everyone without authorization and, by default, on a local installation. */
export function createReviewerCheck(options: {
  readonly tokens: TokenSet;
  /** Undefined: the setting is absent. */
  readonly reviewers: readonly TokenEntry[] | undefined;
  readonly isLocal: boolean;
  readonly issued: () => TokenSnapshot;
}): (principal: string | undefined) => boolean {
  const { tokens, reviewers, isLocal, issued } = options;
  if (tokens.state === 'disabled' || (isLocal && reviewers === undefined)) return () => true;
  return (principal) =>
    principal !== undefined &&
    (reviewers?.some((entry) => entry.principal === principal) ||
      issued().tokens.some((token) => token.role === REVIEWER && toTokenEntry(token).principal === principal));
}
