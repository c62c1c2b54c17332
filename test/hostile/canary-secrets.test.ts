import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../src/base/testing/database.ts';
import { voiceBytes } from '../../src/ml/audio/testing/recordings.ts';
import { type Collector, startCollector } from '../helpers/collector.ts';
import { type Client, newClient } from '../helpers/passports.ts';
import { KEYS, type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { type Assay, cleanUp, freePort, newPlace, type Place, REPOSITORY, startAssay } from '../processes/assay.ts';
import { until } from '../processes/until.ts';

// The product as a user starts it, at its most talkative, with a secret of its own in every setting that takes one. Each is
// called by its name here and sought everywhere the product says anything.
vi.setConfig({ testTimeout: 180_000 });

const run = randomBytes(6).toString('hex');
/** What a secret is known by, however it is packed. */
const secrets = new Map<string, string>();
function secret(name: string): string {
  const value = `canary-${name.replace(/\W+/g, '-')}-${run}-${randomBytes(9).toString('hex')}`;
  secrets.set(name, value);
  return value;
}

let assay: Assay;
let place: Place;
let database: TestDatabase;
let collector: Collector;
let storage: S3Server;
let env: Record<string, string>;
const strangers: Server[] = [];
/** What the receivers of webhooks and the providers of models were sent. */
const sent: { to: string; headers: Record<string, unknown>; body: string }[] = [];
/** Everything that anybody could read, by where it was read. */
const read: { where: string; text: string }[] = [];
const role = `canary_${run}`;
/** The one that waits for hints, by `DATABASE_DIRECT_URL`. */
const hinted = `${role}_direct`;

/** A host that fails, and says aloud what it was asked with. */
async function stranger(to: string): Promise<string> {
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
  strangers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  place = await newPlace();
  [database, collector, storage] = await Promise.all([testDatabase(), startCollector(), startS3Server()]);
  secrets.set('S3_ACCESS_KEY_ID', KEYS.accessKeyId).set('S3_SECRET_ACCESS_KEY', KEYS.secretAccessKey);
  const password = secret('DATABASE_URL');
  const { db } = database;
  await db.query(`create role ${role} login superuser password '${password}'`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, password];
  const direct = new URL(database.url);
  [direct.username, direct.password] = [hinted, secret('DATABASE_DIRECT_URL')];
  await db.query(`create role ${hinted} login password '${direct.password}'`);
  const token = secret('DEFECTOSCOPY_API_TOKENS');
  const signing = Buffer.from(secret('DEFECTOSCOPY_WEBHOOK_SECRETS')).toString('base64');
  const ports = await Promise.all(
    ['STT', 'PASSPORTS', 'CATALOG'].map(async (name) => [`${name}_PORT`, `${await freePort()}`]),
  );
  env = {
    ...Object.fromEntries(ports),
    // In `local` the banner shows what opens each service, on purpose.
    ...{ APP_ENV: 'production', HOST: '127.0.0.1', FILES_HOST: 'files.assay.internal', SERVICES: '' },
    LOG_LEVEL: 'debug',
    DATABASE_URL: url.href,
    DATABASE_DIRECT_URL: direct.href,
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
    STT_REMOTE_URL: `${await stranger('speech')}/v1`,
    STT_REMOTE_KEY: secret('STT_REMOTE_KEY'),
    STT_WEBHOOK_ALLOW_LOOPBACK: 'true',
    PASSPORTS_API_KEYS: `admin:${secret('PASSPORTS_API_KEYS')}`,
    PASSPORTS_JWT_SECRET: secret('PASSPORTS_JWT_SECRET'),
    PASSPORTS_JWT_SECRET_PREVIOUS: secret('PASSPORTS_JWT_SECRET_PREVIOUS'),
    LLM_PROVIDER: 'openai',
    LLM_BASE_URL: `${await stranger('language')}/v1`,
    LLM_MODEL: 'some-model',
    LLM_API_KEY: secret('LLM_API_KEY'),
    REPORTS_API_TOKENS: secret('REPORTS_API_TOKENS'),
    REPORTS_MODERATOR_TOKENS: secret('REPORTS_MODERATOR_TOKENS'),
    WEBHOOK_RETRY_SCHEDULE: '0,0',
  };
  assay = startAssay(place, { env });
  await assay.says(/is ready/);
}, 120_000);
afterAll(async () => {
  await cleanUp();
  for (const server of strangers) {
    server.closeAllConnections();
    server.close();
  }
  await collector?.close();
  await storage?.stop();
  await database?.db.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename ^@ '${role}'`);
  await database?.db.query(`drop role if exists ${role}, ${hinted}`).catch(() => {});
  await database?.drop();
}, 60_000);

const at = (service: string) => `http://127.0.0.1:${service === 'DEFECTOSCOPY' ? place.port : env[`${service}_PORT`]}`;

/** Asks, and keeps what was answered, headers and all, among what could be read. */
async function ask(service: string, path: string, init: RequestInit = {}) {
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

/** The settings that hold secrets, as the list of all settings marks them. */
async function secretSettings(): Promise<string[]> {
  const listed = await readFile(join(REPOSITORY, 'docs/configure.md'), 'utf8');
  return [...listed.matchAll(/^\| `(\w+)` \|.*Also as `\1_FILE`/gm)].map(([, name]) => name!);
}

it('every setting that holds a secret has one here', async () => {
  const settings = await secretSettings();
  expect(settings.length).toBeGreaterThan(15);
  expect(settings.filter((name) => !secrets.has(name))).toEqual([]);
});

it('is used: what comes in, fails, is refused and goes out, at every service', async () => {
  const [tokens, stt, reader, moderator] = [
    'DEFECTOSCOPY_API_TOKENS',
    'STT_API_TOKENS',
    'REPORTS_API_TOKENS',
    'REPORTS_MODERATOR_TOKENS',
  ].map((name) => secrets.get(name)!);
  const hook = `${await stranger('webhook')}/hook/${secret('path of a webhook')}?key=${secret('query of a webhook')}`;
  const photo = `https://storage.example.invalid/${secret('path of a photo')}.jpg?signature=${secret('query of a photo')}`;

  const task = await ask('DEFECTOSCOPY', '/predict', json({ image_url: photo, webhook_url: hook }, tokens));
  expect(task.status, task.text).toBe(202);
  const voice = await fetch(`${at('STT')}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stt}`, 'content-type': 'audio/mpeg' },
    body: new Uint8Array(voiceBytes('mp3')),
  });
  const { url } = ((await voice.json()) as { data: { url: string } }).data;
  const whsec = `whsec_${Buffer.from(secret('secret of a webhook')).toString('base64')}`;
  const heard = await ask('STT', '/transcribe/audio_url', json({ url, webhook: { url: hook, secret: whsec } }, stt));
  expect(heard.status, heard.text).toBe(202);

  const browser = await readDocument();
  await wrong(hook);
  await ask('CATALOG', '/search?q=crack', { headers: { authorization: `Bearer ${reader}` } });
  await ask('CATALOG', '/index', json({ records: [{ record_id: 'a', title: 'A', image_url: photo }] }, moderator));
  await ask('CATALOG', '/login', { method: 'POST', body: new URLSearchParams({ token: moderator! }) });

  // The remote provider was asked, the webhooks were called, the language model was, and each of them failed.
  await until(() => ['speech', 'language', 'webhook'].every((to) => sent.some((each) => each.to === to)), 60_000);
  await until(async () => {
    const { rows } = await database.db.query("select from deliveries where state = 'failed'");
    return rows.length === 2;
  }, 60_000);
  for (const [service, token, id] of [
    ['DEFECTOSCOPY', tokens, task],
    ['STT', stt, heard],
  ] as const) {
    const path = `/result/${id.json().data.task_id}`;
    const { text } = await ask(service, path, { headers: { authorization: `Bearer ${token}` } });
    expect(text).toContain('"status":"failed"');
  }
  await pages(browser);
  await withoutDatabase(tokens!);
});

/** Signs in as a browser and as a program, and has a document read, for which the language model fails. */
async function readDocument(): Promise<Client> {
  const key = secrets.get('PASSPORTS_API_KEYS')!;
  const browser = newClient(at('PASSPORTS'), undefined);
  expect((await browser.post('/login', { form: { api_key: key } })).status).toBe(303);
  const bytes = await readFile(join(REPOSITORY, 'examples/passport.pdf'));
  const [id] = await browser.upload({ name: 'a.pdf', bytes });
  await until(async () => (await browser.get(`/api/task/${id}/result`)).status === 200, 90_000);
  const program = newClient(at('PASSPORTS'), undefined);
  program.token = (await program.post('/auth/token', { json: { api_key: key } })).body.token;
  secrets.set('a token of passports', program.token!);
  for (const [name, value] of browser.cookies) secrets.set(`cookie ${name}`, value);
  for (const path of [`/task/${id}`, '/', `/api/task/${id}/result`, '/health/deep', '/api/stats/failed']) {
    const { text, status } = await browser.get(path);
    read.push({ where: `${path} (${status}), signed in`, text });
  }
  return browser;
}

/** Requests that are wrong, each with a secret in what is wrong. */
async function wrong(hook: string): Promise<void> {
  for (const service of ['DEFECTOSCOPY', 'STT', 'PASSPORTS', 'CATALOG']) {
    const token = secret(`a wrong token at ${service}`);
    for (const path of ['/predict', '/transcribe/audio_url', '/files', '/index', '/reports', '/api/tasks', '/upload']) {
      await ask(service, path, json({ url: hook }, token));
      await ask(service, path, {
        headers: { authorization: `Basic ${btoa(token)}`, cookie: `bti_access_token=${token}; catalog_token=${token}` },
      });
    }
    const right = secrets.get(service === 'CATALOG' ? 'REPORTS_API_TOKENS' : `${service}_API_TOKENS`) ?? token;
    const bad = secret(`a wrong body at ${service}`);
    for (const path of ['/predict', '/transcribe/audio_url', '/index', '/reports', '/auth/token', '/login']) {
      await ask(service, path, json(`{"secret": "${bad}`, right));
      await ask(service, path, json({ webhook: { secret: [bad] }, api_key: [bad], image_url: 5 }, right));
      await ask(service, path, { method: 'POST', body: new URLSearchParams({ api_key: bad, token: bad }) });
    }
    await ask(service, `/nothing?token=${bad}`);
  }
}

/** What everybody may read, and what the administrator may. */
async function pages(browser: Client): Promise<void> {
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
      await ask(service, path, { headers: { accept: path === '/' || path === '/overview' ? 'text/html' : '*/*' } });
    }
    const { status } = await ask(service, '/metrics', {
      headers: { authorization: `Bearer ${secrets.get('METRICS_TOKEN')}` },
    });
    expect(status).toBe(200);
  }
  read.push({ where: '/health/deep, signed in', text: (await browser.get('/health/deep')).text });
}

