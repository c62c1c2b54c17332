import { ApiError } from '../../../base/api-error.ts';
import type { BatchProblem } from '../../../ui/browser/batch-texts.ts';

/** An invalid item of a request, by its line or by the name of its file. */
export type InvalidItem = ({ readonly line: number } | { readonly name: string; readonly code: FileProblem }) & {
  readonly message: string;
};

/** The `code` of an invalid file, for pages in other languages. */
export type FileProblem =
  | 'DUPLICATE_NAME'
  | 'INVALID_NAME'
  | 'UNSAFE_PATH'
  | 'ENCRYPTED'
  | 'UNSUPPORTED_COMPRESSION'
  | 'NESTED_ARCHIVE'
  | 'FILE_TOO_LARGE'
  | 'EMPTY_FILE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'DAMAGED';

/** Rejects a batch, with a `code` for pages in other languages, and the `limit` that it exceeds. */
export const invalidBatch = (code: BatchProblem, message: string, limit?: number) =>
  new ApiError('VALIDATION_ERROR', 422, message, {}, { details: { code, ...(limit !== undefined && { limit }) } });

export const MAX_ITEMS = 10_000;

/** `limit`: of a batch, or of the waiting tasks if that is lower. */
export const tooManyItems = (limit: number) =>
  invalidBatch(
    'TOO_MANY_FILES',
    `A batch has at most ${limit} items${limit < MAX_ITEMS ? ': no more tasks may wait at the same time' : ''}.`,
    limit,
  );

const MAX_REPORTED = 20;

export type InvalidItems = ReturnType<typeof createInvalidItems>;

/** Collects the invalid items of a request: to report them together, or to leave them out (`skip`). */
export function createInvalidItems(skip: boolean) {
  const reported: InvalidItem[] = [];
  let count = 0;
  let ignored = 0;
  return {
    skip,
    add(item: InvalidItem): void {
      count++;
      if (reported.length < MAX_REPORTED) reported.push(item);
    },
    /** A file of an operating system. */
    ignore(): void {
      ignored++;
    },
    isEmpty: () => count === 0,
    /** Throws if an item is invalid; when they are left out, if none is `valid`. */
    throwIfAny(valid: number): void {
      const [first] = reported;
      if (first === undefined || (skip && valid > 0)) return;
      throw invalidItems(first, { invalid: count, total: valid + count, items: reported });
    },
    /** For the response. */
    leftOut: () => ({
      ...(count > 0 && { left_out: { count, items: reported } }),
      ...(ignored > 0 && { ignored }),
    }),
  };
}

export const invalidItems = (
  first: InvalidItem,
  details: { invalid: number; total: number; items: readonly InvalidItem[] },
) =>
  new ApiError(
    'VALIDATION_ERROR',
    422,
    `${'line' in first ? `Line ${first.line}` : first.name}: ${first.message} ${details.invalid} of ${details.total} items ${details.invalid === 1 ? 'is' : 'are'} invalid; nothing was accepted.`,
    {},
    { details },
  );
