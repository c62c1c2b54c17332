import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../base/settings.ts';
import { catalog } from './index.ts';
import { loadSettings, missingCredentials } from './settings.ts';

const READERS = 'REPORTS_API_TOKENS';
const MODERATORS = 'REPORTS_MODERATOR_TOKENS';
// The digest of `abc`.
const ABC = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

describe('settings of the catalog', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['production without moderators', { APP_ENV: 'production' }, /^REPORTS_MODERATOR_TOKENS must be set/],
    [
      'production with an empty moderator list',
      { APP_ENV: 'production', [MODERATORS]: ' , ' },
      /^REPORTS_MODERATOR_TOK/,
    ],
    [
      'a token in both lists',
      { [READERS]: 'a,abc', [MODERATORS]: 'b,abc' },
      /^REPORTS_MODERATOR_TOKENS: a token is in/,
    ],
    [
      'a token in both lists, once as its digest',
      { [READERS]: ABC, [MODERATORS]: 'abc' },
      /^REPORTS_MODERATOR_TOKENS: a/,
    ],
    ['a token with a space', { [READERS]: 'a b' }, /^REPORTS_API_TOKENS: Access token number 1 /],
    ['an unknown source', { CATALOG_SOURCES: 'stt,photos' }, /^CATALOG_SOURCES: "photos" is not one of/],
    ['a retention of 0 days', { CATALOG_RETENTION_DAYS: '0' }, /^CATALOG_RETENTION_DAYS: must be/],
  ])('reject %s with a message', (_, env, message) => {
    expect(() => loadSettings(env)).toThrow(SettingsError);
    expect(() => loadSettings(env)).toThrow(message);
  });

  it('index all services in `local`, all but passports elsewhere, or the configured ones', () => {
    expect(loadSettings({}).sources).toEqual(['defectoscopy', 'stt', 'passports']);
    expect(loadSettings({ APP_ENV: 'test' }).sources).toEqual(['defectoscopy', 'stt']);
    expect(loadSettings({ APP_ENV: 'production', [MODERATORS]: 'moderator-1234567' }).sources).toEqual([
      'defectoscopy',
      'stt',
    ]);
    expect(loadSettings({ APP_ENV: 'test', CATALOG_SOURCES: 'passports, stt' }).sources).toEqual(['passports', 'stt']);
    expect(loadSettings({ CATALOG_SOURCES: 'none' }).sources).toEqual([]);
  });

  it('list each token variable that is not set as a missing credential', () => {
    expect(missingCredentials({})).toEqual([READERS, MODERATORS]);
    expect(missingCredentials({ [READERS]: '' })).toEqual([MODERATORS]);
    expect(missingCredentials({ [READERS]: 'a', [MODERATORS]: 'b' })).toEqual([]);
  });
});

describe('the catalog service', () => {
  const open = (env: Record<string, string>) => catalog.configure({ APP_ENV: 'test', ...env })({} as never);

  it('opens its page with the first moderator token that is not a digest', () => {
    expect(open({ [READERS]: 'r', [MODERATORS]: `${ABC}, m, n` }).credential).toBe('m');
    expect(open({ [MODERATORS]: 'm' }).pageUrl('http://localhost')).toBe('http://localhost/login#token=m');
    expect(open({ [READERS]: 'r' }).credential).toBeUndefined();
    expect(open({ [READERS]: 'r' }).pageUrl('http://localhost')).toBe('http://localhost');
  });

  it('reports who has access and which sources are indexed', () => {
    expect(open({}).derivedSettings).toEqual({
      readers: 'none: only moderators can read',
      moderators: 'none: reports cannot be decided',
      sources: 'defectoscopy, stt',
    });
    const env = { CATALOG_PUBLIC: 'true', [MODERATORS]: 'm,n', CATALOG_SOURCES: 'none' };
    expect(open(env).derivedSettings).toEqual({
      readers: 'everyone',
      moderators: '2 configured',
      sources: 'none: only imported records',
    });
  });
});
