/** JSON texts escape this control character, so it can separate them. */
const SEPARATOR = '\u001e';

/**
 * The values of a JSON column as one parameter for `jsonColumnSql`; undefined: null. As elements of an array, `pg` escapes each quotation
 * mark and PostgreSQL unescapes it, which took a twentieth of a worker's time (measured).
 */
export const jsonColumn = (values: readonly unknown[]): string =>
  values.map((value) => (value === undefined ? '' : JSON.stringify(value))).join(SEPARATOR);

/** SQL: the parameter `jsonColumn` as an array of texts, which are empty for null. An array of nulls may have fewer elements. */
export const jsonColumnSql = (parameter: string): string => `string_to_array(${parameter}::text, e'\\x1e')`;
