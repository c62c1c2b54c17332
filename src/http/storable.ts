/** Patterns of input text: PostgreSQL cannot store NUL, and a lone surrogate is invalid. */
export const WITHOUT_NUL = '^[^\\u0000]*$';
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';
/** A name that people enter: invisible characters could make two names look equal. */
export const NAME_TO_SEE = '^[^\\S\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$';

/** Error messages of these patterns. */
export const STORABLE_IN_WORDS: Readonly<Record<string, string>> = {
  [WITHOUT_NUL]: 'Text may not contain the character NUL (U+0000)',
  [STORABLE]: 'Text may not contain the character NUL (U+0000) or lone surrogates',
  [NAME_TO_SEE]:
    'A name must contain a visible character and may not contain line breaks, tabs or other control characters',
};
