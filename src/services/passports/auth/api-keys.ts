import { hash, timingSafeEqual } from 'node:crypto';
import { MIN_TOKEN_LENGTH, TOKEN_TOO_SHORT } from '../../../http/token-settings.ts';

/** An `admin` can also use operations on documents of all owners. */
export type Role = 'admin' | 'user';

/** Only the digest of a key is stored. */
export interface ApiKey {
  readonly name: string;
  readonly role: Role;
  readonly digest: string;
  /** Distinguishes keys of the same name, so that a replaced key's tokens become invalid. Not secret. */
  readonly id: string;
}

export function checkKeysForProduction(text: string): void {
  const index = entriesOf(text).findIndex((entry) => {
    const key = ENTRY.exec(entry)?.groups?.['key'];
    return key !== undefined && key.length < MIN_TOKEN_LENGTH;
  });
  if (index >= 0) throw new Error(`API key number ${index + 1} ${TOKEN_TOO_SHORT}`);
}

/**
 * Parses `name:key` or `name:sha256:<hex>` entries with an optional `:admin` (default) or `:user`, separated by commas
 * or line breaks. Error messages never quote a key.
 */
export function parseApiKeys(text: string | undefined): readonly ApiKey[] {
  return entriesOf(text ?? '').map((entry, index) => {
    const parts = ENTRY.exec(entry)?.groups;
    if (parts === undefined) {
      if (SHORT_KEY.test(entry)) throw new Error(`API key number ${index + 1} has fewer than 8 characters.`);
      throw new Error(
        `API key number ${index + 1} is not of the form name:key or name:sha256:<64 hex digits>, optionally followed by :admin or :user.`,
      );
    }
    const {
      name,
      digest: writtenDigest,
      key,
      role = 'admin',
    } = parts as Record<'name' | 'digest' | 'key', string> & {
      role?: Role;
    };
    const digest = writtenDigest?.toLowerCase() ?? hash('sha256', key, 'hex');
    return { name, role, digest, id: digest.slice(0, 12) };
  });
}

const entriesOf = (text: string) =>
  text
    .split(/[,\r\n]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'));

/** Compares every entry without an early exit, so that the time reveals nothing. */
export function matchKey(keys: readonly ApiKey[], key: string): ApiKey | undefined {
  const presented = Buffer.from(hash('sha256', key, 'hex'), 'latin1');
  let found: ApiKey | undefined;
  for (const entry of keys) if (timingSafeEqual(Buffer.from(entry.digest, 'latin1'), presented)) found = entry;
  return found;
}

// The key is lazy, so that a trailing role is a role; the lookahead rejects malformed digests.
const ENTRY =
  /^(?<name>[A-Za-z0-9._-]{1,64}):(?:sha256:(?<digest>[0-9a-fA-F]{64})|(?!sha256:)(?<key>[\x21-\x7e]{8,512}?))(?::(?<role>admin|user))?$/;
const SHORT_KEY = /^[A-Za-z0-9._-]{1,64}:(?!sha256:)[\x21-\x7e]{1,7}(?::(?:admin|user))?$/;
