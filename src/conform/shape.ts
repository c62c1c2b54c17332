/** Returns what is wrong with a value, or undefined. */
export type Shape = (value: unknown, at: string) => string | undefined;

const like =
  (isMet: (value: unknown) => boolean, what: string): Shape =>
  (value, at) =>
    isMet(value) ? undefined : `${at} to be ${what}`;

export const anything: Shape = () => undefined;
export const text = like((value) => typeof value === 'string', 'a string');
export const filledText = like((value) => typeof value === 'string' && value !== '', 'a string that is not empty');
export const flag = like((value) => typeof value === 'boolean', 'a boolean');
export const number = like((value) => typeof value === 'number', 'a number');
export const integer = like(Number.isInteger, 'an integer');

export const atLeast =
  (minimum: number): Shape =>
  (value, at) =>
    integer(value, at) ?? (Number(value) >= minimum ? undefined : `${at} to be ${minimum} or more`);

export const oneOf = (...values: readonly unknown[]) =>
  like((value) => values.includes(value), values.map((one) => JSON.stringify(one)).join(' or '));

export const matching = (pattern: RegExp, what: string) =>
  like((value) => typeof value === 'string' && pattern.test(value), what);

export const nullable =
  (shape: Shape): Shape =>
  (value, at) => {
    const wrong = value === null ? undefined : shape(value, at);
    return wrong && `${wrong}, or null`;
  };

export const listOf =
  (shape: Shape): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) return `${at} to be an array`;
    return first(value.map((one, index) => () => shape(one, `${at}[${index}]`)));
  };

/** An object with these fields; other fields are ignored. */
export const record =
  (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (value, at) => {
    if (!isRecord(value)) return `${at} to be an object`;
    const fields = Object.entries(required).map(([key, shape]) => () => {
      return Object.hasOwn(value, key) ? shape(value[key], `${at}.${key}`) : `${at}.${key} to be present`;
    });
    const others = Object.entries(optional).map(([key, shape]) => () => {
      const wrong = Object.hasOwn(value, key) ? shape(value[key], `${at}.${key}`) : undefined;
      return wrong && `${wrong}, or absent`;
    });
    return first([...fields, ...others]);
  };

/** An object without these keys. */
export const without =
  (...keys: readonly string[]): Shape =>
  (value, at) => {
    const present = keys.find((key) => isRecord(value) && Object.hasOwn(value, key));
    return present && `${at}.${present} to be absent`;
  };

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Unix time in seconds as a decimal string; milliseconds have more digits. */
export const unixSeconds = matching(/^\d{9,11}$/, 'a decimal string of a Unix time in seconds');

export const isoTime = matching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/,
  'an ISO 8601 timestamp',
);

export const uuid = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'a UUID');

function first(validators: readonly (() => string | undefined)[]): string | undefined {
  for (const validate of validators) {
    const wrong = validate();
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Compares JSON values; key order is ignored. */
export const deepEqual = (a: unknown, b: unknown) => JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sortKeys(one)]));
}
