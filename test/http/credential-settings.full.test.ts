import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { services } from '../../src/services/index.ts';
import { coreSettings, databaseSettings } from '../../src/settings.ts';
import { type Product, startProduct } from '../support/product.ts';

type Env = Record<string, string | undefined>;

const VALID_CREDENTIALS = {
  DEFECTOSCOPY_API_TOKENS: 'defectoscopy-token-1234',
  STT_API_TOKENS: 'stt-token-1234567',
  PASSPORTS_API_KEYS: 'admin:passports-key-1234567',
  PASSPORTS_JWT_SECRET: 'a secret of more than thirty-two bytes',
  REPORTS_API_TOKENS: 'reader-token-1234567',
  REPORTS_MODERATOR_TOKENS: 'moderator-token-1234567',
  METRICS_TOKEN: 'metrics-token-1234567',
};
const PRODUCTION: Env = { APP_ENV: 'production', SERVICES: '', ...VALID_CREDENTIALS };
const PORTS = Object.fromEntries(services.map(({ name }) => [`${name.toUpperCase()}_PORT`, '0']));

/** All secret settings except the database ones, which the tests set. */
const SECRETS = [coreSettings, databaseSettings, ...services.map(({ settings }) => settings)]
  .flatMap((settings) => Object.values(settings))
  .filter(({ env, secret }) => secret && !env.includes('DATABASE_'))
  .map(({ env }) => env);

const GUARDED_PATHS: Readonly<Record<string, string>> = {
  defectoscopy: '/result/01KAF3M9WZ7Y5T2Q8C4N6B1D0E',
  stt: '/result/01KAF3M9WZ7Y5T2Q8C4N6B1D0E',
  passports: '/api/tasks',
  catalog: '/reports',
};

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'assay-credentials-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

const configErrors = (env: Env) =>
  loadConfig({ ...PRODUCTION, DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env }, 'serve').then(
    () => [],
    (error: Error) => error.message.split('\n'),
  );

async function startProduction(env: Env): Promise<Product> {
  const product = await startProduct({ roles: [], env: { ...PRODUCTION, ...PORTS, ...env } });
  onTestFinished(() => product.stop());
  return product;
}

async function statusesOf({ addresses }: Product): Promise<Record<string, number[]>> {
  const statuses: Record<string, number[]> = {};
  const ask = (url: string) =>
    Promise.all(
      [{}, { authorization: 'Bearer wrong-token-1234567' }].map(
        async (headers) => (await fetch(url, { headers })).status,
      ),
    );
  for (const [name, path] of Object.entries(GUARDED_PATHS)) statuses[name] = await ask(addresses[name] + path);
  statuses['metrics'] = await ask(`${addresses['stt']}/metrics`);
  return statuses;
}

const ALL_PROTECTED = {
  defectoscopy: [401, 401],
  stt: [401, 401],
  passports: [401, 401],
  catalog: [401, 401],
  metrics: [401, 401],
};

