import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppContext, openAppContext } from '../../src/app-context.ts';
import type { JsonValue } from '../../src/base/json.ts';
import { loadConfig } from '../../src/config.ts';
import { createGatewayContext } from '../../src/role-contexts.ts';
import { serve } from '../../src/roles/serve.ts';
import { ENGINE_VERSION } from '../../src/services/passports/cache-key.ts';
import type { Extraction, Field } from '../../src/services/passports/extraction.ts';
import { type ErrorType, failure } from '../../src/services/passports/failures.ts';
import { passports } from '../../src/services/passports/index.ts';
import type { GatewayContext, Model } from '../../src/services/shared/service.ts';
import { type TestDatabase, testDatabase } from './database.ts';

export const ADMIN_KEY = 'admin-key-1234567890';
export const USER_KEY = 'user-key-1234567890';
export const SECRET = 'a secret of more than thirty-two bytes';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Buffer;
  readonly body: any;
}

export interface HttpRequestOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly files?: readonly { name: string; bytes: Buffer | string; field?: string; type?: string }[];
  readonly fields?: Record<string, string>;
  readonly body?: string | Buffer | ReadableStream;
}

/** An HTTP client with an optional bearer token and a cookie jar. */
export interface Client {
  readonly cookies: Map<string, string>;
  token: string | undefined;
  request(path: string, ask?: HttpRequestOptions): Promise<HttpResponse>;
  get(path: string, headers?: Record<string, string>): Promise<HttpResponse>;
  post(path: string, ask?: HttpRequestOptions): Promise<HttpResponse>;
  upload(...files: { name: string; bytes: Buffer | string }[]): Promise<string[]>;
}

/** A real HTTP server and database; the test sets the outcome of each document. */
export interface Passports {
  readonly url: string;
  readonly context: AppContext;
  readonly gateway: GatewayContext;
  readonly database: TestDatabase;
  readonly dataDir: string;
  client(options?: { token?: string | undefined }): Client;
  signIn(key?: string): Promise<Client>;
  succeed(id: string, over?: Partial<Extraction>): Promise<void>;
  fail(id: string, code: ErrorType): Promise<void>;
  /** Claims the document like a worker, so that it is PROCESSING. */
  startProcessing(id: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startPassports(env: Record<string, string | undefined> = {}): Promise<Passports> {
  const database = await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-passports-'));
  const settings = {
    APP_ENV: 'test',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PASSPORTS_PORT: '0',
    PASSPORTS_API_KEYS: `admin:${ADMIN_KEY},clerk:${USER_KEY}:user`,
    PASSPORTS_JWT_SECRET: SECRET,
    PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
    ...env,
  };
  const config = await loadConfig(settings, 'test');
  const service = passports.configure(settings)(config.shared);
  const context = await openAppContext({ ...config, services: [service] });
  const stop = new AbortController();
  const gateway = await createGatewayContext(context, stop.signal, 50);
  let serving: Promise<void> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const onListening = (addresses: Record<string, string>) => resolve(addresses['passports']!);
    const { log } = context;
    serving = serve({
      services: [service],
      context: gateway,
      host: '127.0.0.1',
      onListening,
      log,
      signal: stop.signal,
    });
    serving.catch(reject);
  });

  const { tasks } = context;
  const claimOptions = { service: 'passports', worker: 'test', leaseMs: 600_000 };
  const attempts = new Map<string, number>();
  /** A claim takes waiting tasks of other calls too, so calls take turns. */
  let last = Promise.resolve();
  function startProcessing(id: string): Promise<void> {
    const turn = last.then(() => claimUntil(id));
    last = turn.catch(() => {});
    return turn;
  }
  async function claimUntil(id: string): Promise<void> {
    while (!attempts.has(id)) {
      const { claimed } = await tasks.completeAndClaim([], { ...claimOptions, limit: 50 });
      if (claimed.length === 0) throw new Error(`${id} does not wait for a worker`);
      for (const claim of claimed) attempts.set(claim.id, claim.attempt);
      tasks.hint('finished');
    }
  }
  async function finish(id: string, outcome: object): Promise<void> {
    await startProcessing(id);
    const ending = { id, attempt: attempts.get(id)!, processingMs: 7, ...outcome };
    attempts.delete(id);
    await tasks.completeAndClaim([ending as never], { ...claimOptions, limit: 0 });
    tasks.hint('finished');
  }

