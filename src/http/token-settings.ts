import { type Setting, verbatim } from '../base/settings.ts';
import { tokensFrom } from './bearer.ts';

// "Not defined" and "empty" differ (see `tokensFrom`), so the text is kept as it is; a word that no header could ever
// carry stops the start.

/** Bearer tokens, comma-separated. */
export const tokenList = (env: string, about: string): Setting<string | undefined> => ({
  ...verbatim(env, about, { secret: true }),
  read(list) {
    tokensFrom({ list });
    return list;
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
});
