import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { link, open as openFile, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder, ifExists, ifMissing } from './file-system.ts';
import { newId } from './ids.ts';
import { OperatorError } from './operator-error.ts';

/**
 * The content of `file`; creates it atomically with mode 0600 from `make` if it is missing. Concurrent processes all get
 * the same bytes. `prepare` runs on the complete file before it appears under its name.
 */
export async function readOrCreate(
  file: string,
  make: () => string | Buffer,
  prepare?: (draft: string) => Promise<void>,
): Promise<Buffer> {
  const existing = await readFile(file).catch(ifMissing);
  if (existing) return existing;
  await createFolder(dirname(file), 0o700);
  const draft = `${file}.${newId()}`;
  try {
    const handle = await openFile(draft, 'wx', 0o600);
    try {
      await handle.writeFile(make());
      await handle.sync();
    } finally {
      await handle.close();
    }
    await prepare?.(draft);
    // `link` is atomic and, unlike a rename, never replaces a file that another process created first.
    await link(draft, file).catch(ifExists);
  } finally {
    await unlink(draft).catch(ifMissing);
  }
  return readFile(file);
}

/** Created on the first call. */
export async function loadSecret(file: string): Promise<string> {
  const make = () => `${newId()}${newId()}${newId()}\n`;
  const secret = (await readOrCreate(file, make)).toString('utf8').trim();
  if (Buffer.byteLength(secret) < KEY_BYTES)
    throw new OperatorError(`${file} does not hold a secret of at least ${KEY_BYTES} bytes.`);
  return secret;
}

/** The 32-byte key in `file` (base64); created on the first call. */
export async function loadOrCreateKey(file: string): Promise<KeyObject> {
  const text = (await readOrCreate(file, () => `${randomBytes(KEY_BYTES).toString('base64')}\n`))
    .toString('utf8')
    .trim();
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error(`${file} does not hold a key: ${KEY_BYTES} bytes in base64.`);
  return createSecretKey(bytes);
}

/** Encrypts and authenticates `text` (AES-256-GCM). */
export function seal(key: KeyObject, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** Decrypts; throws if the key or the data does not match. */
export function unseal(key: KeyObject, sealed: Buffer): string {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION)
    throw new Error('The data has an unknown encryption format.');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
}

const KEY_BYTES = 32;
/** First byte of the encrypted data, to allow other ciphers later. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
