import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { voiceBytes } from '../support/audio/recordings.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type Collector, startCollector } from '../support/otlp-collector.ts';
import { type Client, createClient } from '../support/passports.ts';
import {
  type Assay,
  cleanUp,
  createInstancePlace,
  freePort,
  type InstancePlace,
  REPOSITORY,
  startAssay,
} from '../support/processes/assay.ts';
import { waitUntil } from '../support/processes/until.ts';
import { KEYS, type S3Server, startS3Server } from '../support/s3/server.ts';

// Starts the product with LOG_LEVEL=debug and a unique secret in every secret setting, then searches all its output.
vi.setConfig({ testTimeout: 180_000 });

const run = randomBytes(6).toString('hex');
const secrets = new Map<string, string>();
function secret(name: string): string {
  const value = `canary-${name.replace(/\W+/g, '-')}-${run}-${randomBytes(9).toString('hex')}`;
  secrets.set(name, value);
  return value;
}

let assay: Assay;
let place: InstancePlace;
let database: TestDatabase;
let collector: Collector;
let storage: S3Server;
let env: Record<string, string>;
const externalHosts: Server[] = [];
/** Requests that the webhook receivers and the model providers received. */
const sent: { to: string; headers: Record<string, unknown>; body: string }[] = [];
const read: { where: string; text: string }[] = [];
const role = `canary_${run}`;
const directRole = `${role}_direct`;

/** Starts an external host that fails and echoes the request headers. */
async function startExternalHost(to: string): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      sent.push({ to, headers: request.headers, body });
      const echo = JSON.stringify({ error: { message: `not you: ${JSON.stringify(request.headers)}` } });
      response.writeHead(to === 'webhook' ? 500 : 401, { 'content-type': 'application/json' }).end(echo);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  externalHosts.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  place = await createInstancePlace();
  [database, collector, storage] = await Promise.all([testDatabase(), startCollector(), startS3Server()]);
  secrets.set('S3_ACCESS_KEY_ID', KEYS.accessKeyId).set('S3_SECRET_ACCESS_KEY', KEYS.secretAccessKey);
  const password = secret('DATABASE_URL');
  const { db } = database;
  await db.query(`create role ${role} login superuser password '${password}'`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, password];
  const direct = new URL(database.url);
  [direct.username, direct.password] = [directRole, secret('DATABASE_DIRECT_URL')];
  const serviceUrls = ['DEFECTOSCOPY', 'STT', 'PASSPORTS', 'CATALOG'].map((service) => `${service}_DATABASE_URL`);
  for (const name of serviceUrls) secrets.set(name, password);
  await db.query(`create role ${directRole} login password '${direct.password}'`);
  const token = secret('DEFECTOSCOPY_API_TOKENS');
  const signing = Buffer.from(secret('DEFECTOSCOPY_WEBHOOK_SECRETS')).toString('base64');
  const ports = await Promise.all(
    ['STT', 'PASSPORTS', 'CATALOG'].map(async (name) => [`${name}_PORT`, `${await freePort()}`]),
  );
  env = {
    ...Object.fromEntries(ports),
    // With APP_ENV=local the banner shows credentials on purpose.
    ...{ APP_ENV: 'production', HOST: '127.0.0.1', FILES_HOST: 'files.assay.internal', SERVICES: '' },
    LOG_LEVEL: 'debug',
    DATABASE_URL: url.href,
    DATABASE_DIRECT_URL: direct.href,
    ...Object.fromEntries(serviceUrls.map((name) => [name, url.href])),
    FILES_URL: storage.filesUrl,
    S3_ACCESS_KEY_ID: KEYS.accessKeyId,
    S3_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret('OTEL_EXPORTER_OTLP_HEADERS')}`,
    METRICS_TOKEN: secret('METRICS_TOKEN'),
    DEFECTOSCOPY_API_TOKENS: token,
    DEFECTOSCOPY_API_TOKEN: secret('DEFECTOSCOPY_API_TOKEN'),
    DEFECTOSCOPY_WEBHOOK_SECRETS: `${hash('sha256', token, 'hex').slice(0, 12)}:whsec_${signing}`,
    DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: 'storage.example.invalid',
    STT_API_TOKENS: secret('STT_API_TOKENS'),
    STT_API_TOKEN: secret('STT_API_TOKEN'),
    STT_PROVIDERS: 'remote',
    STT_REMOTE_URL: `${await startExternalHost('speech')}/v1`,
    STT_REMOTE_KEY: secret('STT_REMOTE_KEY'),
    DEFECTOSCOPY_REVIEWER_TOKENS: secret('DEFECTOSCOPY_REVIEWER_TOKENS'),
    STT_WEBHOOK_ALLOW_LOOPBACK: 'true',
    PASSPORTS_API_KEYS: `admin:${secret('PASSPORTS_API_KEYS')}`,
    PASSPORTS_JWT_SECRET: secret('PASSPORTS_JWT_SECRET'),
    PASSPORTS_JWT_SECRET_PREVIOUS: secret('PASSPORTS_JWT_SECRET_PREVIOUS'),
    LLM_PROVIDER: 'openai',
    LLM_BASE_URL: `${await startExternalHost('language')}/v1`,
    LLM_MODEL: 'some-model',
    LLM_API_KEY: secret('LLM_API_KEY'),
    REPORTS_API_TOKENS: secret('REPORTS_API_TOKENS'),
    REPORTS_MODERATOR_TOKENS: secret('REPORTS_MODERATOR_TOKENS'),
    REPORTS_WEBHOOK_SECRET: `whsec_${Buffer.from(secret('REPORTS_WEBHOOK_SECRET')).toString('base64')}`,
    WEBHOOK_RETRY_SCHEDULE: '0,0',
  };
  assay = startAssay(place, { env });
  await assay.waitForOutput(/is ready/);
}, 120_000);
afterAll(async () => {
  await cleanUp();
  for (const server of externalHosts) {
    server.closeAllConnections();
    server.close();
  }
  await collector?.close();
  await storage?.stop();
  await database?.db.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename ^@ '${role}'`);
  await database?.db.query(`drop role if exists ${role}, ${directRole}`).catch(() => {});
  await database?.drop();
}, 60_000);

