import { hash } from 'node:crypto';
import { validationError } from '../base/api-error.ts';
import type { JsonValue } from '../base/json.ts';

/**
 * Parses `Idempotency-Key`, bare or as a quoted string (equivalent). Throws for an invalid key: ignoring it would let a retry
 * run twice.
 */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key =
    typeof header === 'string'
      ? (QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') ?? BARE.exec(header)?.[0])
      : undefined;
  if (key === undefined || key.length > 255) {
    throw validationError('`Idempotency-Key` must be 1 to 255 printable ASCII characters, bare or in double quotes.');
  }
  return key;
}

/** Digest of a request body that distinguishes a retry from another request; independent of the key order. */
export function fingerprint(body: JsonValue | undefined): string {
  return hash('sha256', canonical(body ?? null), 'hex');
}

// Printable ASCII; quotes and backslashes inside quotes are escaped with a backslash.
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/;
const BARE = /^[\x21\x23-\x7e][\x20-\x7e]*$/;

function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key]!)}`);
  return `{${members.join(',')}}`;
}
