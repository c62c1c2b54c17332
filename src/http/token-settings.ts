import { type Setting, split, verbatim } from '../base/settings.ts';
import { isDigest, tokensFrom } from './bearer.ts';

// Raw text, because undefined and empty differ (`parseTokenSettings`).

/** Minimum token length in `production`: 16 random letters and digits have more than 80 bits of entropy. */
export const SHORTEST_TOKEN = 16;
export const TOO_SHORT = `has fewer than ${SHORTEST_TOKEN} characters, which \`production\` does not accept. Create one with \`openssl rand -hex 24\`.`;

/** Bearer tokens, comma-separated. */
export const tokenList = (env: string, about: string): Setting<string | undefined> => ({
  ...verbatim(env, about, { secret: true }),
  read(list) {
    tokensFrom({ list, mayDisable: false });
    return list;
  },
  checkForProduction(list) {
    const index = split(list).findIndex(isShort);
    // The position, not the token.
    if (index >= 0) throw new Error(`Access token number ${index + 1} ${TOO_SHORT}`);
  },
});

/** One bearer token; commas do not separate. */
export const oneToken = (env: string, about: string): Setting<string | undefined> => ({
  ...verbatim(env, about, { secret: true }),
  read(single) {
    try {
      tokensFrom({ single });
    } catch {
      // The message for lists contains a position.
      throw new Error('must be one bearer token without spaces or commas, or "sha256:" followed by 64 hex digits.');
    }
    return single;
  },
  checkForProduction(single) {
    if (isShort(single)) throw new Error(TOO_SHORT);
  },
});

const isShort = (token: string) => token.length < SHORTEST_TOKEN && !isDigest(token);
