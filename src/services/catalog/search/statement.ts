/** The parameters of a statement that is put together: each value is said once, and stands in the text as `$1`, `$2`, … */
export interface Parameters {
  readonly values: readonly unknown[];
  say(value: unknown): string;
}

export function parameters(): Parameters {
  const values: unknown[] = [];
  return {
    values,
    say(value) {
      values.push(value);
      return `$${values.length}`;
    },
  };
}
