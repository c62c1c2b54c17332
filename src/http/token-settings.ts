import { type Setting, secret, splitList } from '../base/settings.ts';
import { isDigest, parseTokenSettings } from './bearer.ts';

// Raw text, because undefined and empty differ (`parseTokenSettings`).

/** Minimum token length in `production`: 16 random letters and digits have more than 80 bits of entropy. */
export const MIN_TOKEN_LENGTH = 16;
export const TOKEN_TOO_SHORT = `has fewer than ${MIN_TOKEN_LENGTH} characters, which \`production\` does not accept. Create one with \`openssl rand -hex 24\`.`;

/** Bearer tokens, comma-separated. */
export const tokenListSetting = (env: string, about: string): Setting<string | undefined> => ({
  ...secret(env, about),
  read(list) {
    parseTokenSettings({ list, mayDisable: false });
    return list;
  },
  checkForProduction(list) {
    const index = splitList(list).findIndex(isShort);
    // The position, not the token.
    if (index >= 0) throw new Error(`Access token number ${index + 1} ${TOKEN_TOO_SHORT}`);
  },
});

/** One bearer token; commas do not separate. */
export const singleTokenSetting = (env: string, about: string): Setting<string | undefined> => ({
  ...secret(env, about),
  read(single) {
    try {
      parseTokenSettings({ single });
    } catch {
      // The message for lists contains a position.
      throw new Error('must be one bearer token without spaces or commas, or "sha256:" followed by 64 hex digits.');
    }
    return single;
  },
  checkForProduction(single) {
    if (isShort(single)) throw new Error(TOKEN_TOO_SHORT);
  },
});

const isShort = (token: string) => token.length < MIN_TOKEN_LENGTH && !isDigest(token);
