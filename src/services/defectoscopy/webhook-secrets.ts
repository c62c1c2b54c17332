import { EMPTY_LIST_MESSAGE, splitList } from '../../base/settings.ts';
import type { TokenSet } from '../../http/bearer.ts';
import { isWebhookSecret, MIN_WEBHOOK_SECRET_BYTES } from '../shared/webhook-secret.ts';

/**
 * The webhook secrets by principal. An entry is `<first 12 hex digits of the token's SHA-256>:whsec_…`, or `token-<12
 * digits>:whsec_…` as in logs. During a rotation a token has two. Throws for entries that can never be used. A name that is not configured may belong to
 * an issued token; see `unknownPrincipals`.
 */
export function webhookSecrets(text: string | undefined, tokens: TokenSet): ReadonlyMap<string, readonly string[]> {
  const secrets = new Map<string, readonly string[]>();
  const entries = splitList(text ?? '');
  if (text && entries.length === 0) throw new Error(`DEFECTOSCOPY_WEBHOOK_SECRETS: ${EMPTY_LIST_MESSAGE}`);
  entries.forEach((entry, index) => {
    // The entry contains a secret, so only its number is reported.
    const invalid = (problem: string) => new Error(`DEFECTOSCOPY_WEBHOOK_SECRETS: entry ${index + 1} ${problem}.`);
    const [, digits, secret] = ENTRY.exec(entry) ?? [];
    if (digits === undefined || secret === undefined) {
      throw invalid('must have the form <12 hex digits>:whsec_<base64 of at least 24 bytes>');
    }
    const principal = `token-${digits.toLowerCase()}`;
    if (tokens.state === 'disabled') throw invalid('names a token, but authorization is disabled');
    const earlier = secrets.get(principal) ?? [];
    if (earlier.length === MAX_SECRETS) throw invalid('is the third one of its token');
    if (!isWebhookSecret(secret)) {
      throw invalid(`has a secret that is not base64 of at least ${MIN_WEBHOOK_SECRET_BYTES} bytes`);
    }
    if (earlier.includes(`whsec_${secret}`)) throw invalid('repeats an earlier entry');
    secrets.set(principal, [...earlier, `whsec_${secret}`]);
  });
  return secrets;
}

/** The principals without a configured token. */
export function unknownPrincipals(secrets: ReadonlyMap<string, unknown>, tokens: TokenSet): readonly string[] {
  const known = new Set(tokens.state === 'enforced' ? tokens.entries.map(({ principal }) => principal) : []);
  return [...secrets.keys()].filter((principal) => !known.has(principal));
}

const ENTRY = /^(?:token-)?([0-9a-f]{12}):whsec_(\S+)$/i;
/** The new and the previous one. */
const MAX_SECRETS = 2;