describe('Credential settings in production', () => {
  it.each(SECRETS)('are rejected at the start when %s is blank or its file is empty', async (name) => {
    for (const blank of [' ', '\n', '\t \r\n']) {
      expect(await configErrors({ [name]: blank })).toEqual([
        `${name}: is only white space: write a value, or remove the setting.`,
      ]);
      const file = join(dataDir, 'empty');
      for (const text of ['', blank]) {
        await writeFile(file, text);
        expect(await configErrors({ [name]: undefined, [`${name}_FILE`]: file })).toEqual([
          `${name}: ${name}_FILE names an empty file.`,
        ]);
      }
    }
  });

  it.each([
    'DEFECTOSCOPY_API_TOKENS',
    'STT_API_TOKENS',
    'PASSPORTS_API_KEYS',
    'REPORTS_API_TOKENS',
    'REPORTS_MODERATOR_TOKENS',
    'DEFECTOSCOPY_WEBHOOK_SECRETS',
  ])('are rejected at the start when the list %s has no entries, also from a file', async (name) => {
    const file = join(dataDir, 'commas');
    await writeFile(file, ' ,\n, \n');
    for (const env of [{ [name]: ' , ' }, { [name]: undefined, [`${name}_FILE`]: file }]) {
      expect(await configErrors(env)).toEqual([expect.stringMatching(new RegExp(`^${name}: .*has no entry: write`))]);
    }
  });

  it.each([
    ['DEFECTOSCOPY_API_TOKENS', 'good-token-1234567,fifteen-letters'],
    ['DEFECTOSCOPY_API_TOKEN', 'fifteen-letters'],
    ['STT_API_TOKENS', 'fifteen-letters'],
    ['STT_API_TOKEN', 'fifteen-letters'],
    ['PASSPORTS_API_KEYS', 'admin:fifteen-letters'],
    ['REPORTS_API_TOKENS', 'fifteen-letters'],
    ['REPORTS_MODERATOR_TOKENS', 'fifteen-letters'],
    ['METRICS_TOKEN', 'fifteen-letters'],
  ])(
    'are rejected at the start without being quoted when %s has a token of fewer than 16 characters',
    async (name, text) => {
      const [message, ...others] = await configErrors({ [name]: text });
      expect(others).toEqual([]);
      expect(message).toMatch(new RegExp(`^${name}: .*has fewer than 16 characters, which \`production\` does not`));
      expect(message).not.toContain('fifteen');
      expect(await configErrors({ [name]: text.replace('fifteen-letters', 'sixteen-letters-') })).toEqual([]);
      const digest = name === 'PASSPORTS_API_KEYS' ? `a:sha256:${'0'.repeat(64)}` : `sha256:${'0'.repeat(64)}`;
      expect(await configErrors({ [name]: digest })).toEqual([]);
    },
  );

  it('are rejected at the start when REPORTS_MODERATOR_TOKENS is empty or missing', async () => {
    for (const value of ['', undefined]) {
      expect(await configErrors({ REPORTS_MODERATOR_TOKENS: value })).toEqual([
        expect.stringMatching(/^REPORTS_MODERATOR_TOKENS must be set in `production`/),
      ]);
    }
  });

  it('protect every service when all of them are set', async () => {
    expect(await statusesOf(await startProduction({}))).toEqual(ALL_PROTECTED);
  });

  it.each<[string, Partial<typeof ALL_PROTECTED>]>([
    ['DEFECTOSCOPY_API_TOKENS', { defectoscopy: [503, 503] }],
    ['DEFECTOSCOPY_API_TOKEN', {}],
    ['STT_API_TOKENS', { stt: [503, 503] }],
    ['STT_API_TOKEN', {}],
    ['PASSPORTS_API_KEYS', {}],
    ['PASSPORTS_JWT_SECRET', {}],
    ['REPORTS_API_TOKENS', {}],
    // The specification allows /metrics without a token if none is configured.
    ['METRICS_TOKEN', { metrics: [200, 200] }],
  ])('open no guarded route when %s is empty or missing', async (name, over) => {
    for (const value of ['', undefined]) {
      expect(await statusesOf(await startProduction({ [name]: value })), `${name}: ${value}`).toEqual({
        ...ALL_PROTECTED,
        ...over,
      });
    }
  });

  it.each<[string, Env]>([
    ['both of its token settings are defined and empty', { DEFECTOSCOPY_API_TOKENS: '', DEFECTOSCOPY_API_TOKEN: '' }],
    ['DEFECTOSCOPY_AUTH is `disabled`', { DEFECTOSCOPY_API_TOKENS: undefined, DEFECTOSCOPY_AUTH: 'disabled' }],
  ])('open defectoscopy when %s, and /ready warns about it', async (_, env) => {
    const product = await startProduction(env);
    expect(await statusesOf(product)).toEqual({ ...ALL_PROTECTED, defectoscopy: [404, 404] });
    const ready = async (name: string): Promise<object> => {
      const response = await fetch(`${product.addresses[name]}/ready`);
      return ((await response.json()) as { data: object }).data;
    };
    expect(await ready('defectoscopy')).toMatchObject({
      auth: 'disabled',
      warnings: ['Authorization is disabled: anyone who can reach the port can use the service.'],
    });
    expect(await ready('stt')).not.toHaveProperty('warnings');
  });

  it('protect every service when APP_ENV ends with a line break', async () => {
    const product = await startProduction({ APP_ENV: 'production\n' });
    const minted = await fetch(`${product.addresses['passports']}/upload`, { method: 'POST' });
    expect(minted.status).toBe(401);
    expect(await statusesOf(product)).toEqual(ALL_PROTECTED);
  });
});

describe('An address that sends wrong bearer tokens', () => {
  it('gets 429 after 100 attempts per minute, also at /metrics, while its valid token keeps its full quota', async () => {
    const product = await startProduction({ DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '5' });
    const url = product.addresses['defectoscopy'];
    const ask = (token: string, path = GUARDED_PATHS['defectoscopy']) =>
      fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const statuses = (answers: Response[]) => answers.map(({ status }) => status);
    for (let i = 0; i < 50; i++) {
      expect(statuses([await ask(`guess-${i}-12345678`), await ask(`guess-${i}-12345678`, '/metrics')])).toEqual([
        401, 401,
      ]);
    }
    const rejected = [await ask('guess-100-12345678'), await ask('guess-101-12345678', '/metrics')];
    expect(statuses(rejected)).toEqual([429, 429]);
    for (const { headers } of rejected) expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect((await fetch(`${url}${GUARDED_PATHS['defectoscopy']}`)).status).toBe(401);
    const valid = () => ask(VALID_CREDENTIALS.DEFECTOSCOPY_API_TOKENS);
    const first = await valid();
    expect([first.status, first.headers.get('ratelimit')]).toEqual([404, expect.stringMatching(/;r=4;/)]);
    expect((await ask(VALID_CREDENTIALS.METRICS_TOKEN, '/metrics')).status).toBe(200);
  });
});
