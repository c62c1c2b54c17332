import { ApiError } from '../../../base/api-error.ts';

/** An invalid item of a request, by its line or by the name of its file. */
export type InvalidItem = ({ readonly line: number } | { readonly name: string }) & { readonly message: string };

const MAX_REPORTED = 20;

/** Collects the invalid items of a request, to report them together. */
export function createInvalidItems() {
  const reported: InvalidItem[] = [];
  let count = 0;
  return {
    add(item: InvalidItem): void {
      count++;
      if (reported.length < MAX_REPORTED) reported.push(item);
    },
    isEmpty: () => count === 0,
    throwIfAny(total: number): void {
      const [first] = reported;
      if (first !== undefined) throw invalidItems(first, { invalid: count, total, items: reported });
    },
  };
}

export const invalidItems = (
  first: InvalidItem,
  details: { invalid: number; total: number; items: readonly InvalidItem[] },
) =>
  new ApiError(
    'VALIDATION_ERROR',
    422,
    `${'line' in first ? `Line ${first.line}` : first.name}: ${first.message} ${details.invalid} of ${details.total} items are invalid; nothing was accepted.`,
    {},
    { details },
  );
