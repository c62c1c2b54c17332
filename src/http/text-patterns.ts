/** Patterns of input text: PostgreSQL cannot store NUL, and a lone surrogate is invalid. */
export const WITHOUT_NUL = '^[^\\u0000]*$';
export const STORABLE_TEXT = '^[^\\u0000\\ud800-\\udfff]*$';
/** A name that people enter: invisible characters could make two names look equal. */
export const VISIBLE_NAME = '^[^\\S\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$';
/** A URL's query string. */
export const URL_QUERY = '^[!-~]*$';
/**
 * Base64 of at least one byte after `whsec_`, because Node ignores invalid base64, so that the key could be empty; or any text
 * with another start. Without lookahead, which many readers of OpenAPI documents lack.
 */
export const WEBHOOK_SECRET =
  /^whsec_([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$|^([^w]|w[^h]|wh[^s]|whs[^e]|whse[^c]|whsec[^_])|^w(h(s(ec?)?)?)?$/;

/** Error messages of these patterns. */
export const PATTERN_MESSAGES: Readonly<Record<string, string>> = {
  [WITHOUT_NUL]: 'Text may not contain the character NUL (U+0000)',
  [STORABLE_TEXT]: 'Text may not contain the character NUL (U+0000) or lone surrogates',
  [VISIBLE_NAME]:
    'A name must contain a visible character and may not contain line breaks, tabs or other control characters',
  [URL_QUERY]: 'A query string may only contain visible ASCII characters: percent-encode all others, as in q=%D0%BC',
  [WEBHOOK_SECRET.source]: 'A secret that begins with `whsec_` must continue with base64',
};
