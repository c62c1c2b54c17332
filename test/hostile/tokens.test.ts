import { createHmac, generateKeyPairSync, hash, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { apiKeysFrom } from '../../src/services/passports/auth/api-keys.ts';
import { openTokens } from '../../src/services/passports/auth/tokens.ts';

// What can be tried on a token without asking the service (RFC 8725). What the service does with a token that is not good
// is in test/passports-access.test.ts and test/passports-hostile.test.ts.
const SECRET = 'a secret of more than thirty-two bytes';
const keys = apiKeysFrom('admin:admin-key-1234567890,clerk:clerk-key-1234567890:user');
const [admin, clerk] = [keys[0]!, keys[1]!];
const tokens = openTokens({ keys, secret: SECRET, lifetimeHours: 24 });
const NOW = new Date('2026-05-31T12:00:00Z');
const seconds = NOW.getTime() / 1000;
const { token } = await tokens.issue(admin, NOW);
const [head, body, signature] = token.split('.') as [string, string, string];
const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
const { kid } = decoded(head);
const claims = decoded(body);

const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
/** Signed with the service's own secret, so that nothing but the one thing is wrong with it. */
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

it('a token that was issued is good, and says whose it is', async () => {
  expect(await verify(token)).toMatchObject({ key: admin, jti: claims.jti });
  expect(await verify(signed(HEAD, claims))).toMatchObject({ key: admin });
});

describe('time: a clock may be wrong by less than 30 seconds', () => {
  const end = seconds + 24 * 3600;
  it.each<[string, number, boolean]>([
    ['29 s before it begins', seconds - 29, true],
    ['30 s before it begins', seconds - 30, true],
    ['31 s before it begins', seconds - 31, false],
    ['at its end', end, true],
    ['29 s after its end', end + 29, true],
    ['30 s after its end', end + 30, false],
    ['a year after its end', end + 3e7, false],
  ])('%s: %s', async (_, at, good) => {
    expect((await verify(token, new Date(at * 1000))) !== undefined).toBe(good);
  });
});

describe('claims that are missing, of another kind, or of somebody else, though the signature is good', () => {
  const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  it.each<[string, object | string]>([
    ...['iss', 'aud', 'sub', 'jti', 'iat', 'nbf', 'exp', 'key_id'].map((name): [string, object] => [
      `no ${name}`,
      without(name),
    ]),
    ['another issuer', { ...claims, iss: 'evil' }],
    ['an issuer that only begins so', { ...claims, iss: `${claims.iss} ` }],
    ['an issuer in another case', { ...claims, iss: 'Assay' }],
    ['a list of issuers', { ...claims, iss: ['assay'] }],
    ['another audience', { ...claims, aud: 'stt' }],
    ['an audience in another case', { ...claims, aud: 'PASSPORTS' }],
    ['an empty list of audiences', { ...claims, aud: [] }],
    ['another subject', { ...claims, sub: 'root' }],
    ['a subject in another case', { ...claims, sub: 'Admin' }],
    ['the subject of another key', { ...claims, sub: clerk.name }],
    ['the key of another subject', { ...claims, key_id: clerk.id }],
    ['a list of keys', { ...claims, key_id: [admin.id] }],
    ['a subject of a prototype', { ...claims, sub: '__proto__', key_id: 'constructor' }],
    ['an identifier that is a number', { ...claims, jti: 5 }],
    ['an identifier that is null', { ...claims, jti: null }],
    ['an end that is text', { ...claims, exp: String(claims.exp) }],
    ['an end that is null', { ...claims, exp: null }],
    ['an end that is true', { ...claims, exp: true }],
    ['an end that is a list', { ...claims, exp: [claims.exp] }],
    ['an end before its beginning', { ...claims, exp: seconds - 3600 }],
    ['a beginning that is text', { ...claims, nbf: '0' }],
    ['a beginning in the future', { ...claims, nbf: seconds + 60 }],
    ['claims that are a list', [claims]],
    ['claims that are text', '"admin"'],
    ['claims that are null', 'null'],
    ['no claims', ''],
    ['half of the claims', JSON.stringify(claims).slice(0, -5)],
    ['an end twice, the last one over', JSON.stringify(claims).replace('}', `,"exp":${seconds - 3600}}`)],
    ['a subject twice, the last one nobody', JSON.stringify(claims).replace('}', ',"sub":"nobody"}')],
  ])('%s', async (_, payload) => {
    expect(await verify(signed(HEAD, payload))).toBeUndefined();
  });
});

describe('headers', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const jwk = rsa.publicKey.export({ format: 'jwk' });
  const byRsa = (header: object) => {
    const text = `${part(header)}.${body}`;
    return `${text}.${sign('sha256', Buffer.from(text), rsa.privateKey).toString('base64url')}`;
  };
  it.each<[string, string]>([
    ...['none', 'None', 'NONE', 'nOnE', 'hs256', 'Hs256', ' HS256', 'HS256 ', ''].flatMap((alg): [string, string][] => [
      [`alg "${alg}", with a signature`, signed({ ...HEAD, alg }, claims)],
      [`alg "${alg}", without`, `${part({ ...HEAD, alg })}.${body}.`],
      [`alg "${alg}", with that of another`, `${part({ ...HEAD, alg })}.${body}.${signature}`],
    ]),
    ['no alg', signed({ kid }, claims)],
    ['alg null', signed({ ...HEAD, alg: null }, claims)],
    ['a list of algorithms', signed({ ...HEAD, alg: ['HS256'] }, claims)],
    ['HS384, honestly', signed({ ...HEAD, alg: 'HS384' }, claims, SECRET, 'sha384')],
    ['HS512, honestly', signed({ ...HEAD, alg: 'HS512' }, claims, SECRET, 'sha512')],
    ['RS256 with a pair of keys of its own', byRsa({ ...HEAD, alg: 'RS256' })],
    ['RS256 with its key in it', byRsa({ ...HEAD, alg: 'RS256', jwk })],
    ['HS256 with a public key for the secret', signed(HEAD, claims, pem)],
    ['HS256 with a key of its own in it', signed({ ...HEAD, jwk: { kty: 'oct', k: part('mine') } }, claims, 'mine')],
    ['a key at an address', signed({ ...HEAD, jku: 'https://evil.example/jwks' }, claims, 'mine')],
    ['a certificate at an address', signed({ ...HEAD, x5u: 'https://evil.example/c' }, claims, 'mine')],
    ['a certificate in it', signed({ ...HEAD, x5c: ['MIIB'] }, claims, 'mine')],
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
    ['a secret of noughts', signed(HEAD, claims, Buffer.alloc(32))],
    ['the key id for a secret', signed(HEAD, claims, kid)],
    ['a digest of the secret', signed(HEAD, claims, hash('sha256', SECRET, 'hex'))],
    ['critical extensions', signed({ ...HEAD, crit: ['exp'], exp: 1 }, claims)],
    ['no critical extensions, in a list', signed({ ...HEAD, crit: [] }, claims)],
    ['an unencoded payload', signed({ ...HEAD, b64: false, crit: ['b64'] }, claims)],
    ['a header that is a list', signed([HEAD], claims)],
    ['a header that is null', signed('null', claims)],
    ['alg twice, the last one none', `${part(JSON.stringify(HEAD).replace('}', ',"alg":"none"}'))}.${body}.`],
  ])('%s', async (_, text) => {
    expect(await verify(text)).toBeUndefined();
  });
});

