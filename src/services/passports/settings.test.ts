import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../base/settings.ts';
import { passports } from './index.ts';
import { loadSettings, missingCredentials } from './settings.ts';

const KEYS = 'PASSPORTS_API_KEYS';

describe('settings of passports', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['a key without a name', { [KEYS]: 'justakey' }, /^PASSPORTS_API_KEYS: API key number 1 /],
    [
      'a key of fewer than 8 characters',
      { [KEYS]: 'ci:short' },
      /^PASSPORTS_API_KEYS: API key number 1 has fewer than 8 /,
    ],
    ['a list without a key', { [KEYS]: '# a comment,\n' }, /^PASSPORTS_API_KEYS: has no entry/],
    ['a short secret', { PASSPORTS_JWT_SECRET: 'short' }, /^PASSPORTS_JWT_SECRET: must have at least 32 bytes/],
    ['an unknown scope', { PASSPORTS_BEARER_SCOPE: 'some' }, /^PASSPORTS_BEARER_SCOPE: must be one of/],
    ['a missing schema file', { PASSPORTS_SCHEMA_FILE: '/nowhere.json' }, /^PASSPORTS_SCHEMA_FILE: /],
    ['a provider without a model', { LLM_PROVIDER: 'openai' }, /^LLM_MODEL must be set/],
    ['a required model without a provider', { LLM_REQUIRED: 'true' }, /^LLM_REQUIRED needs an LLM_PROVIDER/],
  ])('stop the start with an error message: %s', (_, env, message) => {
    expect(() => loadSettings(env)).toThrow(SettingsError);
    expect(() => loadSettings(env)).toThrow(message);
  });

  it('reject keys of fewer than 16 characters in production, unless they are digests', () => {
    const inProduction = (keys: string) => () => loadSettings({ APP_ENV: 'production', [KEYS]: keys });
    const short = `a:long-enough-key-1,b:fifteen-letters:user`;
    expect(inProduction(short)).toThrow(/^PASSPORTS_API_KEYS: API key number 2 has fewer than 16 characters/);
    expect(inProduction(short)).not.toThrow('fifteen-letters');
    expect(inProduction(`a:sha256:${'0'.repeat(64)},b:sixteen-letters-:user`)).not.toThrow();
    expect(() => loadSettings({ [KEYS]: short })).not.toThrow();
  });

  it('never quote a key or a secret in an error message', () => {
    const env = { [KEYS]: 'hunter2 hunter2', PASSPORTS_JWT_SECRET: 'hunter2' };
    expect(() => loadSettings(env)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
    );
  });

  it('require a token on every endpoint in production, and on documented endpoints in other profiles', () => {
    expect(loadSettings({ APP_ENV: 'production' }).bearerScope).toBe('all');
    expect(loadSettings({ APP_ENV: 'production\n' }).bearerScope).toBe('all');
    expect(loadSettings({}).bearerScope).toBe('documented');
    expect(loadSettings({ APP_ENV: 'production', PASSPORTS_BEARER_SCOPE: 'documented' }).bearerScope).toBe(
      'documented',
    );
  });

  it('report missing API keys unless the setting is present, and accept a generated key', () => {
    expect(missingCredentials({})).toEqual([KEYS]);
    expect(missingCredentials({ [KEYS]: '' })).toEqual([]);
    const env = { [KEYS]: passports.formatCredential!('assay-01k2m3n4p5') };
    expect(missingCredentials(env)).toEqual([]);
    const open = passports.configure(env)({} as never);
    expect(open.pageUrl('http://127.0.0.1:8003')).toBe('http://127.0.0.1:8003/login#key=assay-01k2m3n4p5');
    expect(open.example('http://127.0.0.1:8003')).toContain('"api_key":"assay-01k2m3n4p5"');
  });
});
