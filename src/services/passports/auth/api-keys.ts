import { hash, timingSafeEqual } from 'node:crypto';
import { SHORTEST_TOKEN, TOO_SHORT } from '../../../http/token-settings.ts';

/** What the holder of a key may do: an `admin` also what concerns everybody's documents. */
export type Role = 'admin' | 'user';

/** A key that the administrator gave out. Its text is not kept. */
export interface ApiKey {
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the key as hex text. */
  readonly digest: string;
  /** Tells keys of one name apart, so that tokens of a replaced key end with it; safe to show. */
  readonly id: string;
}

/** Throws the reason why `production` does not accept one of these keys. */
export function checkKeysForProduction(text: string): void {
  const index = entriesOf(text).findIndex((entry) => {
    const key = ENTRY.exec(entry)?.groups?.['key'];
    return key !== undefined && key.length < SHORTEST_TOKEN;
  });
  if (index >= 0) throw new Error(`API key number ${index + 1} ${TOO_SHORT}`);
}

/**
 * The keys that `text` lists: `name:key`, or `name:sha256:<hex>` to keep only the digest in the settings, each with an
 * optional `:admin` or `:user` at its end; divided by commas or line ends. A key without a role is an `admin`, as the
 * only kind of key that the specification knows. Throws a sentence that never quotes a key.
 */
export function apiKeysFrom(text: string | undefined): readonly ApiKey[] {
  return entriesOf(text ?? '').map((entry, index) => {
    const parts = ENTRY.exec(entry)?.groups;
    if (parts === undefined) {
      if (SHORT_KEY.test(entry)) throw new Error(`API key number ${index + 1} has fewer than 8 characters.`);
      throw new Error(
        `API key number ${index + 1} is not of the form name:key or name:sha256:<64 hex digits>, with :admin or :user at the end where a role is meant.`,
      );
    }
    const {
      name,
      digest: written,
      key,
      role = 'admin',
    } = parts as Record<'name' | 'digest' | 'key', string> & {
      role?: Role;
    };
    const digest = written?.toLowerCase() ?? hash('sha256', key, 'hex');
    return { name, role, digest, id: digest.slice(0, 12) };
  });
}

const entriesOf = (text: string) =>
  text
    .split(/[,\r\n]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'));

/** The entry that `key` is. Every entry is compared, without an early exit: the time taken tells nothing. */
export function matchKey(keys: readonly ApiKey[], key: string): ApiKey | undefined {
  const presented = Buffer.from(hash('sha256', key, 'hex'), 'latin1');
  let found: ApiKey | undefined;
  for (const entry of keys) if (timingSafeEqual(Buffer.from(entry.digest, 'latin1'), presented)) found = entry;
  return found;
}

// A key is lazy, so that a role at the end is a role; it has no colon at its start, so that a digest is a digest.
const ENTRY =
  /^(?<name>[A-Za-z0-9._-]{1,64}):(?:sha256:(?<digest>[0-9a-fA-F]{64})|(?!sha256:)(?<key>[\x21-\x7e]{8,512}?))(?::(?<role>admin|user))?$/;
const SHORT_KEY = /^[A-Za-z0-9._-]{1,64}:(?!sha256:)[\x21-\x7e]{1,7}(?::(?:admin|user))?$/;