/** As if somebody had changed the password: nothing can be asked, and everything complains. */
async function withoutDatabase(token: string): Promise<void> {
  const { db } = database;
  await db.query(`alter role ${role} password 'another'`);
  await db.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
  await until(
    async () =>
      (await ask('DEFECTOSCOPY', '/predict', json({ image_url: 'https://storage.example.invalid/x' }, token))).status >=
      500,
  );
  for (const service of ['DEFECTOSCOPY', 'STT', 'PASSPORTS', 'CATALOG']) {
    for (const path of ['/ready', '/health', '/api/status', '/overview', '/search?q=a', '/api/tasks'])
      await ask(service, path);
  }
  await db.query(`alter role ${role} password '${secrets.get('DATABASE_URL')}'`);
  await until(async () => (await ask('DEFECTOSCOPY', '/ready')).status === 200, 60_000);
}

it('commands say none either: settings, backup, what is running', async () => {
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
      read.push({ where: `assay ${args.join(' ')}`, text: command.said.out + command.said.err });
    }),
  );
  const settings = await Promise.all(
    (await secretSettings()).map(async (name) => ({
      name,
      said: read.some(({ where, text }) => where === 'assay config check' && text.includes(name)),
    })),
  );
  expect(settings.filter(({ said }) => !said)).toEqual([]);
  // A wrong value is complained of by its name.
  const complaint = startAssay(place, {
    args: ['config', 'check'],
    env: {
      ...env,
      METRICS_TOKEN: `two words ${secrets.get('METRICS_TOKEN')}`,
      PASSPORTS_API_KEYS: secrets.get('PASSPORTS_API_KEYS')!,
      DATABASE_URL: `mysql://u:${secrets.get('DATABASE_URL')}@h/d`,
      OTEL_EXPORTER_OTLP_HEADERS: secrets.get('OTEL_EXPORTER_OTLP_HEADERS')!,
    },
  });
  expect((await complaint.ended).code).toBe(2);
  read.push({ where: 'a complaint about settings', text: complaint.said.out + complaint.said.err });
  for (const pid of await assay.alive()) {
    read.push({
      where: `the command line of ${pid}`,
      text: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    });
  }
});

