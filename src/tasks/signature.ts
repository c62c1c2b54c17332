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

/** An Ed25519 key pair, with the two names it has in public. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  /** The public key as Standard Webhooks writes it: `whpk_…`. */
  readonly whpk: string;
  readonly jwk: Readonly<{ kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; alg: 'EdDSA'; use: 'sig' }>;
}

/** The keys that sign webhooks: two while receivers may still know only the one before the last rotation. */
export interface SigningKeys {
  readonly signingKey: SigningKey;
  readonly previousKey?: SigningKey | undefined;
}

export interface SignedMessage extends SigningKeys {
  readonly id: string;
  /** Whole seconds of Unix time, of this attempt. */
  readonly timestamp: number;
  /** The bytes as they will be sent. */
  readonly body: string | Buffer;
  readonly secret?: string | undefined;
}

/**
 * The three headers of Standard Webhooks for one attempt: `v1` (HMAC-SHA256) when there is a secret, `v1a` (Ed25519)
 * always.
 */
export function sign(message: SignedMessage): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const { id, timestamp, body, secret, signingKey, previousKey } = message;
  // A dot in the id would let two messages share one signed text.
  if (id.includes('.') || !Number.isInteger(timestamp)) throw new TypeError('Not a webhook id and whole seconds.');
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  const signatures = secret ? [`v1,${createHmac('sha256', secretBytes(secret)).update(content).digest('base64')}`] : [];
  for (const key of [signingKey, previousKey]) {
    if (key) signatures.push(`v1a,${signBytes(null, content, key.privateKey).toString('base64')}`);
  }
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

/** The signing key in `file` (PKCS #8, PEM), made at the first call; processes that start together share one. */
export async function loadOrCreateSigningKey(file: string): Promise<SigningKey> {
  const pem = await readOrCreate(file, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  return parseSigningKey(pem, file);
}

/** The signing key in `file`; undefined if there is no such file. */
export async function loadSigningKey(file: string): Promise<SigningKey | undefined> {
  const pem = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return pem && parseSigningKey(pem, file);
}

function parseSigningKey(pem: Buffer, file: string): SigningKey {
  try {
    return signingKey(createPrivateKey(pem));
  } catch (error) {
    throw new Error(`${file} does not hold an Ed25519 private key in PEM form.`, { cause: error });
  }
}

/** What an Ed25519 private key signs as. */
export function signingKey(privateKey: KeyObject): SigningKey {
  const { crv, x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new TypeError('Not an Ed25519 key.');
  // The key's name is its own thumbprint (RFC 7638), so nobody has to agree on one.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv, kty: 'OKP', x }))
    .digest('base64url');
  const whpk = `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
  return { privateKey, whpk, jwk: { kty: 'OKP', crv, x, kid, alg: 'EdDSA', use: 'sig' } };
}

/** The public document of the keys in use: a JWK set whose members carry the `whpk_` form too. */
export function jwks(...keys: readonly SigningKey[]): { keys: (SigningKey['jwk'] & { whpk: string })[] } {
  return { keys: keys.map(({ jwk, whpk }) => ({ ...jwk, whpk })) };
}

/** `whsec_` says that base64 follows; any other secret is meant letter by letter. */
function secretBytes(secret: string): Buffer {
  return secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret, 'utf8');
}
