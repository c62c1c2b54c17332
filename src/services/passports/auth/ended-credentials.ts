import type { Caller } from '../documents.ts';
import type { Sessions } from './sessions.ts';
import type { TokenClaims, Tokens } from './tokens.ts';

interface Credentials {
  readonly caller: Caller | undefined;
  readonly token: TokenClaims | undefined;
}

/** Returns a function that finds the items whose session or token has ended, with one query. */
export const createEndedCredentials =
  ({ tokens, sessions }: { tokens: Tokens; sessions: Sessions }) =>
  async <T extends Credentials>(items: readonly T[]): Promise<T[]> => {
    const invalid = await sessions.findInvalid({
      sessions: [...new Set(items.flatMap(({ caller }) => caller?.session ?? []).filter(isOfCookie))],
      tokens: [...new Set(items.flatMap(({ token }) => token?.jti ?? []))],
    });
    return items.filter(
      ({ caller, token }) =>
        (caller && invalid.has(caller.session)) || (token && (invalid.has(token.jti) || !tokens.isValid(token))),
    );
  };

/** The implied session of a key ends with the key. */
const isOfCookie = (session: string) => !session.startsWith('key:');
