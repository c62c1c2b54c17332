import { validationError } from '../../base/faults.ts';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 8;
const MAX_KEYS = 200;

/** Throws the 422 for metadata that is more than a task should carry; `text` is `value` as it came. */
export function checkMetadata(value: object, text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES) throw validationError(`metadata: larger than ${MAX_BYTES / 1024} KiB.`);
  let keys = 0;
  // Level by level and not by recursion: a body of 64 KiB may be nested deeper than a stack.
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw validationError(`metadata: nested deeper than ${MAX_DEPTH} levels.`);
    keys += level.reduce((sum, each) => sum + (Array.isArray(each) ? 0 : Object.keys(each).length), 0);
    if (keys > MAX_KEYS) throw validationError(`metadata: more than ${MAX_KEYS} keys.`);
    level = level.flatMap((each) => Object.values(each).filter(isNested));
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