const at = (service: string) => `http://127.0.0.1:${service === 'DEFECTOSCOPY' ? place.port : env[`${service}_PORT`]}`;

async function request(service: string, path: string, init: RequestInit = {}) {
  const response = await fetch(at(service) + path, { redirect: 'manual', ...init });
  const text = await response.text();
  const headers = JSON.stringify([...response.headers].filter(([name]) => name !== 'set-cookie'));
  read.push({ where: `${init.method ?? 'GET'} ${service} ${path} (${response.status})`, text: `${headers}\n${text}` });
  return { status: response.status, text, json: () => JSON.parse(text) };
}
const json = (body: unknown, token?: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** The secret settings: those that docs/configuration.md lists with a `_FILE` variant. */
async function secretSettings(): Promise<string[]> {
  const listed = await readFile(join(REPOSITORY, 'docs/configuration.md'), 'utf8');
  return [...listed.matchAll(/^\| `(\w+)` \|.*Also as `\1_FILE`/gm)].map(([, name]) => name!);
}

it('Every secret setting in docs/configuration.md has a canary value in this test', async () => {
  const settings = await secretSettings();
  expect(settings.length).toBeGreaterThan(15);
  expect(settings.filter((name) => !secrets.has(name))).toEqual([]);
});

it('Every service handles accepted, failing and rejected requests with canary secrets', async () => {
  const [tokens, stt, reader, moderator] = [
    'DEFECTOSCOPY_API_TOKENS',
    'STT_API_TOKENS',
    'REPORTS_API_TOKENS',
    'REPORTS_MODERATOR_TOKENS',
  ].map((name) => secrets.get(name)!);
  const hook = `${await startExternalHost('webhook')}/hook/${secret('path of a webhook')}?key=${secret('query of a webhook')}`;
  const photo = `https://storage.example.invalid/${secret('path of a photo')}.jpg?signature=${secret('query of a photo')}`;

  const task = await request('DEFECTOSCOPY', '/predict', json({ image_url: photo, webhook_url: hook }, tokens));
  expect(task.status, task.text).toBe(202);
  const voice = await fetch(`${at('STT')}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stt}`, 'content-type': 'audio/mpeg' },
    body: new Uint8Array(voiceBytes('mp3')),
  });
  const { url } = ((await voice.json()) as { data: { url: string } }).data;
  const whsec = `whsec_${Buffer.from(secret('secret of a webhook')).toString('base64')}`;
  const transcription = await request(
    'STT',
    '/transcribe/audio_url',
    json({ url, webhook: { url: hook, secret: whsec } }, stt),
  );
  expect(transcription.status, transcription.text).toBe(202);

  const browser = await readDocument();
  await sendInvalidRequests(hook);
  await request('CATALOG', '/search?q=crack', { headers: { authorization: `Bearer ${reader}` } });
  await request('CATALOG', '/index', json({ records: [{ record_id: 'a', title: 'A', image_url: photo }] }, moderator));
  await request('CATALOG', '/login', { method: 'POST', body: new URLSearchParams({ token: moderator! }) });

  await waitUntil(() => ['speech', 'language', 'webhook'].every((to) => sent.some((each) => each.to === to)), 60_000);
  await waitUntil(async () => {
    const { rows } = await database.db.query("select from deliveries where state = 'failed'");
    return rows.length === 2;
  }, 60_000);
  for (const [service, token, id] of [
    ['DEFECTOSCOPY', tokens, task],
    ['STT', stt, transcription],
  ] as const) {
    const path = `/result/${id.json().data.task_id}`;
    const { text } = await request(service, path, { headers: { authorization: `Bearer ${token}` } });
    expect(text).toContain('"status":"failed"');
  }
  await readPages(browser);
  await withoutDatabase(tokens!);
});

