import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAppContext } from '../../src/app-context.ts';
import { parseAllowList } from '../../src/base/addresses.ts';
import { OperatorError } from '../../src/base/operator-error.ts';
import { SettingsError } from '../../src/base/settings.ts';
import { configCommand } from '../../src/commands/config.ts';
import { loadConfig } from '../../src/config.ts';

type Env = Record<string, string | undefined>;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'assay-settings-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await rm(dataDir, { recursive: true, force: true });
});

const inTest = (env: Env) => loadConfig({ APP_ENV: 'test', DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env }, 'start');
const inLocal = (env: Env, role = 'start') => loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env }, role);

/** The configuration errors; fails if the error is not an OperatorError. */
async function configErrors(env: Env): Promise<string[]> {
  const problem = await inTest(env).then(
    () => new SettingsError(''),
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(OperatorError);
  return (problem as Error).message.split('\n');
}

describe('Invalid settings stop the start with a message:', () => {
  it.each<[string, Env, RegExp]>([
    ['a token with a space', { DEFECTOSCOPY_API_TOKENS: 'a b' }, /^DEFECTOSCOPY_API_TOKENS: Access token number 1 /],
    ['a comma in the single token', { DEFECTOSCOPY_API_TOKEN: 'a,b' }, /^DEFECTOSCOPY_API_TOKEN: must be one/],
    ['too few connections for a worker', { DATABASE_CONNECTIONS: '4' }, /^DATABASE_CONNECTIONS: must be .* from 5 to/],
    ['a database that is no PostgreSQL', { STT_DATABASE_URL: 'mysql://h/d' }, /^STT_DATABASE_URL: must be an address/],
    [
      'the embedded database for some services only',
      { STT_DATABASE_URL: 'postgres://h/stt', SERVICES: 'stt,catalog' },
      /^STT_DATABASE_URL requires DATABASE_URL or CATALOG_DATABASE_URL: the embedded database serves all/,
    ],
    ['a metrics token of two words', { METRICS_TOKEN: 'one two' }, /^METRICS_TOKEN: must be one/],
    ['a comma in the metrics token', { METRICS_TOKEN: 'one,two' }, /^METRICS_TOKEN: must be one/],
    [
      'tokens and disabled auth',
      { DEFECTOSCOPY_AUTH: 'disabled', DEFECTOSCOPY_API_TOKEN: 't' },
      /Remove one of the two\.$/,
    ],
    [
      'a malformed network mask',
      { OUTBOUND_ALLOW_CIDRS: '10.0.0.0/99' },
      /^OUTBOUND_ALLOW_CIDRS: "10\.0\.0\.0\/99" is not/,
    ],
    ...['a', 'a=', '=1', 'a=0', 'a=-1', 'a=101', 'a=1e9', 'a=NaN', 'a=1=2', 'a b=1'].map(
      (weights): [string, Env, RegExp] => [
        `the weights ${weights}`,
        { CLIENT_WEIGHTS: weights },
        /^CLIENT_WEIGHTS: ".+" is not a client with its weight from 0.1 to 100, like clinic=4\.$/,
      ],
    ),
    ['two weights of a client', { CLIENT_WEIGHTS: 'a=1,a=2' }, /^CLIENT_WEIGHTS: lists a client twice\.$/],
    ['a batch share above half', { BATCH_SHARE_PERCENT: '51' }, /^BATCH_SHARE_PERCENT: must be .* from 0 to 50/],
    ['an invalid proxy', { TRUST_PROXY: 'yes' }, /^TRUST_PROXY: "yes" is not a network/],
    [
      'TRUST_PROXY=true',
      { TRUST_PROXY: 'true' },
      /^TRUST_PROXY: "true" would let every client choose its own address: give/,
    ],
    ['every address as a proxy', { TRUST_PROXY: '0.0.0.0/0' }, /^TRUST_PROXY: "0.0.0.0\/0" would let every client/],
    ['a chain of a hundred proxies', { TRUST_PROXY: '100' }, /^TRUST_PROXY: must be a number of proxies from 0 to 10/],
    ['a number of proxies among networks', { TRUST_PROXY: '1,10.0.0.0/8' }, /^TRUST_PROXY: "1" is not a network/],
    ['an image host with a scheme', { DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: 'https://s3.example.com' }, /is not a host/],
    ['an image host with a path', { DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: 's3.example.com/bucket' }, /is not a host/],
    ['a wildcard image host', { DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: 'ok.example.com,*.example.com' }, /"\*\.example/],
    [
      'an outbound host with a scheme',
      { OUTBOUND_ALLOW_HOSTS: 'https://nas.local' },
      /^OUTBOUND_ALLOW_HOSTS: .*not a host/,
    ],
    ['an outbound host with a port', { OUTBOUND_ALLOW_HOSTS: 'nas.local:9000' }, /^OUTBOUND_ALLOW_HOSTS: .*not a host/],
    ['a file host with a port', { FILES_HOST: 'files.example.com:443' }, /^FILES_HOST: .*not a host/],
    ['a file host with a scheme', { FILES_HOST: 'https://files.example.com' }, /^FILES_HOST: .*not a host/],
    ['an origin with a path', { PUBLIC_ORIGINS: 'https://docs.example.com/a' }, /^PUBLIC_ORIGINS: .* is not an origin/],
    ['production without moderators', { APP_ENV: 'production' }, /^REPORTS_MODERATOR_TOKENS must be set/],
    ['a deadline beyond 20 days', { TASK_DEADLINE_SECONDS: '1728001', RESULT_TTL_SECONDS: '9000000' }, /1728000/],
    ['a retention beyond a year', { RESULT_TTL_SECONDS: '1e15' }, /^RESULT_TTL_SECONDS: must be/],
    ['an estimate beyond a day', { DEFECTOSCOPY_ESTIMATE_WARM: '86401' }, /^DEFECTOSCOPY_ESTIMATE_WARM: must be/],
    ['an infinite retry delay', { WEBHOOK_RETRY_SCHEDULE: '0,Infinity' }, /^WEBHOOK_RETRY_SCHEDULE: must be/],
    ['an empty retry schedule', { WEBHOOK_RETRY_SCHEDULE: ',' }, /^WEBHOOK_RETRY_SCHEDULE: must be/],
    ['an invalid webhook secret', { DEFECTOSCOPY_WEBHOOK_SECRETS: `000000000000:whsec_x` }, /is not base64/],
  ])('%s', async (_, env, message) => {
    expect(await configErrors(env)).toEqual([expect.stringMatching(message)]);
  });

  it('a file without a signing key; a missing file is created later', async () => {
    const file = join(dataDir, 'key.pem');
    expect(await configErrors({ WEBHOOK_SIGNING_KEY_FILE: file })).toEqual(['']);
    await writeFile(file, 'no key');
    expect(await configErrors({ WEBHOOK_SIGNING_KEY_FILE: file })).toEqual([
      expect.stringMatching(/^WEBHOOK_SIGNING_KEY_FILE: .*does not hold an Ed25519 private key/),
    ]);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    await writeFile(file, rsa.export({ type: 'pkcs8', format: 'pem' }));
    expect(await configErrors({ WEBHOOK_SIGNING_KEY_FILE: file })).toHaveLength(1);
    const key = generateKeyPairSync('ed25519').privateKey;
    await writeFile(file, key.export({ type: 'pkcs8', format: 'pem' }));
    expect(await configErrors({ WEBHOOK_SIGNING_KEY_FILE: file })).toEqual(['']);
  });

  it('a previous signing key whose file is missing or contains no key', async () => {
    const file = join(dataDir, 'previous.pem');
    const expected = [expect.stringMatching(/^WEBHOOK_SIGNING_KEY_PREVIOUS_FILE: .*Ed25519 private key/)];
    expect(await configErrors({ WEBHOOK_SIGNING_KEY_PREVIOUS_FILE: file })).toEqual(expected);
    await writeFile(file, 'no key');
    expect(await configErrors({ WEBHOOK_SIGNING_KEY_PREVIOUS_FILE: file })).toEqual(expected);
    const key = generateKeyPairSync('ed25519').privateKey;
    await writeFile(file, key.export({ type: 'pkcs8', format: 'pem' }));
    expect(await configErrors({ WEBHOOK_SIGNING_KEY_PREVIOUS_FILE: file })).toEqual(['']);
  });

  it('all errors at once, of core and service settings and of combinations', async () => {
    const all = await configErrors({
      METRICS_TOKEN: 'a b',
      OUTBOUND_ALLOW_CIDRS: 'x',
      RESULT_TTL_SECONDS: '100',
      DEFECTOSCOPY_PORT: 'many',
      DEFECTOSCOPY_API_TOKEN: 't',
      DEFECTOSCOPY_AUTH: 'disabled',
    });
    expect(all.map((line) => line.split(/[: ]/)[0])).toEqual([
      'OUTBOUND_ALLOW_CIDRS',
      'METRICS_TOKEN',
      'TASK_DEADLINE_SECONDS',
      'DEFECTOSCOPY_PORT',
      'DEFECTOSCOPY_AUTH',
    ]);
  });
});

it('Services with equal database addresses share a database; the others have their own', async () => {
  const config = await inTest({
    DATABASE_URL: 'postgres://h/shared',
    STT_DATABASE_URL: 'postgres://h/stt',
    CATALOG_DATABASE_URL: 'postgres://h/stt',
    PASSPORTS_DATABASE_URL: 'postgres://h/shared',
  });
  expect(config.databases).toEqual([
    {
      ...{ url: 'postgres://h/shared', directUrl: undefined, variable: 'DATABASE_URL' },
      ...{ services: ['defectoscopy', 'passports'], servicesElsewhere: ['stt', 'catalog'] },
    },
    {
      ...{ url: 'postgres://h/stt', directUrl: undefined, variable: 'STT_DATABASE_URL' },
      ...{ services: ['stt', 'catalog'], servicesElsewhere: ['defectoscopy', 'passports'] },
    },
  ]);
});

it('User-supplied URLs cannot reach listeners of any service or the default database port', async () => {
  const config = await inTest({ DATABASE_URL: 'postgres://u:p@localhost/db', DEFECTOSCOPY_PORT: '18999' });
  const context = await openAppContext({ ...config, services: [] });
  const reasonAt = async (port: number) => {
    const allowList = parseAllowList({ cidrs: ['127.0.0.1'] });
    const policy = { kind: 'allowlist', hosts: [`127.0.0.1:${port}`], allowPrivate: true, allowList } as const;
    return context.fetch(`https://127.0.0.1:${port}/`, { policy }).catch(({ reason }) => reason);
  };
  expect(await reasonAt(18998)).toBe('connect_error');
  expect(await reasonAt(18999)).toBe('blocked_address');
  expect(await reasonAt(5432)).toBe('blocked_address');
  await context.close();
});

describe('SERVICES', () => {
  it('selects the services that run; all run by default', async () => {
    const names = async (env: Env) => (await inTest(env)).services.map(({ name }) => name);
    expect(await names({ SERVICES: 'stt' })).toEqual(['stt']);
    expect(await names({ SERVICES: 'stt, defectoscopy' })).toEqual(['defectoscopy', 'stt']);
    expect(await names({ SERVICES: '' })).toEqual(expect.arrayContaining(['defectoscopy', 'stt']));
    expect(await configErrors({ SERVICES: 'speech' })).toEqual([
      expect.stringMatching(/^SERVICES: "speech" is not a service; choose from defectoscopy, stt/),
    ]);
  });
});

describe('Host settings', () => {
  it('are normalized to lower case without white space', async () => {
    const { settings, shared } = await inTest({ FILES_HOST: ' Files.Example.COM ', OUTBOUND_ALLOW_HOSTS: 'NAS.local' });
    expect(shared.filesHost).toBe('files.example.com');
    expect(settings.outboundAllowHosts).toEqual(['nas.local']);
  });
});

describe('Generated credentials of the local profile', () => {
  const stateOf = ({ services }: Awaited<ReturnType<typeof loadConfig>>) => services[0]!.derivedSettings['auth'];
  const loadDefectoscopyConfig = (env: Env, role?: string) => inLocal({ SERVICES: 'defectoscopy', ...env }, role);
  const listCredentials = () => readdir(join(dataDir, 'credentials')).catch(() => []);

  it('are created once with owner-only permissions by listening roles', async () => {
    const first = await loadDefectoscopyConfig({});
    expect(stateOf(first)).toBe('enforced');
    expect(first.env['DEFECTOSCOPY_API_TOKENS']).toMatch(/^assay-/);
    expect(await listCredentials()).toEqual(['defectoscopy_api_tokens']);
    expect((await stat(join(dataDir, 'credentials', 'defectoscopy_api_tokens'))).mode & 0o077).toBe(0);
    expect((await loadDefectoscopyConfig({}, 'serve')).env).toEqual(first.env);
    expect((await loadDefectoscopyConfig({}, 'config')).env).toEqual(first.env);
  });

  it('are created for each enabled service', async () => {
    const { services } = await inLocal({});
    expect(services.map(({ derivedSettings }) => derivedSettings['auth'])).toContain('enforced');
    expect(await listCredentials()).toEqual(expect.arrayContaining(['defectoscopy_api_tokens', 'stt_api_tokens']));
  });

  it.each(['config', 'train', 'work', 'deliver', 'sweep', 'migrate'])('are not created by %s', async (role) => {
    await loadDefectoscopyConfig({}, role);
    expect(await listCredentials()).toEqual([]);
  });

  it('are not created if a token is configured in any way', async () => {
    const file = join(dataDir, 'token');
    await writeFile(file, 'mine\n');
    for (const env of [
      { DEFECTOSCOPY_API_TOKEN_FILE: file },
      { DEFECTOSCOPY_API_TOKENS_FILE: file },
      { DEFECTOSCOPY_API_TOKEN: 'mine' },
      { DEFECTOSCOPY_API_TOKENS: 'mine' },
    ]) {
      const config = await loadDefectoscopyConfig(env);
      expect(stateOf(config)).toBe('enforced');
      expect(config.services[0]!.credential).toBe('mine');
    }
    const bothEmpty = { DEFECTOSCOPY_API_TOKENS: '', DEFECTOSCOPY_API_TOKEN: '' };
    for (const env of [bothEmpty, { DEFECTOSCOPY_AUTH: 'disabled' }]) {
      expect(stateOf(await loadDefectoscopyConfig(env))).toBe('disabled');
    }
    expect(stateOf(await loadDefectoscopyConfig({ DEFECTOSCOPY_API_TOKENS: '' }))).toBe('unconfigured');
    expect(await listCredentials()).toEqual([]);
  });

  it('are created although the default of DEFECTOSCOPY_AUTH is set explicitly', async () => {
    expect(stateOf(await loadDefectoscopyConfig({ DEFECTOSCOPY_AUTH: 'tokens' }))).toBe('enforced');
    expect(await listCredentials()).toHaveLength(1);
  });

  it('are reported with a message if they cannot be stored', async () => {
    await writeFile(join(dataDir, 'credentials'), 'a file in their place');
    await expect(loadDefectoscopyConfig({})).rejects.toThrow(OperatorError);
  });
});

describe('assay config check', () => {
  async function printed(env: Record<string, string>): Promise<string> {
    vi.stubEnv('DATA_DIR', dataDir);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const lines: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text));
    await configCommand({ markdown: false });
    return lines.join('\n');
  }
  const verdict = (text: string, name: string) => new RegExp(`^${name} +(.*)$`, 'm').exec(text)?.[1];

  it('prints the effective values without secrets, and all diagnostics', async () => {
    const text = await printed({
      APP_ENV: 'production',
      DEFECTOSCOPY_API_TOKENS: 'hunter2-and-more-letters',
      REPORTS_MODERATOR_TOKENS: 'hunter4-and-more-letters',
      METRICS_TOKEN: 'hunter3-and-more-letters',
      DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: 'S3.example.com',
      WEBHOOK_TIMEOUT_SECONDS: '7',
      CLIENT_WEIGHTS: 'clinic=4',
    });
    expect(text).not.toContain('hunter');
    expect(verdict(text, 'DEFECTOSCOPY_API_TOKENS')).toBe('(set, not shown)');
    expect(verdict(text, 'WEBHOOK_TIMEOUT_SECONDS')).toBe('7');
    expect(verdict(text, 'CLIENT_WEIGHTS')).toBe('{"clinic":4}');
    expect(verdict(text, 'DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS')).toBe('["s3.example.com"]');
    expect(verdict(text, 'defectoscopy auth')).toBe('enforced');
    expect(verdict(text, 'defectoscopy image_hosts')).toBe('configured');
    expect(verdict(text, 'files_host')).toMatch(/^unconfigured/);
    expect(verdict(text, 'HOST')).toBe('"0.0.0.0"');
    expect(verdict(text, 'DATA_DIR')).toBe(JSON.stringify(dataDir));
    expect(text).toMatch(/\nThe settings are valid\.$/);
  });

  it.each([
    [{ APP_ENV: 'production' }, 'unconfigured'],
    [{ APP_ENV: 'production', DEFECTOSCOPY_API_TOKENS: '' }, 'unconfigured'],
    [{ APP_ENV: 'production', DEFECTOSCOPY_API_TOKENS: '', DEFECTOSCOPY_API_TOKEN: '' }, 'disabled'],
    [{ APP_ENV: 'production', DEFECTOSCOPY_AUTH: 'disabled' }, 'disabled'],
  ])('distinguishes missing tokens from disabled authorization: %j', async (env, state) => {
    const text = await printed({ ...(env as Record<string, string>), REPORTS_MODERATOR_TOKENS: 'moderator-1234567' });
    expect(verdict(text, 'defectoscopy auth')).toBe(state);
    expect(verdict(text, 'defectoscopy image_hosts')).toMatch(/^none: no storage host is allowed/);
  });

  it('describes the token that the first start will create, and later its file', async () => {
    vi.stubEnv('DEFECTOSCOPY_API_TOKENS', undefined);
    const text = await printed({ APP_ENV: 'local' });
    expect(verdict(text, 'HOST')).toBe('"127.0.0.1"');
    expect(verdict(text, 'defectoscopy image_hosts')).toBe('uploads only: no storage host is allowed');
    expect(verdict(text, 'files_host')).toBe('files.assay.internal');
    expect(text).toMatch(/^DEFECTOSCOPY_API_TOKENS +generated on first start/m);
    await inLocal({});
    const file = join(dataDir, 'credentials', 'defectoscopy_api_tokens');
    expect(verdict(await printed({ APP_ENV: 'local' }), 'DEFECTOSCOPY_API_TOKENS')).toBe(
      `(generated on first start: ${file})`,
    );
  });
});
