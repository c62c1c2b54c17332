import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readOrCreate } from '../base/secrets.ts';

/** An Ed25519 key pair with both forms of its public key. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  /** Standard Webhooks form: `whpk_…`. */
  readonly whpk: string;
  readonly jwk: Readonly<{ kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; alg: 'EdDSA'; use: 'sig' }>;
}

/** The keys that sign webhooks; two during a rotation. */
export interface SigningKeys {
  readonly signingKey: SigningKey;
  readonly previousKey?: SigningKey | undefined;
}

export interface SignedMessage extends Partial<SigningKeys> {
  readonly id: string;
  /** Time of this attempt in whole Unix seconds. */
  readonly timestamp: number;
  readonly body: string | Buffer;
  /** Several during a rotation. */
  readonly secret?: string | readonly string[] | undefined;
}

/** The Standard Webhooks headers of one attempt: `v1` (HMAC-SHA256) if there is a secret, and `v1a` (Ed25519). */
export function signWebhook(
  message: SignedMessage,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const { id, timestamp, body, secret, signingKey, previousKey } = message;
  // With a dot in the id, two messages could share one signed text.
  if (id.includes('.') || !Number.isInteger(timestamp))
    throw new TypeError('The webhook id contains a dot, or the timestamp is not in whole seconds.');
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  const signatures = [secret ?? []]
    .flat()
    .map((each) => `v1,${createHmac('sha256', secretBytes(each)).update(content).digest('base64')}`);
  for (const key of [signingKey, previousKey]) {
    if (key) signatures.push(`v1a,${signBytes(null, content, key.privateKey).toString('base64')}`);
  }
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

/** Loads the signing key from `file` (PKCS #8, PEM); the first of several concurrent processes creates it. */
export async function loadOrCreateSigningKey(file: string): Promise<SigningKey> {
  const pem = await readOrCreate(file, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  return parseSigningKey(pem, file);
}

/** Undefined if the file does not exist. */
export async function loadSigningKey(file: string): Promise<SigningKey | undefined> {
  const pem = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return pem && parseSigningKey(pem, file);
}

function parseSigningKey(pem: Buffer, file: string): SigningKey {
  try {
    return createSigningKey(createPrivateKey(pem));
  } catch (error) {
    throw new Error(`${file} does not contain an Ed25519 private key in PEM format.`, { cause: error });
  }
}

export function createSigningKey(privateKey: KeyObject): SigningKey {
  const { crv, x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new TypeError('Not an Ed25519 key.');
  // The key id is the JWK thumbprint (RFC 7638).
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv, kty: 'OKP', x }))
    .digest('base64url');
  const whpk = `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
  return { privateKey, whpk, jwk: { kty: 'OKP', crv, x, kid, alg: 'EdDSA', use: 'sig' } };
}

/** The JWK set of the keys in use; members also contain the `whpk_` form. */
export function createJwks(...keys: readonly SigningKey[]): { keys: (SigningKey['jwk'] & { whpk: string })[] } {
  return { keys: keys.map(({ jwk, whpk }) => ({ ...jwk, whpk })) };
}

/** Base64 after the prefix `whsec_`; otherwise the UTF-8 bytes of the secret. */
function secretBytes(secret: string): Buffer {
  return secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret, 'utf8');
}