/** Signs in as a browser and as a program, and uploads a document, for which the language model fails. */
async function readDocument(): Promise<Client> {
  const key = secrets.get('PASSPORTS_API_KEYS')!;
  const browser = createClient(at('PASSPORTS'), undefined);
  expect((await browser.post('/login', { form: { api_key: key } })).status).toBe(303);
  const bytes = await readFile(join(REPOSITORY, 'examples/passport.pdf'));
  const [id] = await browser.upload({ name: 'a.pdf', bytes });
  await waitUntil(async () => (await browser.get(`/api/task/${id}/result`)).status === 200, 90_000);
  const program = createClient(at('PASSPORTS'), undefined);
  program.token = (await program.post('/auth/token', { json: { api_key: key } })).body.token;
  secrets.set('a token of passports', program.token!);
  for (const [name, value] of browser.cookies) secrets.set(`cookie ${name}`, value);
  for (const path of [`/task/${id}`, '/', `/api/task/${id}/result`, '/health/deep', '/api/stats/failed']) {
    const { text, status } = await browser.get(path);
    read.push({ where: `${path} (${status}), signed in`, text });
  }
  return browser;
}

async function sendInvalidRequests(hook: string): Promise<void> {
  for (const service of ['DEFECTOSCOPY', 'STT', 'PASSPORTS', 'CATALOG']) {
    const token = secret(`a wrong token at ${service}`);
    for (const path of ['/predict', '/transcribe/audio_url', '/files', '/index', '/reports', '/api/tasks', '/upload']) {
      await request(service, path, json({ url: hook }, token));
      await request(service, path, {
        headers: { authorization: `Basic ${btoa(token)}`, cookie: `bti_access_token=${token}; catalog_token=${token}` },
      });
    }
    const right = secrets.get(service === 'CATALOG' ? 'REPORTS_API_TOKENS' : `${service}_API_TOKENS`) ?? token;
    const bad = secret(`a wrong body at ${service}`);
    for (const path of ['/predict', '/transcribe/audio_url', '/index', '/reports', '/auth/token', '/login']) {
      await request(service, path, json(`{"secret": "${bad}`, right));
      await request(service, path, json({ webhook: { secret: [bad] }, api_key: [bad], image_url: 5 }, right));
      await request(service, path, { method: 'POST', body: new URLSearchParams({ api_key: bad, token: bad }) });
    }
    await request(service, `/nothing?token=${bad}`);
  }
}

async function readPages(browser: Client): Promise<void> {
  for (const service of ['DEFECTOSCOPY', 'STT', 'PASSPORTS', 'CATALOG']) {
    for (const path of [
      '/',
      '/docs',
      '/openapi.json',
      '/overview',
      '/overview.json',
      '/ready',
      '/livez',
      '/health',
      '/model',
      '/models',
      '/info',
      '/help',
      '/api/status',
      '/.well-known/webhook-keys.json',
      '/metrics',
      '/queue',
      '/login',
    ]) {
      await request(service, path, { headers: { accept: path === '/' || path === '/overview' ? 'text/html' : '*/*' } });
    }
    const { status } = await request(service, '/metrics', {
      headers: { authorization: `Bearer ${secrets.get('METRICS_TOKEN')}` },
    });
    expect(status).toBe(200);
  }
  read.push({ where: '/health/deep, signed in', text: (await browser.get('/health/deep')).text });
}

/** Changes the database password, so that every query fails. */
async function withoutDatabase(token: string): Promise<void> {
  const { db } = database;
  await db.query(`alter role ${role} password 'another'`);
  await db.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
  await waitUntil(
    async () =>
      (await request('DEFECTOSCOPY', '/predict', json({ image_url: 'https://storage.example.invalid/x' }, token)))
        .status >= 500,
  );
  for (const service of ['DEFECTOSCOPY', 'STT', 'PASSPORTS', 'CATALOG']) {
    for (const path of ['/ready', '/health', '/api/status', '/overview', '/search?q=a', '/api/tasks'])
      await request(service, path);
  }
  await db.query(`alter role ${role} password '${secrets.get('DATABASE_URL')}'`);
  await waitUntil(async () => (await request('DEFECTOSCOPY', '/ready')).status === 200, 60_000);
}

