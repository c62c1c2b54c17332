/** Patterns of the default schema are tested for linear time. Throws SyntaxError. */
export function schemaPattern(source: string, flags: 'u' | 'iu'): RegExp {
  // eslint-disable-next-line no-restricted-syntax -- a setting of the operator
  return new RegExp(source, flags);
}
