import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { MODELS, missingCredentials, readOwn, tokensOf } from './settings.ts';

it.each<[string, Record<string, string>, RegExp]>([
  ['a provider that is none', { STT_PROVIDERS: 'local,cloud' }, /^STT_PROVIDERS: .*not "cloud"/],
  ['no provider at all', { STT_PROVIDERS: ' , ' }, /^STT_PROVIDERS: has no entry/],
  ['a remote provider without its address', { STT_PROVIDERS: 'remote,local' }, /^STT_REMOTE_URL must be set/],
  ['a model that nobody knows', { STT_MODEL: 'huge' }, /^STT_MODEL: .*whisper-base/],
  ['an address that is none', { STT_REMOTE_URL: 'api.example.com' }, /^STT_REMOTE_URL: must be an address/],
  ['a language that is none', { STT_LANGUAGE: 'english' }, /^STT_LANGUAGE: must be an ISO 639-1 code or auto/],
  ['a host with a path', { STT_ALLOWED_URL_HOSTS: 'media.example.com/a' }, /^STT_ALLOWED_URL_HOSTS: /],
  [
    'nothing but commas for tokens',
    { STT_API_TOKENS: ' , ' },
    /^STT_API_TOKENS: The list of access tokens has no entry/,
  ],
  ['a token that no header can carry', { STT_API_TOKENS: 'a b' }, /^STT_API_TOKENS: Access token number 1/],
])('%s stops the start with a sentence', (_, env, sentence) => {
  expect(() => readOwn(env)).toThrow(sentence);
});

it('takes the settings of the documentation as they are meant', () => {
  const env = { STT_PROVIDERS: 'remote, local', STT_REMOTE_URL: 'http://10.0.0.5:8000/v1/', STT_LANGUAGE: 'RU' };
  expect(readOwn(env)).toMatchObject({
    providers: ['remote', 'local'],
    remoteUrl: 'http://10.0.0.5:8000/v1',
    language: 'ru',
  });
  expect(readOwn({})).toMatchObject({ port: 8002, providers: ['local'], model: 'whisper-base', language: 'auto' });
});

it('has no way to let everybody in, and makes a token only where nobody has said anything', () => {
  const stateOf = (env: Record<string, string>) => tokensOf(readOwn(env)).state;
  expect(stateOf({})).toBe('unconfigured');
  expect(stateOf({ STT_API_TOKENS: '' })).toBe('unconfigured');
  expect(stateOf({ STT_API_TOKENS: '', STT_API_TOKEN: 'one' })).toBe('enforced');
  expect(missingCredentials({})).toEqual(['STT_API_TOKENS']);
  expect(missingCredentials({ STT_API_TOKENS: '' })).toEqual([]);
  expect(missingCredentials({ STT_API_TOKEN: 'one' })).toEqual([]);
});

it('knows the models that there are manifests of', async () => {
  const folders = await readdir(new URL('../../../models/stt/', import.meta.url));
  expect([...MODELS].sort()).toEqual(folders.sort());
});
