import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiErrorTexts } from '../../src/services/passports/browser/api-error-texts.ts';
import { batchData } from '../../src/services/shared/batch-page.tsx';
import {
  codesWithoutText,
  credentialsByOperation,
  expectDescribed,
  expectWellFormed,
} from '../support/openapi/openapi.ts';
import {
  ADMIN_KEY,
  type Client,
  createPdf,
  type HttpRequestOptions,
  type HttpResponse,
  type Passports,
  startPassports,
} from '../support/passports.ts';

type Json = any;

const ACCEPT_JSON = { accept: 'application/json' };
const UNKNOWN_ID = '01993f6e-2d8a-7c21-9b1e-4f6a7d0c5e12';

let passports: Passports;
let document: Json;
beforeAll(async () => {
  passports = await startPassports({ PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '5' });
  document = (await passports.client().get('/openapi.json')).body;
});
afterAll(() => passports.stop());

describe('Passports GET /openapi.json', () => {
  it('lists every endpoint with the accepted credentials', () => {
    expect(credentialsByOperation(document)).toEqual({
      'post /auth/token': '',
      'get /events': 'bearer session',
      'post /batches': 'bearer',
      'get /batches': 'bearer',
      'get /batches/{batch_id}': 'bearer',
      'get /batches/{batch_id}/items': 'bearer',
      'get /batches/{batch_id}/results': 'bearer',
      'post /batches/{batch_id}/cancel': 'bearer',
      'post /batches/{batch_id}/retry': 'bearer',
      'get /health': '',
      'get /api/status': '',
      'get /ready': '',
      'get /livez': '',
      'post /upload': 'bearer session none',
      'post /api/v1/upload-images': 'bearer session none',
      'post /api/v1/create-pdf': 'bearer session',
      'post /api/v1/rotate-image/{image_id}': 'bearer session',
      'delete /api/v1/image/{image_id}': 'bearer session',
      'get /api/v1/image/{image_id}': 'bearer session',
      'get /api/v1/images': 'bearer session',
      'get /api/tasks': 'bearer session',
      'get /api/tasks/stream': 'bearer session',
      'get /api/task/{task_id}/status': 'bearer session',
      'get /api/task/{task_id}/timeline': 'bearer session',
      'get /api/task/{task_id}/result': 'bearer session',
      'get /api/task/{task_id}/history': 'bearer session',
      'get /api/task/{task_id}/page/{page}': 'bearer session',
      'post /task/{task_id}/update': 'bearer',
      'delete /task/{task_id}': 'bearer',
      'post /task/{task_id}/rename': 'bearer',
      'post /api/task/{task_id}/retry': 'bearer',
      'post /api/task/{task_id}/confirm': 'bearer',
      'get /export/{task_id}/excel': 'bearer',
      'get /export/{task_id}/pdf': 'bearer',
      'get /export/all/excel': 'bearer',
      'get /export/session/excel': 'bearer session',
      'post /admin/cleanup': 'bearer',
      'get /health/deep': 'bearer',
      'get /api/stats/failed': 'bearer',
      'get /api/stats/quality': 'bearer',
      'get /api/templates': 'bearer',
      'get /api/templates/{template_id}': 'bearer',
      'patch /api/templates/{template_id}': 'bearer',
      'delete /api/templates/{template_id}': 'bearer',
      'delete /api/templates/{template_id}/corrections/{task_id}': 'bearer',
    });
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer', 'session']);
  });

  it('has only error codes with a Russian text for the pages', () => {
    const { refusals } = apiErrorTexts;
    const ofBatches = / \/batches/;
    expect(codesWithoutText(document, ofBatches, batchData('ru', refusals.ru).errorTexts)).toEqual([]);
    // No page requests these.
    const ofOthers = /^(?!.* \/(admin|auth|batches|events|health|livez|ready))/;
    expect(codesWithoutText(document, ofOthers, refusals.ru)).toEqual([]);
  });

  it('is well-formed: unique operations, declared parameters, described responses, examples that match their schemas', () => {
    expect(expectWellFormed(document)).toBeGreaterThan(60);
  });

  it('describes the content types of files and forms', () => {
    const content = (path: string) => Object.keys(document.paths[path].post.requestBody.content);
    expect(content('/upload')).toEqual(['multipart/form-data']);
    expect(content('/api/v1/upload-images')).toEqual(['multipart/form-data']);
    expect(content('/task/{task_id}/update')).toEqual(['application/x-www-form-urlencoded']);
    expect(content('/task/{task_id}/rename')).toEqual(['application/x-www-form-urlencoded']);
    expect(content('/auth/token')).toEqual(['application/json']);
  });
});

