import { validationError } from '../../base/api-error.ts';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 8;
const MAX_KEYS = 200;

/** Throws a 422 error if the metadata exceeds its limits; `text` is its JSON text. */
export function checkMetadata(value: object, text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES) throw validationError(`metadata: larger than ${MAX_BYTES / 1024} KiB.`);
  let keys = 0;
  // Iterates by level: a body of 64 KiB can be nested deeper than the stack.
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw validationError(`metadata: nested deeper than ${MAX_DEPTH} levels.`);
    keys += level.reduce((sum, each) => sum + (Array.isArray(each) ? 0 : Object.keys(each).length), 0);
    if (keys > MAX_KEYS) throw validationError(`metadata: more than ${MAX_KEYS} keys.`);
    level = level.flatMap((each) => Object.values(each).filter(isNested));
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
