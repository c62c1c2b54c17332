/** Parameters of a composed SQL statement: `bind` adds a value and returns its placeholder `$1`, `$2`, … */
export interface SqlParameters {
  readonly values: readonly unknown[];
  bind(value: unknown): string;
}

export function createParameters(): SqlParameters {
  const values: unknown[] = [];
  return {
    values,
    bind(value) {
      values.push(value);
      return `$${values.length}`;
    },
  };
}
