import { NO_ENTRY, split } from '../../base/settings.ts';
import type { TokenSet } from '../../http/bearer.ts';

/**
 * The secret of each token, by its principal. An entry is `<first 12 hex digits of the token's SHA-256>:whsec_…`; the
 * name may also be written as logs show it, `token-<12 digits>`. What could never sign anything (a name where no token
 * is asked for, a secret that is not base64) throws a sentence: it would be left out without a word otherwise. A name that
 * is none of the settings' tokens may be one that `assay tokens` has issued; `strangers` answers which those are.
 */
export function webhookSecrets(text: string | undefined, tokens: TokenSet): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  const entries = split(text ?? '');
  if (text && entries.length === 0) throw new Error(`DEFECTOSCOPY_WEBHOOK_SECRETS: ${NO_ENTRY}`);
  entries.forEach((entry, index) => {
    // The place and never the text: half of it is a secret.
    const wrong = (what: string) => new Error(`DEFECTOSCOPY_WEBHOOK_SECRETS: entry number ${index + 1} ${what}.`);
    const [, digits, secret] = ENTRY.exec(entry) ?? [];
    if (digits === undefined || secret === undefined) {
      throw wrong('is not written like <12 hex digits>:whsec_<base64 of at least 24 bytes>');
    }
    const principal = `token-${digits.toLowerCase()}`;
    if (tokens.state === 'disabled') throw wrong('names a token, yet authorization is disabled');
    if (secrets.has(principal)) throw wrong('names a token that an earlier one names');
    if (!isBase64(secret) || Buffer.from(secret, 'base64').length < LEAST_BYTES) {
      throw wrong(`has a secret that is not base64 of at least ${LEAST_BYTES} bytes`);
    }
    secrets.set(principal, `whsec_${secret}`);
  });
  return secrets;
}

/** The names among these that are no token's: their secrets sign nothing. */
export function strangers(secrets: ReadonlyMap<string, string>, tokens: TokenSet): readonly string[] {
  const known = new Set(tokens.state === 'enforced' ? tokens.entries.map(({ principal }) => principal) : []);
  return [...secrets.keys()].filter((principal) => !known.has(principal));
}

const ENTRY = /^(?:token-)?([0-9a-f]{12}):whsec_(\S+)$/i;
// The least that Standard Webhooks allows.
const LEAST_BYTES = 24;

/** Node reads on over whatever is no base64; a receiver's library would read another secret from the same text. */
const isBase64 = (text: string) => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0;