/** In every packing that a log or a database could have it in. */
function isIn(text: string, value: string): boolean {
  const bytes = Buffer.from(value);
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : 4, -2),
  );
  return [value, encodeURIComponent(value), bytes.toString('hex'), ...shifted].some((form) => text.includes(form));
}
const foundIn = (text: string, among: Iterable<[string, string]> = secrets) =>
  [...among].filter(([, value]) => isIn(text, value)).map(([name]) => name);

describe('no secret is in', () => {
  it('what all processes wrote at LOG_LEVEL=debug, which is much', () => {
    expect(assay.said.err.split('\n').length).toBeGreaterThan(100);
    expect(foundIn(assay.said.err)).toEqual([]);
    expect(foundIn(assay.said.out)).toEqual([]);
  });

  it('any answer, page, description, number or sentence of a command', () => {
    expect(read.length).toBeGreaterThan(150);
    expect(read.flatMap(({ where, text }) => foundIn(text).map((name) => `${name}: ${where}`))).toEqual([]);
  });

  it('any span; only the header for the collector has the one that is for it', () => {
    expect(collector.spans().length).toBeGreaterThan(20);
    expect(foundIn(collector.requests.map(({ text }) => text).join())).toEqual([]);
    expect(collector.requests[0]!.headers['authorization']).toBe(secrets.get('OTEL_EXPORTER_OTLP_HEADERS'));
  });

  it('what others are sent, but for each its own', () => {
    const wrongly = sent.flatMap(({ to, headers, body }) => {
      const own: Record<string, string> = { speech: 'STT_REMOTE_KEY', language: 'LLM_API_KEY' };
      const text = JSON.stringify(headers) + body;
      return foundIn(text)
        .filter((name) => name !== own[to])
        .map((name) => `${name} to ${to}`);
    });
    expect(wrongly).toEqual([]);
  });

  it('any row of the database, but for the addresses that tasks name', async () => {
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
      expect(foundIn(rows.map(({ row }) => row).join('\n'), kept), name).toEqual([]);
    }
  });

  it('any file of the product', async () => {
    const files = await readdir(place.dataDir, { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      const path = join(file.parentPath, file.name);
      expect(foundIn(await readFile(path, 'latin1')), path).toEqual([]);
    }
  });
});
