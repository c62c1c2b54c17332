/** Patterns of texts that come in: the database has no zero character, and half of a surrogate pair is no text. */
export const WITHOUT_NUL = '^[^\\u0000]*$';
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';

/** What a text that breaks one of them is told: the pattern itself says nothing to people. */
export const STORABLE_IN_WORDS: Readonly<Record<string, string>> = {
  [WITHOUT_NUL]: 'Text may not contain the character NUL (U+0000)',
  [STORABLE]: 'Text may not contain the character NUL (U+0000) or half of a character (a surrogate by itself)',
};