it('Passports GET /openapi.json describes the status and body of every response of a tour through the service', async () => {
  const toured = new Set<string>();

  async function visit(
    client: Client,
    method: string,
    path: string,
    ask: HttpRequestOptions = {},
  ): Promise<HttpResponse> {
    const answer = await client.request(path, { method, ...ask });
    toured.add(expectDescribed(document, method, path, answer));
    return answer;
  }

  const anonymous = passports.client();
  for (const path of ['/health', '/api/status', '/ready', '/livez']) await visit(anonymous, 'GET', path);
  const token = async (json: unknown) => visit(anonymous, 'POST', '/auth/token', { json });
  const client = passports.client();
  client.token = (await token({ api_key: ADMIN_KEY })).body.token;
  await token({ api_key: 'wrong' });
  await token({});
  const program = passports.client({ token: client.token });
  const person = passports.client();
  const files = (...list: { name: string; bytes: string }[]) => ({ files: list, headers: ACCEPT_JSON });

  const first = createPdf();
  const { items } = (await visit(person, 'POST', '/upload', files(first, { name: 'no.pdf', bytes: 'no' }))).body;
  const id = items[0].id;
  client.cookies.set('bti_session_id', person.cookies.get('bti_session_id')!);
  await visit(person, 'POST', '/upload', { files: [createPdf()] });
  await visit(person, 'POST', '/upload', files({ name: 'no.pdf', bytes: '' }));
  await visit(person, 'POST', '/upload', files({ name: 'no.pdf', bytes: 'no' }));
  await visit(person, 'POST', '/upload', { fields: { a: 'b' } });
  await visit(person, 'POST', '/upload', {
    ...files(first),
    headers: { ...ACCEPT_JSON, origin: 'https://evil.example' },
  });
  await visit(person, 'GET', `/api/task/${id}/result`);
  await visit(client, 'GET', `/export/${id}/excel`);
  await visit(client, 'POST', `/api/task/${id}/retry`);
  await visit(client, 'POST', `/task/${id}/update`, { form: {} });
  await visit(client, 'POST', `/api/task/${id}/confirm`);
  await passports.succeed(id);
  await visit(person, 'POST', '/upload', files(first));

  const tag = (await visit(person, 'GET', `/api/task/${id}/result`)).headers.get('etag')!;
  await visit(person, 'GET', `/api/task/${id}/result`, { headers: { 'if-none-match': tag } });
  await visit(person, 'GET', '/api/tasks?limit=2');
  await visit(person, 'GET', '/api/tasks?limit=x');
  await visit(anonymous, 'GET', '/api/tasks');
  await visit(person, 'GET', `/api/task/${id}/status`);
  await visit(person, 'GET', `/api/task/${UNKNOWN_ID}/status`);
  await visit(client, 'POST', `/task/${id}/update`, { form: { 'general:owner': 'x' }, headers: ACCEPT_JSON });
  await visit(client, 'POST', `/task/${id}/update`, { form: { 'general:owner': 'y' } });
  await visit(client, 'POST', `/task/${id}/update`, { form: { 'no:no': 'y' } });
  await visit(client, 'POST', `/task/${id}/update`, { form: {}, headers: { 'if-match': '"1"' } });
  await visit(client, 'POST', `/task/${id}/update`, { json: {} });
  await visit(client, 'POST', `/task/${UNKNOWN_ID}/update`, { form: {} });
  await visit(client, 'POST', `/task/${id}/rename`, { form: { name: 'x' } });
  await visit(client, 'POST', `/task/${id}/rename`, { form: { name: '' } });
  await visit(client, 'POST', `/task/${id}/rename`, { form: {} });
  await visit(client, 'POST', `/api/task/${id}/confirm`);
  await visit(client, 'POST', `/api/task/${id}/confirm`, { headers: { 'if-match': '"1"' } });
  await visit(client, 'POST', `/api/task/${UNKNOWN_ID}/confirm`);
  await visit(person, 'GET', `/api/task/${id}/result`);
  await visit(person, 'GET', `/api/task/${id}/history`);
  await visit(person, 'GET', `/api/task/${id}/page/1`);
  await visit(client, 'GET', `/export/${id}/excel`);
  await visit(client, 'GET', `/export/${id}/pdf`);
  await visit(client, 'GET', '/export/all/excel');
  await visit(person, 'GET', '/export/session/excel');
  await visit(client, 'POST', '/admin/cleanup?dry_run=1');
  await visit(client, 'POST', '/admin/cleanup?days=0');
  await visit(client, 'GET', '/health/deep');
  await visit(client, 'GET', '/health/deep?strict=1');
  await visit(client, 'GET', '/api/stats/failed');
  await visit(client, 'GET', '/api/stats/quality');
  await visit(client, 'GET', '/api/stats/quality?precision=2');
  await visit(person, 'POST', '/api/v1/upload-images', { files: [{ name: 'a.png', bytes: 'no' }] });
  await visit(person, 'GET', '/api/v1/images');
  await visit(program, 'POST', '/api/v1/create-pdf', { json: { image_ids: [UNKNOWN_ID] } });
  await visit(program, 'POST', `/api/v1/rotate-image/${UNKNOWN_ID}`);
  await visit(program, 'DELETE', `/api/v1/image/${UNKNOWN_ID}`);
  await visit(client, 'DELETE', `/task/${id}`);
  await visit(client, 'DELETE', `/task/${id}`);
  await token({});
  await token({});
  await token({});

  expect([...toured].filter((where) => where.startsWith('post /upload ')).sort()).toEqual(
    ['200', '202', '303', '400', '403', '415', '422'].map((status) => `post /upload ${status}`),
  );
  expect(toured).toContain('post /auth/token 429');
  expect(toured.size).toBeGreaterThan(50);
});