describe('spelling', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['dots', '..'],
    ['one part', head],
    ['two parts', `${head}.${body}`],
    ['four parts', `${token}.`],
    ['five parts, as of an encrypted one', `${token}.a.b`],
    ['no signature', `${head}.${body}.`],
    ['half a signature', `${head}.${body}.${signature.slice(0, 21)}`],
    ['all but a letter of the signature', token.slice(0, -1)],
    ['a letter more', `${token}A`],
    ['the signature twice', `${head}.${body}.${signature}${signature}`],
    ['padding', `${token}=`],
    ['a space before', ` ${token}`],
    ['a space behind', `${token} `],
    ['a line end behind', `${token}\n`],
    ['a space in the signature', `${head}.${body}.${signature.slice(0, 9)} ${signature.slice(9)}`],
    ['a nought byte behind', `${token}\0`],
    ['letters that are none of base64url', `${head}.${body}.${signature}!`],
    ['parts in another order', `${body}.${head}.${signature}`],
    ['large letters', token.toUpperCase()],
    ['small letters', token.toLowerCase()],
    ['JSON in place of text', JSON.stringify({ payload: body, protected: head, signature })],
    ['a megabyte', `${head}.${'A'.repeat(2 ** 20)}.${signature}`],
  ])('%s', async (_, text) => {
    expect(await verify(text)).toBeUndefined();
  });

  it('every other letter at every place makes it another token, which is none', async () => {
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
