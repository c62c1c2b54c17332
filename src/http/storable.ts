/** Patterns of texts that come in: the database has no zero character, and half of a surrogate pair is no text. */
export const WITHOUT_NUL = '^[^\\u0000]*$';
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';
/** A name that people give: characters that are none for the eye would make two of them look like one. */
export const NAME_TO_SEE = '^[^\\S\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$';

/** What a text that breaks one of them is told: the pattern itself says nothing to people. */
export const STORABLE_IN_WORDS: Readonly<Record<string, string>> = {
  [WITHOUT_NUL]: 'Text may not contain the character NUL (U+0000)',
  [STORABLE]: 'Text may not contain the character NUL (U+0000) or half of a character (a surrogate by itself)',
  [NAME_TO_SEE]:
    'A name needs a character that can be seen, and may not contain line ends, tabs or other control characters',
};
