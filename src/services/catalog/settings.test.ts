import { describe, expect, it } from 'vitest';
import { SettingsProblem } from '../../base/settings.ts';
import { catalog } from './index.ts';
import { missingCredentials, readOwn } from './settings.ts';

const READERS = 'REPORTS_API_TOKENS';
const MODERATORS = 'REPORTS_MODERATOR_TOKENS';
// The digest of `abc`.
const ABC = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

describe('settings of the catalog', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['production without moderators', { APP_ENV: 'production' }, /^REPORTS_MODERATOR_TOKENS must be set/],
    ['production with an empty list of them', { APP_ENV: 'production', [MODERATORS]: ' , ' }, /^REPORTS_MODERATOR_TOK/],
    [
      'a token of both kinds',
      { [READERS]: 'a,abc', [MODERATORS]: 'b,abc' },
      /^REPORTS_MODERATOR_TOKENS: a token of rea/,
    ],
    ['one of both kinds, once as its digest', { [READERS]: ABC, [MODERATORS]: 'abc' }, /^REPORTS_MODERATOR_TOKENS: a/],
    ['a token with a space', { [READERS]: 'a b' }, /^REPORTS_API_TOKENS: Access token number 1 /],
    ['a source that is none', { CATALOG_SOURCES: 'stt,photos' }, /^CATALOG_SOURCES: "photos" is none of/],
    ['a retention of no time', { CATALOG_RETENTION_DAYS: '0' }, /^CATALOG_RETENTION_DAYS: must be/],
  ])('that cannot work stop the start with a sentence: %s', (_, env, sentence) => {
    expect(() => readOwn(env)).toThrow(SettingsProblem);
    expect(() => readOwn(env)).toThrow(sentence);
  });

  it('index everything in `local`, and elsewhere no documents, which name people; or what the operator says', () => {
    expect(readOwn({}).sources).toEqual(['defectoscopy', 'stt', 'passports']);
    expect(readOwn({ APP_ENV: 'test' }).sources).toEqual(['defectoscopy', 'stt']);
    expect(readOwn({ APP_ENV: 'production', [MODERATORS]: 'moderator-1234567' }).sources).toEqual([
      'defectoscopy',
      'stt',
    ]);
    expect(readOwn({ APP_ENV: 'test', CATALOG_SOURCES: 'passports, stt' }).sources).toEqual(['passports', 'stt']);
    expect(readOwn({ CATALOG_SOURCES: 'none' }).sources).toEqual([]);
  });

  it('leave both kinds of tokens to the local profile, each where nothing was said of it', () => {
    expect(missingCredentials({})).toEqual([READERS, MODERATORS]);
    expect(missingCredentials({ [READERS]: '' })).toEqual([MODERATORS]);
    expect(missingCredentials({ [READERS]: 'a', [MODERATORS]: 'b' })).toEqual([]);
  });
});

describe('the catalog as a service', () => {
  const open = (env: Record<string, string>) => catalog.configure({ APP_ENV: 'test', ...env })({} as never);

  it('opens its page with the first moderator’s token that is not only a digest', () => {
    expect(open({ [READERS]: 'r', [MODERATORS]: `${ABC}, m, n` }).credential).toBe('m');
    expect(open({ [MODERATORS]: 'm' }).pageUrl('http://localhost')).toBe('http://localhost/login#token=m');
    expect(open({ [READERS]: 'r' }).credential).toBeUndefined();
    expect(open({ [READERS]: 'r' }).pageUrl('http://localhost')).toBe('http://localhost');
  });

  it('says who may come in, and what can be found', () => {
    expect(open({}).verdicts).toEqual({
      readers: 'none: only moderators read',
      moderators: 'none: nobody decides on reports',
      sources: 'defectoscopy, stt',
    });
    const said = { CATALOG_PUBLIC: 'true', [MODERATORS]: 'm,n', CATALOG_SOURCES: 'none' };
    expect(open(said).verdicts).toEqual({
      readers: 'everybody',
      moderators: '2 configured',
      sources: 'none: only what is imported',
    });
  });
});
