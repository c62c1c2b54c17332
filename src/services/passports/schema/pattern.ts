/**
 * A regular expression of a schema: the operator's, or the default one's, which a test holds to linear time. Throws
 * SyntaxError where `source` is none.
 */
export function schemaPattern(source: string, flags: 'u' | 'iu'): RegExp {
  // eslint-disable-next-line no-restricted-syntax -- a setting of the operator
  return new RegExp(source, flags);
}
