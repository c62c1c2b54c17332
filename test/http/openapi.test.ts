import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CallInit,
  createFakeModel,
  type HttpResponse,
  type Product,
  startProduct,
  TOKEN,
} from '../support/product.ts';

type Json = any;

const PHOTO = 'https://storage-1.example.com/photo.jpg';
const JPEG = Buffer.concat([Buffer.from('ffd8ffe000104a46494600', 'hex'), Buffer.alloc(2000)]);
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// OpenAPI adds this format to those of JSON Schema.
ajv.addFormat('binary', true);

let product: Product;
let document: Json;
beforeAll(async () => {
  const env = { DEFECTOSCOPY_API_TOKENS: `${TOKEN},limited`, DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '60' };
  product = await startProduct({ env });
  document = (await product.call('/openapi.json', { token: null })).body;
});
afterAll(() => product.stop());

const operations = (): [name: string, operation: Json][] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): [string, Json] => [`${method} ${path}`, item[method]]),
  );

function* objects(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const part of Object.values(value)) yield* objects(part);
}

describe('Defectoscopy GET /openapi.json', () => {
  it('is OpenAPI 3.1 and lists every JSON endpoint of the specification with its authentication', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const secured = Object.fromEntries(operations().map(([name, { security }]) => [name, security !== undefined]));
    expect(secured).toMatchObject({
      'get /health': false,
      'get /classes/defects': true,
      'get /classes/surfaces': true,
      'post /predict': true,
      'get /result/{task_id}': true,
      'post /result/{task_id}/cancel': true,
      'get /result/{task_id}/heatmap': true,
      'post /files': true,
      'get /ready': false,
      'get /livez': false,
    });
    expect(Object.keys(document.webhooks)).toEqual(['defectoscopy.result.terminal']);
  });

  it('is well-formed: unique operations, declared parameters, described responses, valid references', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, operation] of operations()) {
      expect(operation.operationId, name).toMatch(/^[a-zA-Z]+$/);
      expect(operation.summary, name).toEqual(expect.any(String));
      const declared = (operation.parameters ?? []).map((each: Json) => `${each.in} ${each.name}`);
      expect(new Set(declared).size, name).toBe(declared.length);
      for (const [, variable] of name.matchAll(/\{(\w+)\}/g)) expect(declared, name).toContain(`path ${variable}`);
      for (const parameter of operation.parameters ?? []) {
        expect(parameter.schema, `${name} ${parameter.name}`).toBeDefined();
        if (parameter.in === 'path') expect(parameter.required).toBe(true);
      }
      expect(Object.keys(operation.responses).length, name).toBeGreaterThan(0);
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        expect(status, name).toMatch(/^[2-5]\d\d$/);
        expect(response.description, `${name} ${status}`).not.toBe('Default Response');
        expect(response.headers, `${name} ${status}`).toHaveProperty(['X-Request-ID']);
        for (const header of Object.values<Json>(response.headers)) expect(header.schema).toBeDefined();
      }
      if (operation.requestBody) expect(Object.keys(operation.requestBody.content).length, name).toBeGreaterThan(0);
    }
    for (const each of objects(document)) {
      if (typeof each.$ref !== 'string') continue;
      const keys = each.$ref.replace(/^#\//, '').split('/');
      expect(
        keys.reduce((at: Json, key: string) => at?.[key], document),
        each.$ref,
      ).toBeDefined();
    }
  });

  it('has examples that match their schemas', () => {
    let exampleCount = 0;
    for (const each of objects(document)) {
      if (each.schema === undefined) continue;
      const examples = [
        ...Object.values<Json>(each.examples ?? {}).map(({ value }) => value),
        ...(each.example === undefined ? [] : [each.example]),
      ];
      for (const example of examples) {
        expect(ajv.validate(each.schema, example), `${ajv.errorsText()} in ${JSON.stringify(example)}`).toBe(true);
        exampleCount++;
      }
    }
    expect(exampleCount).toBeGreaterThan(30);
  });

  it('describes the request and response headers', () => {
    const requestHeaders = (name: string) =>
      (operations().find(([each]) => each === name)![1].parameters ?? [])
        .filter((parameter: Json) => parameter.in === 'header')
        .map((parameter: Json) => parameter.name);
    expect(requestHeaders('post /predict')).toContain('Idempotency-Key');
    expect(requestHeaders('get /result/{task_id}')).toEqual(expect.arrayContaining(['Prefer', 'If-None-Match']));
    const responseHeaders = (path: string, method: string, status: number) =>
      Object.keys(document.paths[path][method].responses[status].headers);
    expect(responseHeaders('/predict', 'post', 202)).toEqual(
      expect.arrayContaining(['Location', 'RateLimit', 'RateLimit-Policy']),
    );
    expect(responseHeaders('/result/{task_id}', 'get', 202)).toEqual(expect.arrayContaining(['ETag', 'Retry-After']));
    expect(responseHeaders('/result/{task_id}', 'get', 429)).toContain('Retry-After');
    expect(responseHeaders('/predict', 'post', 401)).toContain('WWW-Authenticate');
    expect(Object.keys(document.paths['/result/{task_id}'].get.responses)).toContain('304');
    expect(document.paths['/result/{task_id}'].get.responses[304].content).toBeUndefined();
  });

  it('describes file uploads and lists only error responses that occur', () => {
    const { requestBody, responses } = document.paths['/files'].post;
    expect(Object.keys(requestBody.content)).toEqual(['application/octet-stream', 'multipart/form-data']);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['201', '401', '413', '415', '422', '429', '503']));
    expect(Object.keys(document.paths['/predict'].post.responses)).not.toContain('409');
    expect(document.paths['/predict'].post.responses[422].description).toContain('IDEMPOTENCY_KEY_REUSED');
  });
});