it('The config, backup and audit commands run with every secret setting, and process command lines are readable', async () => {
  const commands = [
    ['config', 'check'],
    ['config'],
    ['backup', join(place.dataDir, '..', 'copy.tar')],
    ['audit', 'verify'],
  ];
  await Promise.all(
    commands.map(async (args) => {
      const command = startAssay(place, { args, env });
      await command.ended;
      read.push({ where: `assay ${args.join(' ')}`, text: command.output.out + command.output.err });
    }),
  );
  const settings = await Promise.all(
    (await secretSettings()).map(async (name) => ({
      name,
      isShown: read.some(({ where, text }) => where === 'assay config check' && text.includes(name)),
    })),
  );
  expect(settings.filter(({ isShown }) => !isShown)).toEqual([]);
  // The error for an invalid value names the setting.
  const check = startAssay(place, {
    args: ['config', 'check'],
    env: {
      ...env,
      METRICS_TOKEN: `two words ${secrets.get('METRICS_TOKEN')}`,
      PASSPORTS_API_KEYS: secrets.get('PASSPORTS_API_KEYS')!,
      DATABASE_URL: `mysql://u:${secrets.get('DATABASE_URL')}@h/d`,
      OTEL_EXPORTER_OTLP_HEADERS: secrets.get('OTEL_EXPORTER_OTLP_HEADERS')!,
    },
  });
  expect((await check.ended).code).toBe(2);
  read.push({ where: 'errors of config check', text: check.output.out + check.output.err });
  for (const pid of await assay.runningPids()) {
    read.push({
      where: `the command line of ${pid}`,
      text: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    });
  }
});

/** Searches for the value as plain text, URL-encoded, as hexadecimal and as base64. */
function containsSecret(text: string, value: string): boolean {
  const bytes = Buffer.from(value);
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : 4, -2),
  );
  return [value, encodeURIComponent(value), bytes.toString('hex'), ...shifted].some((form) => text.includes(form));
}
const findSecrets = (text: string, among: Iterable<[string, string]> = secrets) =>
  [...among].filter(([, value]) => containsSecret(text, value)).map(([name]) => name);

describe('No canary secret appears in', () => {
  it('the output of any process at LOG_LEVEL=debug', () => {
    expect(assay.output.err.split('\n').length).toBeGreaterThan(100);
    expect(findSecrets(assay.output.err)).toEqual([]);
    expect(findSecrets(assay.output.out)).toEqual([]);
  });

  it('any HTTP response, page, OpenAPI document, metric or command output', () => {
    expect(read.length).toBeGreaterThan(150);
    expect(read.flatMap(({ where, text }) => findSecrets(text).map((name) => `${name}: ${where}`))).toEqual([]);
  });

  it("any exported span, except the collector's own secret in its request header", () => {
    expect(collector.spans().length).toBeGreaterThan(20);
    expect(findSecrets(collector.requests.map(({ text }) => text).join())).toEqual([]);
    expect(collector.requests[0]!.headers['authorization']).toBe(secrets.get('OTEL_EXPORTER_OTLP_HEADERS'));
  });

  it("any request to an external host, except that host's own key", () => {
    const wrongly = sent.flatMap(({ to, headers, body }) => {
      const own: Record<string, string> = { speech: 'STT_REMOTE_KEY', language: 'LLM_API_KEY' };
      const text = JSON.stringify(headers) + body;
      return findSecrets(text)
        .filter((name) => name !== own[to])
        .map((name) => `${name} to ${to}`);
    });
    expect(wrongly).toEqual([]);
  });

  it('any database row, except the URLs that tasks contain', async () => {
    const { db } = database;
    const { rows: tables } = await db.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    expect(tables.length).toBeGreaterThan(10);
    const named = new Set(
      [...secrets.keys()].filter((name) => / of a (photo|webhook)$/.test(name) && !name.startsWith('secret')),
    );
    const kept = [...secrets].filter(([name]) => !named.has(name));
    for (const { name } of tables) {
      const { rows } = await db.query<{ row: string }>(`select t::text as row from ${name} t`);
      expect(findSecrets(rows.map(({ row }) => row).join('\n'), kept), name).toEqual([]);
    }
  });

  it('any file in the data directory', async () => {
    const files = await readdir(place.dataDir, { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      const path = join(file.parentPath, file.name);
      expect(findSecrets(await readFile(path, 'latin1')), path).toEqual([]);
    }
  });
});
