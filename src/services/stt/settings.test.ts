import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { configuredTokens, loadSettings, MODELS, missingCredentials } from './settings.ts';

it.each<[string, Record<string, string>, RegExp]>([
  ['an unknown provider', { STT_PROVIDERS: 'local,cloud' }, /^STT_PROVIDERS: .*not "cloud"/],
  ['an empty provider list', { STT_PROVIDERS: ' , ' }, /^STT_PROVIDERS: has no entry/],
  ['a remote provider without a URL', { STT_PROVIDERS: 'remote,local' }, /^STT_REMOTE_URL must be set/],
  ['an unknown model', { STT_MODEL: 'huge' }, /^STT_MODEL: .*whisper-base/],
  ['an invalid URL', { STT_REMOTE_URL: 'api.example.com' }, /^STT_REMOTE_URL: must be a URL/],
  ['an invalid language', { STT_LANGUAGE: 'english' }, /^STT_LANGUAGE: must be an ISO 639-1 code or auto/],
  ['a host with a path', { STT_ALLOWED_URL_HOSTS: 'media.example.com/a' }, /^STT_ALLOWED_URL_HOSTS: /],
  [
    'a token list with only commas',
    { STT_API_TOKENS: ' , ' },
    /^STT_API_TOKENS: The list of access tokens has no entry/,
  ],
  ['a token with invalid characters', { STT_API_TOKENS: 'a b' }, /^STT_API_TOKENS: Access token number 1/],
])('readOwn rejects %s', (_, env, message) => {
  expect(() => loadSettings(env)).toThrow(message);
});

it('readOwn normalizes the settings and applies the defaults', () => {
  const env = { STT_PROVIDERS: 'remote, local', STT_REMOTE_URL: 'http://10.0.0.5:8000/v1/', STT_LANGUAGE: 'RU' };
  expect(loadSettings(env)).toMatchObject({
    providers: ['remote', 'local'],
    remoteUrl: 'http://10.0.0.5:8000/v1',
    language: 'ru',
  });
  expect(loadSettings({})).toMatchObject({ port: 8002, providers: ['local'], model: 'whisper-base', language: 'auto' });
});

it('cannot disable authorization, and generates a token only if none is configured', () => {
  const stateOf = (env: Record<string, string>) => configuredTokens(loadSettings(env)).state;
  expect(stateOf({})).toBe('unconfigured');
  expect(stateOf({ STT_API_TOKENS: '' })).toBe('unconfigured');
  expect(stateOf({ STT_API_TOKENS: '', STT_API_TOKEN: 'one' })).toBe('enforced');
  expect(missingCredentials({})).toEqual(['STT_API_TOKENS']);
  expect(missingCredentials({ STT_API_TOKENS: '' })).toEqual([]);
  expect(missingCredentials({ STT_API_TOKEN: 'one' })).toEqual([]);
});

it('MODELS lists the model folders', async () => {
  const folders = await readdir(new URL('../../../models/stt/', import.meta.url));
  expect([...MODELS].sort()).toEqual(folders.sort());
});
