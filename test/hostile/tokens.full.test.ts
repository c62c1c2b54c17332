import { createHmac, generateKeyPairSync, hash, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseApiKeys } from '../../src/services/passports/auth/api-keys.ts';
import { createTokens } from '../../src/services/passports/auth/tokens.ts';

// Attacks on token verification (RFC 8725). How the service handles an invalid token is tested in
// test/passports/access.test.ts and test/passports/hostile.full.test.ts.
const SECRET = 'a secret of more than thirty-two bytes';
const keys = parseApiKeys('admin:admin-key-1234567890,clerk:clerk-key-1234567890:user');
const [admin, clerk] = [keys[0]!, keys[1]!];
const tokens = createTokens({ keys, secret: SECRET, lifetimeHours: 24 });
const NOW = new Date('2026-05-31T12:00:00Z');
const seconds = NOW.getTime() / 1000;
const { token } = await tokens.issue(admin, NOW);
const [head, body, signature] = token.split('.') as [string, string, string];
const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
const { kid } = decoded(head);
const claims = decoded(body);

const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
/** Signs with the service's secret, so that only the tested defect is present. */
const signed = (
  header: object | string,
  payload: object | string,
  secret: string | Buffer = SECRET,
  digest = 'sha256',
) => {
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac(digest, secret).update(text).digest('base64url')}`;
};
const HEAD = { alg: 'HS256', typ: 'JWT', kid };
const verify = (text: string, at = NOW) => tokens.verify(text, at);

it('An issued token is accepted and identifies its API key', async () => {
  expect(await verify(token)).toMatchObject({ key: admin, jti: claims.jti });
  expect(await verify(signed(HEAD, claims))).toMatchObject({ key: admin });
});

describe('The token lifetime, with a clock tolerance of 30 s,', () => {
  const end = seconds + 24 * 3600;
  it.each<[string, number, boolean]>([
    ['accepts a token 29 s before nbf', seconds - 29, true],
    ['accepts a token 30 s before nbf', seconds - 30, true],
    ['rejects a token 31 s before nbf', seconds - 31, false],
    ['accepts a token at exp', end, true],
    ['accepts a token 29 s after exp', end + 29, true],
    ['rejects a token 30 s after exp', end + 30, false],
    ['rejects a token a year after exp', end + 3e7, false],
  ])('%s', async (_, at, good) => {
    expect((await verify(token, new Date(at * 1000))) !== undefined).toBe(good);
  });
});

describe('A token with a valid signature and invalid claims', () => {
  const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  it.each<[string, object | string]>([
    ...['iss', 'aud', 'sub', 'jti', 'iat', 'nbf', 'exp', 'key_id'].map((name): [string, object] => [
      `no ${name}`,
      without(name),
    ]),
    ['another issuer', { ...claims, iss: 'evil' }],
    ['an issuer with a trailing space', { ...claims, iss: `${claims.iss} ` }],
    ['an issuer in different case', { ...claims, iss: 'Assay' }],
    ['a list of issuers', { ...claims, iss: ['assay'] }],
    ['another audience', { ...claims, aud: 'stt' }],
    ['an audience in different case', { ...claims, aud: 'PASSPORTS' }],
    ['an empty list of audiences', { ...claims, aud: [] }],
    ['another subject', { ...claims, sub: 'root' }],
    ['a subject in different case', { ...claims, sub: 'Admin' }],
    ['the subject of another key', { ...claims, sub: clerk.name }],
    ['the key of another subject', { ...claims, key_id: clerk.id }],
    ['a list of keys', { ...claims, key_id: [admin.id] }],
    ['a subject named __proto__', { ...claims, sub: '__proto__', key_id: 'constructor' }],
    ['a numeric jti', { ...claims, jti: 5 }],
    ['a null jti', { ...claims, jti: null }],
    ['exp as text', { ...claims, exp: String(claims.exp) }],
    ['exp as null', { ...claims, exp: null }],
    ['exp as true', { ...claims, exp: true }],
    ['exp as a list', { ...claims, exp: [claims.exp] }],
    ['exp before nbf', { ...claims, exp: seconds - 3600 }],
    ['nbf as text', { ...claims, nbf: '0' }],
    ['nbf in the future', { ...claims, nbf: seconds + 60 }],
    ['claims as a list', [claims]],
    ['claims as text', '"admin"'],
    ['claims as null', 'null'],
    ['no claims', ''],
    ['truncated claims', JSON.stringify(claims).slice(0, -5)],
    ['exp twice, the last one expired', JSON.stringify(claims).replace('}', `,"exp":${seconds - 3600}}`)],
    ['sub twice, the last one unknown', JSON.stringify(claims).replace('}', ',"sub":"nobody"}')],
  ])('is rejected: %s', async (_, payload) => {
    expect(await verify(signed(HEAD, payload))).toBeUndefined();
  });
});

describe('A token with a manipulated header', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const jwk = rsa.publicKey.export({ format: 'jwk' });
  const byRsa = (header: object) => {
    const text = `${part(header)}.${body}`;
    return `${text}.${sign('sha256', Buffer.from(text), rsa.privateKey).toString('base64url')}`;
  };
  it.each<[string, string]>([
    ...['none', 'None', 'NONE', 'nOnE', 'hs256', 'Hs256', ' HS256', 'HS256 ', ''].flatMap((alg): [string, string][] => [
      [`alg "${alg}", with a valid signature`, signed({ ...HEAD, alg }, claims)],
      [`alg "${alg}", without a signature`, `${part({ ...HEAD, alg })}.${body}.`],
      [`alg "${alg}", with the signature of another token`, `${part({ ...HEAD, alg })}.${body}.${signature}`],
    ]),
    ['no alg', signed({ kid }, claims)],
    ['alg null', signed({ ...HEAD, alg: null }, claims)],
    ['a list of algorithms', signed({ ...HEAD, alg: ['HS256'] }, claims)],
    ['HS384 with a valid signature', signed({ ...HEAD, alg: 'HS384' }, claims, SECRET, 'sha384')],
    ['HS512 with a valid signature', signed({ ...HEAD, alg: 'HS512' }, claims, SECRET, 'sha512')],
    ["RS256 with the attacker's key pair", byRsa({ ...HEAD, alg: 'RS256' })],
    ['RS256 with an embedded key', byRsa({ ...HEAD, alg: 'RS256', jwk })],
    ['HS256 with a public key as the secret', signed(HEAD, claims, pem)],
    ['HS256 with an embedded key', signed({ ...HEAD, jwk: { kty: 'oct', k: part('mine') } }, claims, 'mine')],
    ['a key URL (jku)', signed({ ...HEAD, jku: 'https://evil.example/jwks' }, claims, 'mine')],
    ['a certificate URL (x5u)', signed({ ...HEAD, x5u: 'https://evil.example/c' }, claims, 'mine')],
    ['an embedded certificate (x5c)', signed({ ...HEAD, x5c: ['MIIB'] }, claims, 'mine')],
    ['no key id', signed({ alg: 'HS256' }, claims)],
    ...[
      null,
      0,
      '',
      [kid],
      { kid },
      `${kid} `,
      kid.toUpperCase() === kid ? 'x' : kid.toUpperCase(),
      '../../dev/null',
      "' or 1=1 --",
      '__proto__',
      'constructor',
    ].map((each): [string, string] => [`the key id ${JSON.stringify(each)}`, signed({ ...HEAD, kid: each }, claims)]),
    ['an empty secret', signed(HEAD, claims, '')],
    ['a secret of zero bytes', signed(HEAD, claims, Buffer.alloc(32))],
    ['the key id as the secret', signed(HEAD, claims, kid)],
    ['a digest of the secret as the secret', signed(HEAD, claims, hash('sha256', SECRET, 'hex'))],
    ['critical extensions', signed({ ...HEAD, crit: ['exp'], exp: 1 }, claims)],
    ['an empty list of critical extensions', signed({ ...HEAD, crit: [] }, claims)],
    ['an unencoded payload (b64)', signed({ ...HEAD, b64: false, crit: ['b64'] }, claims)],
    ['a header as a list', signed([HEAD], claims)],
    ['a null header', signed('null', claims)],
    ['alg twice, the last one "none"', `${part(JSON.stringify(HEAD).replace('}', ',"alg":"none"}'))}.${body}.`],
  ])('%s', async (_, text) => {
    expect(await verify(text)).toBeUndefined();
  });
});

describe('A malformed token', () => {
  it.each<[string, string]>([
    ['an empty string', ''],
    ['two dots', '..'],
    ['one part', head],
    ['two parts', `${head}.${body}`],
    ['four parts', `${token}.`],
    ['five parts, as in an encrypted token', `${token}.a.b`],
    ['no signature', `${head}.${body}.`],
    ['half a signature', `${head}.${body}.${signature.slice(0, 21)}`],
    ['a signature without its last character', token.slice(0, -1)],
    ['an additional character', `${token}A`],
    ['the signature twice', `${head}.${body}.${signature}${signature}`],
    ['padding', `${token}=`],
    ['a leading space', ` ${token}`],
    ['a trailing space', `${token} `],
    ['a trailing line end', `${token}\n`],
    ['a space in the signature', `${head}.${body}.${signature.slice(0, 9)} ${signature.slice(9)}`],
    ['a trailing NUL byte', `${token}\0`],
    ['a character outside base64url', `${head}.${body}.${signature}!`],
    ['parts in another order', `${body}.${head}.${signature}`],
    ['upper case', token.toUpperCase()],
    ['lower case', token.toLowerCase()],
    ['JSON serialization', JSON.stringify({ payload: body, protected: head, signature })],
    ['a payload of 1 MiB', `${head}.${'A'.repeat(2 ** 20)}.${signature}`],
  ])('%s', async (_, text) => {
    expect(await verify(text)).toBeUndefined();
  });

  it('is rejected when any single character is changed', async () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const good: string[] = [];
    for (let at = 0; at < token.length; at++) {
      const other = letters[(letters.indexOf(token[at]!) + 1) % 64]!;
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      if ((await verify(changed)) !== undefined) good.push(`${at} of ${token.length}`);
    }
    expect(good).toEqual([]);
  });
});
