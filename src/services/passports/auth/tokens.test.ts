import { createHmac, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ApiKey, parseApiKeys } from './api-keys.ts';
import { createTokens } from './tokens.ts';

// Attacks on tokens are tested in test/hostile/tokens.full.test.ts.
const SECRET = 'a secret of more than thirty-two bytes';
const NOW = new Date('2026-05-31T12:00:00Z');
const [admin] = parseApiKeys('admin:admin-key-1234567890') as [ApiKey];
const tokensWith = (over: Partial<Parameters<typeof createTokens>[0]> = {}) =>
  createTokens({ keys: [admin], secret: SECRET, lifetimeHours: 24, ...over });

/** Issued by the first release with this key and secret: it must stay valid until it expires. */
const OLD =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjU0ODA2NDg0In0.eyJrZXlfaWQiOiJlNTgxYzhmNjgzMjciLCJpc3MiOiJhc3NheSIsImF1ZCI6InBhc3Nwb3J0cyIsInN1YiI6ImFkbWluIiwianRpIjoiMDFNN1dRVERaRkQwWkJGNVdWN041UFhUQUEiLCJpYXQiOjE3ODAyMjg4MDAsIm5iZiI6MTc4MDIyODgwMCwiZXhwIjoxNzgwMzE1MjAwfQ.E7wbprKk3rgwTR84fQHAtAb9J8OfGOpRZ7UujZEcuiE';

const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part!, 'base64url').toString());
function signed(header: object, payload: object, secret: string): string {
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

describe('a token', () => {
  it('has the registered claims of RFC 7519', async () => {
    const { token, expiresInSeconds, expiresAt } = await tokensWith({ lifetimeHours: 0.5 }).issue(admin, NOW);
    const [head, body] = token.split('.');
    expect(decoded(head)).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.stringMatching(/^[0-9a-f]{8}$/) });
    const seconds = NOW.getTime() / 1000;
    expect(decoded(body)).toEqual({
      ...{ iss: 'assay', aud: 'passports', sub: 'admin', key_id: admin.id, jti: expect.any(String) },
      ...{ iat: seconds, nbf: seconds, exp: seconds + 1800 },
    });
    expect(expiresInSeconds).toBe(1800);
    expect(expiresAt).toEqual(new Date('2026-05-31T12:30:00Z'));
  });

  it('returns its expiry time when verified, so that its revocation can be deleted then', async () => {
    expect(await tokensWith().verify(OLD, NOW)).toEqual({
      ...{ key: admin, jti: decoded(OLD.split('.')[1]).jti },
      expiresAt: new Date('2026-06-01T12:00:00Z'),
    });
  });

  it('becomes invalid as soon as its key is removed', async () => {
    let keys: readonly ApiKey[] = [admin];
    const tokens = tokensWith({ keys: () => keys });
    const claims = (await tokens.verify(OLD, NOW))!;
    expect(tokens.isValid(claims, NOW)).toBe(true);
    keys = [];
    expect(await tokens.verify(OLD, NOW)).toBeUndefined();
    expect(tokens.isValid(claims, NOW)).toBe(false);
  });

  it('is invalid for a key with another name or another text', () => {
    const [other, namesake] = parseApiKeys('other:admin-key-1234567890,admin:another-key-12345') as [ApiKey, ApiKey];
    const tokens = tokensWith({ keys: parseApiKeys('someone:some-key-1234567890,admin:admin-key-1234567890') });
    const allClaims = [admin, other, namesake].map((key) => ({ key, jti: 'x', expiresAt: NOW }));
    expect(allClaims.map((claims) => tokens.isValid(claims, NOW))).toEqual([true, false, false]);
  });

  it('is valid until its expiry time plus the accepted clock skew, for both keeps and verify', async () => {
    const tokens = tokensWith();
    const claims = (await tokens.verify(OLD, NOW))!;
    const late = (ms: number) => new Date(claims.expiresAt.getTime() + ms);
    for (const [ms, isGood] of [
      [0, true],
      [29_000, true],
      [30_000, false],
    ] as const) {
      expect(tokens.isValid(claims, late(ms)), `${ms}`).toBe(isGood);
      expect((await tokens.verify(OLD, late(ms))) !== undefined, `${ms}`).toBe(isGood);
    }
  });

  it('is not rejected if loading the keys fails: the error propagates', async () => {
    const broken = () => {
      throw new Error('the keys cannot be read');
    };
    await expect(tokensWith({ keys: broken }).verify(OLD, NOW)).rejects.toThrow('the keys cannot be read');
  });
});

describe('a token signed with an empty secret', () => {
  const claims = decoded(OLD.split('.')[1]);
  it.each([undefined, ''])('is rejected if the previous secret is not set (%j)', async (previousSecret) => {
    const tokens = tokensWith({ previousSecret });
    for (const secret of ['', 'undefined']) {
      const kid = hash('sha256', `kid\0${secret}`, 'hex').slice(0, 8);
      expect(await tokens.verify(signed({ alg: 'HS256', typ: 'JWT', kid }, claims, ''), NOW)).toBeUndefined();
    }
  });

  it('is rejected even with a critical extension that the JWT library supports', async () => {
    const header = { ...decoded(OLD.split('.')[0]), b64: true, crit: ['b64'] };
    expect(await tokensWith().verify(signed(header, claims, SECRET), NOW)).toBeUndefined();
  });
});
