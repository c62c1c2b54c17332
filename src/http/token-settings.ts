import { type Setting, split, verbatim } from '../base/settings.ts';
import { isDigest, tokensFrom } from './bearer.ts';

// "Not defined" and "empty" differ (see `tokensFrom`), so the text is kept as it is.

/** `production` accepts no shorter token: with 16 random letters and digits it has more than 80 bits. */
export const SHORTEST_TOKEN = 16;
export const TOO_SHORT = `has fewer than ${SHORTEST_TOKEN} characters, which \`production\` does not accept: \`openssl rand -hex 24\` prints a good one.`;

/** Bearer tokens, comma-separated. */
export const tokenList = (env: string, about: string): Setting<string | undefined> => ({
  ...verbatim(env, about, { secret: true }),
  read(list) {
    tokensFrom({ list, mayDisable: false });
    return list;
  },
  checkForProduction(list) {
    const index = split(list).findIndex(isShort);
    // The place and never the token.
    if (index >= 0) throw new Error(`Access token number ${index + 1} ${TOO_SHORT}`);
  },
});

/** One bearer token: a comma in it divides nothing. */
export const oneToken = (env: string, about: string): Setting<string | undefined> => ({
  ...verbatim(env, about, { secret: true }),
  read(single) {
    try {
      tokensFrom({ single });
    } catch {
      // Not the list's sentence: it counts, and here is nothing to count.
      throw new Error('must be one bearer token without spaces or commas, or "sha256:" and 64 hex digits.');
    }
    return single;
  },
  checkForProduction(single) {
    if (isShort(single)) throw new Error(TOO_SHORT);
  },
});

const isShort = (token: string) => token.length < SHORTEST_TOKEN && !isDigest(token);
