import { Agent, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectDescribed, operationsOf } from '../support/openapi/openapi.ts';
import { type FuzzInputs, type Request, requestsOf } from '../support/openapi/requests.ts';
import { hostileText, toWellFormed } from '../support/openapi/values.ts';
import {
  ADMIN_KEY,
  createClient,
  createFakeExtractionModel,
  createPdf,
  type HttpResponse,
  SECRET,
  USER_KEY,
} from '../support/passports.ts';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';

type Json = any;

/** Requests per operation. Long run: `FUZZ_RUNS=2000 npx vitest run test/http/fuzz.full.test.ts` */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 15);
/** `FUZZ_SEED=…` reproduces a failure. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261120);
/** `FUZZ_SHRINK=1` searches for a minimal failing request, which takes longer. */
const END_ON_FAILURE = process.env['FUZZ_SHRINK'] === undefined;
const ANSWER_MS = 5_000 * (RUNS > 100 ? 1 : 4);
vi.setConfig({ testTimeout: 60_000 + RUNS * 3_000, hookTimeout: 120_000 });

const NAMES = ['defectoscopy', 'stt', 'passports', 'catalog'] as const;
const READER = 'reader-token-1';
const MODERATOR = 'moderator-token-1';
const JPEG = Buffer.concat([Buffer.from('ffd8ffe000104a46494600', 'hex'), Buffer.alloc(500)]);
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const WAV = Buffer.concat([Buffer.from('RIFF\x64\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(100)]);

let product: Product;
const documents: Record<string, Json> = {};
const inputs: Record<string, FuzzInputs> = {};
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

beforeAll(async () => {
  product = await startProduct({
    roles: ['sweep'],
    env: {
      SERVICES: NAMES.join(','),
      ...{ STT_PORT: '0', PASSPORTS_PORT: '0', CATALOG_PORT: '0' },
      ...{ STT_API_TOKENS: TOKEN, REPORTS_API_TOKENS: READER, REPORTS_MODERATOR_TOKENS: MODERATOR },
      PASSPORTS_API_KEYS: `admin:${ADMIN_KEY},clerk:${USER_KEY}:user`,
      PASSPORTS_JWT_SECRET: SECRET,
      WRONG_TOKEN_LIMIT_PER_MINUTE: '0',
      PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0',
      DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
      STT_RATE_LIMIT_PER_MINUTE: '0',
      STT_OPENAI_WAIT_SECONDS: '1',
    },
  });
  const { addresses } = product;
  for (const name of NAMES) {
    documents[name] = await (await fetch(`${addresses[name]}/openapi.json`)).json();
  }
  const files = [
    JPEG,
    PNG,
    WAV,
    Buffer.from(createPdf().bytes),
    Buffer.from('record_id,title\nz,"a\nb'),
    Buffer.from('PK\x03\x04'),
  ];
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const unauthorized = {
    anonymous: {},
    wrongToken: bearer('wrong'),
    forgedToken: bearer('eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.'),
    basicAuth: { authorization: 'Basic YTpi' },
  };

  const finished = [await product.predict(), await product.predict()];
  await product.startWorker(createFakeModel());
  for (const id of finished) await product.waitForResult(id);
  inputs['defectoscopy'] = {
    credentials: { client: bearer(TOKEN), again: bearer(TOKEN), ...unauthorized },
    ids: { task_id: finished },
    files,
  };

  const stt = createClient(addresses['stt']!, TOKEN);
  const sttTask = await stt.post('/transcribe/audio_url', { json: { url: 'https://storage.example.com/a.mp3' } });
  inputs['stt'] = {
    credentials: { client: bearer(TOKEN), ...unauthorized },
    ids: { task_id: [sttTask.body.data.task_id] },
    files,
  };

  const admin = createClient(addresses['passports']!, undefined);
  const signIn = async (api_key: string) => (await admin.post('/auth/token', { json: { api_key } })).body.token;
  const person = createClient(addresses['passports']!, undefined);
  await product.startWorker(createFakeExtractionModel(), 'passports');
  const documentIds = await person.upload(...Array.from({ length: 12 }, () => createPdf()));
  const { images } = (await person.post('/api/v1/upload-images', { files: [{ name: 'a.png', bytes: PNG }] })).body;
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  inputs['passports'] = {
    credentials: {
      person: { cookie },
      both: { cookie, ...bearer(await signIn(ADMIN_KEY)) },
      clerk: { cookie, ...bearer(await signIn(USER_KEY)) },
      ...unauthorized,
    },
    ids: {
      task_id: documentIds,
      image_id: images.map((each: Json) => each.image_id ?? each.id),
      page: ['1', '2', '0'],
    },
    files,
  };

  const reader = createClient(addresses['catalog']!, READER);
  const moderator = createClient(addresses['catalog']!, MODERATOR);
  const records = ['a', 'b', 'трещина', 'a/b', '__proto__'].map((record_id) => ({
    record_id,
    title: 'one',
    text: 'a b c',
  }));
  await moderator.post('/index', { json: { records } });
  const report = (await reader.post('/reports', { json: { record_id: 'a', action_type: 'hide' } })).body;
  const view = (await reader.post('/views', { json: { name: 'v', query: 'q=a' } })).body;
  inputs['catalog'] = {
    credentials: { reader: bearer(READER), moderator: bearer(MODERATOR), ...unauthorized },
    ids: { record_id: records.map((each) => each.record_id), report_id: [report.id], id: [view.id] },
    files,
  };
});
afterAll(async () => {
  agent.destroy();
  await product.stop();
});

/** Sends a request that HTTP client libraries would reject. */
function send(origin: string, { method, path, headers, body }: Request): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const length = body === undefined ? {} : { 'content-length': body.length };
    const out = httpRequest({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (answer) => {
      const chunks: Buffer[] = [];
      const done = () => {
        clearTimeout(timer);
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString('utf8');
        const answered = new Headers();
        for (let i = 0; i < answer.rawHeaders.length; i += 2)
          answered.append(answer.rawHeaders[i]!, answer.rawHeaders[i + 1]!);
        const isJson = text !== '' && /^application\/json/.test(answered.get('content-type') ?? '');
        try {
          const json = isJson ? JSON.parse(text) : undefined;
          resolve({ status: answer.statusCode!, headers: answered, text, bytes, body: json });
        } catch (error) {
          reject(error);
        }
      };
      answer.on('data', (chunk) => {
        chunks.push(chunk);
        // An event stream does not end; its beginning suffices.
        if (/event-stream/.test(answer.headers['content-type'] ?? '')) {
          done();
          out.destroy();
        }
      });
      answer.on('end', done);
      answer.on('error', reject);
    });
    const timer = setTimeout(() => out.destroy(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS);
    out.on('error', reject);
    out.on('close', () => clearTimeout(timer));
    out.end(body);
  });
}

const WORKER_STATUS_PATHS = ['/health', '/ready', '/health/deep'];
const REQUIRED_HEADERS = { 401: 'www-authenticate', 429: 'retry-after', 503: 'retry-after' } as const;

function expectDocumentedResponse(
  document: Json,
  name: string,
  operation: Json,
  request: Request,
  answer: HttpResponse,
): void {
  const [method, template] = name.split(' ') as [string, string];
  const { status, headers, text } = answer;
  const summary = `${status} ${text.slice(0, 300)}`;
  if (status === 431 && request.path.length > 8_192) {
    expect(answer.body, summary).toMatchObject({ ok: false, error: { code: 'HEADERS_TOO_LARGE' } });
    return;
  }
  expect(headers.get('x-request-id'), summary).not.toBeNull();
  expect(headers.get('x-content-type-options'), summary).toBe('nosniff');
  expect(text, 'a response exposes no internals').not.toMatch(/\bat .*\.[tj]s:\d+|node_modules|select .* from /);
  const needed = REQUIRED_HEADERS[status as keyof typeof REQUIRED_HEADERS];
  if (needed && !WORKER_STATUS_PATHS.includes(template)) expect(headers.get(needed), summary).not.toBeNull();

  const elsewhere = !request.onTemplate && [404, 405, 414].includes(status);
  if (elsewhere) expect(answer.body ?? text, summary).toBeTruthy();
  else expectDescribed(document, method, template, answer);
  if (!WORKER_STATUS_PATHS.includes(template)) expect(status, summary).toBeLessThan(500);
  const good = !['anonymous', 'wrongToken', 'forgedToken', 'basicAuth'].includes(request.as);
  const secured =
    operation.security?.length > 0 && !operation.security.some((one: Json) => Object.keys(one).length === 0);
  if (secured && !good && !elsewhere) expect([401, 400, 414], summary).toContain(status);
}

const formatFailure = (name: string, error: Error): string =>
  `${name}: ${(error.cause as Error | undefined)?.message ?? ''}\n${error.message.replace(/([^\s"]{100})[^\s"]{50,}/g, '$1…')}`.slice(
    0,
    1_200,
  );

describe.each(NAMES)('Fuzzing the %s service', (service) => {
  it('returns only documented responses to random requests and rejects those without a credential', async () => {
    const document = documents[service];
    const failures: string[] = [];
    for (const [name, operation] of operationsOf(document)) {
      const [method, template] = name.split(' ') as [string, string];
      const requests = requestsOf(method, template, operation, inputs[service]!);
      const property = fc.asyncProperty(requests, async (request) => {
        expectDocumentedResponse(document, name, operation, request, await send(product.addresses[service]!, request));
      });
      await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: END_ON_FAILURE }).catch((error) => {
        failures.push(formatFailure(name, error));
      });
    }
    expect(failures).toEqual([]);
    expect(
      (
        await send(product.addresses[service]!, {
          method: 'GET',
          path: '/livez',
          headers: {},
          as: 'anonymous',
          onTemplate: true,
        })
      ).status,
    ).toBe(200);
  });

  it('returns no server error for random paths and methods', async () => {
    const { credentials } = inputs[service]!;
    const paths = fc.oneof(
      hostileText.map((text) => `/${encodeURIComponent(toWellFormed(text).slice(0, 1_500))}`),
      fc.constantFrom(
        ...Object.keys(documents[service].paths),
        '/',
        '/login',
        '/docs',
        '/redoc',
        '/metrics',
        '/help',
        '/assets/x',
        '/static/../x',
        '//',
        '/%',
        '/%00',
        '/..%2f..%2fetc/passwd',
        '/./health',
        '/HEALTH',
        '/health/',
        '/health%2f',
        '/health;x',
        '*',
      ),
    );
    const requests = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'),
      path: paths,
      headers: fc.constantFrom(...Object.values(credentials)),
      as: fc.constant('anonymous'),
      onTemplate: fc.constant(false),
    });
    const property = fc.asyncProperty(requests, async (request) => {
      const { status, headers, text } = await send(product.addresses[service]!, request);
      const healthy = WORKER_STATUS_PATHS.some((each) => request.path.startsWith(each)) && status === 503;
      if (!healthy) expect(status, `${request.method} ${request.path} ${text.slice(0, 300)}`).toBeLessThan(500);
      expect(headers.get('x-content-type-options'), `${request.method} ${request.path}`).toBe('nosniff');
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS * 8, endOnFailure: END_ON_FAILURE });
  });
});
