import { createHash } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { newId } from '../../../base/ids.ts';
import type { ApiKey } from './api-keys.ts';

export interface TokenClaims {
  readonly key: ApiKey;
  readonly jti: string;
  readonly expiresAt: Date;
}

export type Tokens = ReturnType<typeof createTokens>;

const CLAIMS = { iss: 'assay', aud: 'passports' };
const SKEW_SECONDS = 30;

/** JWTs (RFC 7519, following RFC 8725). Also accepts unexpired tokens signed with `previousSecret`. */
export function createTokens(options: {
  keys: readonly ApiKey[] | (() => readonly ApiKey[]);
  secret: string;
  previousSecret?: string | undefined;
  lifetimeHours: number;
}) {
  const { keys, secret, previousSecret, lifetimeHours } = options;
  const currentKeys = typeof keys === 'function' ? keys : () => keys;
  const current = signingKey(secret);
  const known = new Map(
    [secret, previousSecret].flatMap((each) => (each ? [signingKey(each)] : [])).map((key) => [key.kid, key.bytes]),
  );
  const lifetimeSeconds = Math.round(lifetimeHours * 3600);

  return {
    async issue(key: ApiKey, now = new Date()) {
      const issuedAt = Math.floor(now.getTime() / 1000);
      const exp = issuedAt + lifetimeSeconds;
      const times = { iat: issuedAt, nbf: issuedAt, exp };
      const token = await new SignJWT({ key_id: key.id, ...CLAIMS, sub: key.name, jti: newId(), ...times })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: current.kid })
        .sign(current.bytes);
      return { token, expiresInSeconds: lifetimeSeconds, expiresAt: new Date(exp * 1000) };
    },

    /** Undefined for an invalid or expired token, or one whose key no longer exists. */
    async verify(token: string, now = new Date()): Promise<TokenClaims | undefined> {
      if (!hasCanonicalSignature(token)) return undefined;
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid, crit }) => {
            // No critical extensions are supported.
            if (crit !== undefined) throw new errors.JOSENotSupported('crit');
            // An unknown `kid` is rejected without trying all keys.
            const bytes = kid === undefined ? undefined : known.get(kid);
            if (bytes === undefined) throw new errors.JWSSignatureVerificationFailed();
            return bytes;
          },
          {
            algorithms: ['HS256'],
            issuer: CLAIMS.iss,
            audience: CLAIMS.aud,
            clockTolerance: SKEW_SECONDS,
            requiredClaims: ['exp', 'nbf', 'iat', 'sub', 'jti'],
            currentDate: now,
          },
        );
        const { sub, jti, exp, key_id: keyId } = payload;
        const key = currentKeys().find(({ name, id }) => name === sub && id === keyId);
        if (key === undefined || typeof jti !== 'string') return undefined;
        return { key, jti, expiresAt: new Date(exp! * 1000) };
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
        throw error;
      }
    },

    /** Whether a verified token still is valid. */
    isValid: ({ key: { name, id }, expiresAt }: TokenClaims, now = new Date()) =>
      now.getTime() < expiresAt.getTime() + SKEW_SECONDS * 1000 &&
      currentKeys().some((key) => key.name === name && key.id === id),
  };
}

/** Node decodes base64 leniently; accepts only the canonical spelling of a signature (RFC 7515 §2). */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** The `kid` reveals nothing about the secret and is the same in every process. */
function signingKey(secret: string): { kid: string; bytes: Uint8Array } {
  const kid = createHash('sha256').update(`kid\0${secret}`).digest('hex').slice(0, 8);
  return { kid, bytes: new TextEncoder().encode(secret) };
}
