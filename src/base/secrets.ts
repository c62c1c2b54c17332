import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { link, mkdir, open as openFile, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from './ids.ts';
import { OperatorError } from './operator-error.ts';

/**
 * The bytes of `file`; when there is none, it is first made with what `make` returns, readable by its owner alone.
 * Processes that do this at the same moment all get the same bytes, and none ever sees half of them.
 */
export async function readOrCreate(file: string, make: () => string | Buffer): Promise<Buffer> {
  const there = await readFile(file).catch(unless('ENOENT'));
  if (there) return there;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${newId()}`;
  try {
    const handle = await openFile(draft, 'wx', 0o600);
    try {
      await handle.writeFile(make());
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link appears whole or not at all and, unlike a rename, never replaces what another process put there first.
    await link(draft, file).catch(unless('EEXIST'));
  } finally {
    await unlink(draft).catch(unless('ENOENT'));
  }
  return readFile(file);
}

/** The secret in `file`, as text: made at the first call, kept for its owner alone. An empty file is not a secret. */
export async function keptSecret(file: string): Promise<string> {
  const make = () => `${newId()}${newId()}${newId()}\n`;
  const secret = (await readOrCreate(file, make)).toString('utf8').trim();
  if (Buffer.byteLength(secret) < KEY_BYTES)
    throw new OperatorError(`${file} does not hold a secret of at least ${KEY_BYTES} bytes.`);
  return secret;
}

/** The key of 32 random bytes in `file` (base64), made at the first call; its value never shows in a log. */
export async function loadOrCreateKey(file: string): Promise<KeyObject> {
  const text = (await readOrCreate(file, () => `${randomBytes(KEY_BYTES).toString('base64')}\n`))
    .toString('utf8')
    .trim();
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error(`${file} does not hold a key: ${KEY_BYTES} bytes in base64.`);
  return createSecretKey(bytes);
}

/** `text` as bytes that only the holder of `key` can read or change (AES-256-GCM). */
export function seal(key: KeyObject, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** The text that was sealed; throws when the key is another one or a single bit has changed. */
export function open(key: KeyObject, sealed: Buffer): string {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) throw new Error('These bytes were not sealed here.');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
}

const KEY_BYTES = 32;
// The first byte leaves a door for another cipher, without a guess about what old rows hold.
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** Passes over one expected error; every other one goes on its way. */
function unless(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
