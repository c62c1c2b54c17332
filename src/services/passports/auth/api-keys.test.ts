import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { matchKey, parseApiKeys } from './api-keys.ts';

const digest = hash('sha256', 'secret-key', 'hex');

describe('apiKeysFrom', () => {
  it.each<[string | undefined, object[]]>([
    [undefined, []],
    ['', []],
    [' , \n', []],
    ['acme:secret-key', [{ name: 'acme', role: 'admin', digest }]],
    ['acme:secret-key:user', [{ name: 'acme', role: 'user', digest }]],
    ['acme:secret-key:admin', [{ name: 'acme', role: 'admin', digest }]],
    [`acme:sha256:${digest}`, [{ name: 'acme', role: 'admin', digest }]],
    [`acme:sha256:${digest.toUpperCase()}:user`, [{ name: 'acme', role: 'user', digest }]],
    ['acme:with:colons-in-it', [{ name: 'acme', digest: hash('sha256', 'with:colons-in-it', 'hex') }]],
    ['# a comment\na:secret-key\r\nb:other-key', [{ name: 'a' }, { name: 'b' }]],
  ])('parses %j', (text, keys) => {
    expect(parseApiKeys(text)).toMatchObject(keys);
    expect(parseApiKeys(text)).toHaveLength(keys.length);
  });

  it.each(['secret-key', ':secret-key', 'acme:', 'acme:short', 'acme:sha256:abc', 'a b:secret-key', 'acme:secret key'])(
    'rejects %j without quoting it in the error message',
    (text) => {
      expect(() => parseApiKeys(`fine:secret-key,${text}`)).toThrow(/^API key number 2 /);
      expect(() => parseApiKeys(text)).not.toThrow(/secret-key|short|abc/);
    },
  );

  it('identifies a key by the first twelve digits of its digest', () => {
    expect(parseApiKeys('acme:secret-key')[0]?.id).toBe(digest.slice(0, 12));
  });

  it('matchKey accepts only an exact key', () => {
    const keys = parseApiKeys('a:secret-key,b:other-key');
    expect(matchKey(keys, 'other-key')?.name).toBe('b');
    for (const wrong of ['', 'secret-ke', 'secret-keyy', 'a:secret-key', digest])
      expect(matchKey(keys, wrong)).toBeUndefined();
  });
});