it('Defectoscopy GET /openapi.json describes the status, headers and body of every response of a tour through the service', async () => {
  const toured = new Set<string>();

  async function visit(path: string, init: CallInit = {}): Promise<HttpResponse> {
    const answer = await product.call(path, init);
    const method = (init.method ?? 'GET').toLowerCase();
    const at = path.split('?')[0]!;
    const template = Object.keys(document.paths).find((each) =>
      new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(at),
    )!;
    const where = `${method} ${template} ${answer.status}`;
    const described = document.paths[template][method].responses[answer.status];
    expect(described, where).toBeDefined();
    const schema = described.content?.['application/json'].schema;
    if (schema === undefined) expect(answer.text, where).toBe('');
    else expect(ajv.validate(schema, answer.body), `${where}: ${ajv.errorsText()}\n${answer.text}`).toBe(true);
    // Only these headers are present on every response with the status.
    const uniformHeaders = [
      'Retry-After',
      'WWW-Authenticate',
      'ETag',
      'Location',
      'X-Request-ID',
      'RateLimit',
      'RateLimit-Policy',
    ];
    const requiredHeaders = Object.keys(described.headers).filter((name) => uniformHeaders.includes(name));
    for (const name of requiredHeaders) expect(answer.headers.get(name), `${where} ${name}`).not.toBeNull();
    toured.add(where);
    return answer;
  }
  const post = (path: string, body?: unknown, headers = {}) => visit(path, { method: 'POST', body, headers });

  await visit('/livez', { token: null });
  await visit('/ready', { token: null });
  await visit('/health', { token: null });
  await visit('/classes/defects');
  await visit('/classes/defects', { token: null });

  const created = await post('/predict', { image_url: PHOTO, webhook_url: 'https://receiver.example.com/hook' });
  const id = created.body.data.task_id;
  const key = { 'idempotency-key': 'one' };
  await post('/predict', { image_url: PHOTO }, key);
  await post('/predict', { image_url: PHOTO }, key);
  await post('/predict', { image_url: `${PHOTO}?2` }, key);
  await post('/predict', {});
  await post('/predict', { x: 'x'.repeat(70_000) });
  await post('/predict', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' });
  await visit('/predict', { method: 'POST', body: {}, token: 'wrong' });

  const queued = await visit(`/result/${id}`);
  await visit(`/result/${id}`, { headers: { 'if-none-match': queued.headers.get('etag')! } });
  await visit(`/result/${id}/heatmap?class=crack`);
  await visit('/result/none');
  await visit('/result/none', { token: null });
  const cancelledId = await product.predict();
  await post(`/result/${cancelledId}/cancel`);
  await post(`/result/${cancelledId}/cancel`);
  await post('/result/none/cancel');
  await visit(`/result/${cancelledId}`);

  await product.startWorker(createFakeModel());
  await product.waitForResult(id);
  await visit(`/result/${id}`);
  await visit(`/result/${id}/heatmap?class=crack`);
  await visit(`/result/${id}/heatmap?class=mould`);
  await visit(`/result/${id}/heatmap`);
  await visit(`/result/${id}/timeline`);
  await visit('/result/none/timeline');
  await visit(`/deliveries?task_id=${id}`);
  await visit('/deliveries?before=x');
  await visit('/deliveries', { token: null });
  await post('/deliveries/redeliver', { since: '1767225600' });
  await post('/deliveries/redeliver', { task_id: 'none' });
  await post('/deliveries/redeliver', { task_id: await product.predict({ webhook_url: 'http://localhost:1024/' }) });
  await post('/deliveries/redeliver', {});
  await post('/deliveries/test', { url: 'http://localhost:1024/' });
  await post('/deliveries/test', { url: 'http://10.0.0.1/' });
  await visit('/health', { token: null });
  const names = await visit('/classes/surfaces');
  await visit('/classes/surfaces', { headers: { 'if-none-match': names.headers.get('etag')! } });

  const raw = { 'content-type': 'image/jpeg' };
  await post('/files', JPEG, raw);
  await post('/files', Buffer.from('just text'), raw);
  await post('/files', Buffer.concat([JPEG, Buffer.alloc(21 * 2 ** 20)]), raw);
  await post('/files', 'torn', { 'content-type': 'multipart/form-data; boundary=x' });

  for (let i = 0; i < 60; i++) await product.call('/result/x', { token: 'limited' });
  await visit('/result/x', { token: 'limited' });
  await visit('/predict', { method: 'POST', body: {}, token: 'limited' });

  expect([...toured].filter((where) => where.startsWith('get /result/{task_id} ')).sort()).toEqual(
    ['200', '202', '304', '401', '404', '429'].map((status) => `get /result/{task_id} ${status}`),
  );
  expect(toured.size).toBeGreaterThanOrEqual(30);
});