  const product: Passports = {
    ...{ url, context, gateway, database, dataDir, startProcessing },
    client: ({ token } = {}) => createClient(url, token),
    async signIn(key = ADMIN_KEY) {
      const client = createClient(url, undefined);
      const answer = await client.post('/auth/token', { json: { api_key: key } });
      if (answer.status !== 200) throw new Error(`no token: ${answer.text}`);
      client.token = answer.body.token;
      return client;
    },
    succeed: (id, over) => finish(id, { outcome: 'done', result: createExtraction(over) as unknown as JsonValue }),
    fail: (id, code) => finish(id, { outcome: 'failed', failure: failure(code) }),
    async stop() {
      stop.abort();
      await serving;
      await context.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return product;
}

export function createClient(url: string, token: string | undefined): Client {
  const cookies = new Map<string, string>();
  const client: Client = {
    cookies,
    token,
    async request(path, { method = 'GET', headers = {}, ...options } = {}) {
      const cookieHeader = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const body = bodyOf(options);
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(client.token !== undefined && { authorization: `Bearer ${client.token}` }),
          ...(cookieHeader !== '' && { cookie: cookieHeader }),
          ...(options.json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body, duplex: 'half' }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (value === '') cookies.delete(name!);
        else cookies.set(name!, value!);
      }
      const bytes = Buffer.from(await response.arrayBuffer());
      const text = bytes.toString('utf8');
      const json =
        response.headers.get('content-type')?.split(';')[0] === 'application/json' ? JSON.parse(text) : undefined;
      return { status: response.status, headers: response.headers, text, bytes, body: json };
    },
    get: (path, headers = {}) => client.request(path, { headers }),
    post: (path, ask = {}) => client.request(path, { method: 'POST', ...ask }),
    async upload(...files) {
      const answer = await client.post('/upload', { files, headers: { accept: 'application/json' } });
      if (answer.status > 202) throw new Error(`the upload answered ${answer.status}: ${answer.text}`);
      return answer.body.items.map(({ id }: { id: string }) => id);
    },
  };
  return client;
}

function bodyOf({ json, form, files, fields, body }: HttpRequestOptions): any {
  if (json !== undefined) return JSON.stringify(json);
  if (form !== undefined) return new URLSearchParams(form);
  if (files === undefined && fields === undefined) return body;
  const data = new FormData();
  for (const [name, value] of Object.entries(fields ?? {})) data.append(name, value);
  for (const { name, bytes, field = 'files', type = 'application/octet-stream' } of files ?? []) {
    data.append(field, new Blob([bytes as never], { type }), name);
  }
  return data;
}

let documents = 0;
/** A unique file with a PDF signature, which is all that the gateway checks. */
export const createPdf = (name = 'a.pdf') => ({ name, bytes: `%PDF-1.7\n${++documents} ${Math.random()}` });

export const createField = (value: Field['value'], over: Partial<Field> = {}): Field => ({
  value,
  confidence: 0.9,
  source: 'text',
  page: 1,
  bbox: [0.1, 0.2, 0.5, 0.24],
  text: String(value),
  ...over,
});

export function createExtraction(over: Partial<Extraction> = {}): Extraction {
  return {
    schema: { id: 'technical_passport', version: '1' },
    fields: {
      'general:address': createField('г. Энск, ул. Южная, д. 7'),
      'general:year_built': createField(1978),
      'areas:total_area': createField(54.3, { confidence: null }),
      'rooms:1.name': createField('кухня'),
      'rooms:1.area': createField(9.1),
      'rooms:2.name': createField('жилая'),
      'rooms:2.area': createField(18.4),
    },
    pages: 1,
    sheets: [{ reader: 'text', width: 595, height: 842, turn: 0, picture: null }],
    engine: { llm_provider: 'none', model: null, version: ENGINE_VERSION },
    warnings: [],
    ...over,
  };
}

/** A worker's model that returns the same result for every document. */
export function createFakeExtractionModel(): Model {
  return {
    info: () => ({}),
    versions: () => [],
    concurrency: 4,
    timeLimitMs: 60_000,
    run: async () => ({ result: createExtraction() as unknown as JsonValue }),
    close: async () => {},
  };
}
