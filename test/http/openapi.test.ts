import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelsTexts } from '../../src/services/defectoscopy/browser/models-texts.ts';
import { failureTexts } from '../../src/services/defectoscopy/failures.ts';
import { batchData } from '../../src/services/shared/batch-page.tsx';
import { uiTexts } from '../../src/ui/texts.ts';
import { codesWithoutText, expectDescribed, expectWellFormed, operationsOf } from '../support/openapi/openapi.ts';
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
let product: Product;
let document: Json;
beforeAll(async () => {
  const env = { DEFECTOSCOPY_API_TOKENS: `${TOKEN},limited`, DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '60' };
  product = await startProduct({ env });
  document = (await product.call('/openapi.json', { token: null })).body;
});
afterAll(() => product.stop());

describe('Defectoscopy GET /openapi.json', () => {
  it('is OpenAPI 3.1 and lists every JSON endpoint of the specification with its authentication', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const secured = Object.fromEntries(
      operationsOf(document).map(([name, { security }]) => [name, security !== undefined]),
    );
    expect(secured).toMatchObject({
      'get /health': false,
      'get /classes/defects': true,
      'get /classes/surfaces': true,
      'get /models': true,
      'put /models/default': true,
      'post /models/rollback': true,
      'put /models/shadow': true,
      'get /models/shadow': true,
      'get /models/training': true,
      'post /models/train': true,
      'post /predict': true,
      'get /result/{task_id}': true,
      'post /result/{task_id}/cancel': true,
      'get /result/{task_id}/heatmap': true,
      'get /result/{task_id}/photo': true,
      'get /result/{task_id}/correction': true,
      'put /result/{task_id}/correction': true,
      'post /batches': true,
      'get /batches': true,
      'get /batches/{batch_id}': true,
      'get /batches/{batch_id}/items': true,
      'get /batches/{batch_id}/results': true,
      'post /batches/{batch_id}/cancel': true,
      'post /batches/{batch_id}/retry': true,
      'post /files': true,
      'get /ready': false,
      'get /livez': false,
    });
    expect(Object.keys(document.webhooks)).toEqual(['defectoscopy.result.terminal', 'batch.completed']);
  });

  it('is well-formed: unique operations, declared parameters, described responses, valid references and examples', () => {
    expect(expectWellFormed(document)).toBeGreaterThan(30);
  });

  const shared = uiTexts.ru.refusals;
  it.each([
    // The form of a correction has one text for all errors.
    ['upload', /^(?!put ).* \/(classes|files|models$|predict|result)/, { ...shared, ...failureTexts.ru }],
    ['batch', / \/batches/, batchData('ru', failureTexts.ru).errorTexts],
    ['webhooks', / \/deliveries/, shared],
    ['models', / \/models/, { ...shared, ...modelsTexts.ru.errors }],
  ])('has only error codes with a Russian text for the %s page', (_, operations, texts) => {
    expect(codesWithoutText(document, operations, texts)).toEqual([]);
  });

  it('describes the request and response headers', () => {
    const requestHeaders = (name: string) =>
      (operationsOf(document).find(([each]) => each === name)![1].parameters ?? [])
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
    const where = expectDescribed(document, init.method ?? 'GET', path, answer);
    const [method, template, status] = where.split(' ');
    const described = document.paths[template!][method!].responses[status!];
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
  await visit('/models');
  await visit('/models', { token: null });

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
  await visit(`/result/${id}/photo`);
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
  const correct = (body: unknown, headers = {}) => visit(`/result/${id}/correction`, { method: 'PUT', body, headers });
  const labels = { surface: 'brick_wall', master: 'mechanical', defects: ['chip'] };
  await correct(labels);
  await correct(labels, { 'if-match': '"7"' });
  await correct({ ...labels, surface: 'mould' });
  await correct({});
  await visit(`/result/${id}/correction`);
  await visit('/result/none/correction');
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
  await visit('/deliveries/endpoints');
  await post('/deliveries/endpoints/resume', { endpoint: 'https://receiver.example.com' });
  await post('/deliveries/endpoints/resume', { endpoint: 'receiver' });
  await visit('/health', { token: null });
  await visit('/models');
  await visit('/models/shadow');
  await visit('/models/shadow?days=0');
  await visit('/models/default', { method: 'PUT', body: { version: '1.0.0' } });
  await post('/models/rollback', { version: '1.0.0' });
  await visit('/models/shadow', { method: 'PUT', body: { version: null } });
  await visit('/models/training');
  await post('/models/train', {});
  await post('/models/train', { version: '..' });
  await product.database.db.query(
    `insert into defectoscopy_corrected_photos (task_id, model_version, network, features, version)
     select 'corrected-' || n, '1.0.0', repeat('a', 64), '', 1 from generate_series(1, 30) n`,
  );
  await post('/models/train', {});
  await post('/models/train', {});
  await product.database.db.query(
    `update defectoscopy_trainings set ended_at = now(), files = '{}',
            report = '{"base": "1.0.0", "photos": {"training": 20, "held_back": 5}, "heads": []}'`,
  );
  await visit('/models/training');
  const names = await visit('/classes/surfaces');
  await visit('/classes/surfaces', { headers: { 'if-none-match': names.headers.get('etag')! } });

  const raw = { 'content-type': 'image/jpeg' };
  await post('/files', JPEG, raw);
  await post('/files', Buffer.from('just text'), raw);
  await post('/files', Buffer.concat([JPEG, Buffer.alloc(21 * 2 ** 20)]), raw);
  await post('/files', '', raw);
  await post('/files', 'torn', { 'content-type': 'multipart/form-data; boundary=x' });

  const ndjson = { 'content-type': 'application/x-ndjson' };
  const batch = (await post('/batches', `${JSON.stringify({ image_url: PHOTO })}\n`, ndjson)).body.data.status_url;
  await post('/batches', '{}', ndjson);
  await post('/batches', '{}', { 'content-type': 'application/json' });
  await post('/batches', Buffer.alloc(33 * 2 ** 20), ndjson);
  await post('/batches', 'PK', { 'content-type': 'application/zip' });
  await visit('/batches', { method: 'POST', token: 'wrong' });
  await visit('/batches');
  await visit('/batches?limit=0');
  await visit(batch);
  await visit('/batches/none');
  await visit(`${batch}/items`);
  await visit('/batches/none/items');
  await visit('/batches/none/results');
  await post(`${batch}/cancel`);
  await post('/batches/none/cancel');
  await post('/batches/none/retry');

  for (let i = 0; i < 60; i++) await product.call('/result/x', { token: 'limited' });
  await visit('/result/x', { token: 'limited' });
  await visit('/predict', { method: 'POST', body: {}, token: 'limited' });

  expect([...toured].filter((where) => where.startsWith('get /result/{task_id} ')).sort()).toEqual(
    ['200', '202', '304', '401', '404', '429'].map((status) => `get /result/{task_id} ${status}`),
  );
  expect(toured.size).toBeGreaterThanOrEqual(30);
});
