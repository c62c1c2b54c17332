import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { texts } from '../../src/services/catalog/pages/texts.ts';
import { type Catalog, startCatalog } from '../support/catalog.ts';
import {
  codesWithoutText,
  credentialsByOperation,
  expectDescribed,
  expectWellFormed,
} from '../support/openapi/openapi.ts';
import type { Client, HttpRequestOptions, HttpResponse } from '../support/passports.ts';

type Json = any;

let catalog: Catalog;
let document: Json;
beforeAll(async () => {
  catalog = await startCatalog();
  document = (await catalog.client().get('/openapi.json')).body;
});
afterAll(() => catalog.stop());

describe('Catalog GET /openapi.json', () => {
  it('lists every endpoint with the accepted credentials', () => {
    expect(credentialsByOperation(document)).toEqual({
      'post /reports': 'bearer',
      'get /reports': 'bearer',
      'get /reports/{report_id}': 'bearer none',
      'patch /reports/{report_id}': 'bearer',
      'get /reports/{report_id}/events': 'bearer',
      'get /admin/reports': 'bearer',
      'get /search': 'bearer',
      'get /export': 'bearer',
      'post /filters/reset': 'bearer session none',
      'get /reset': 'bearer session none',
      'get /row/{record_id}': 'bearer',
      'get /row/{record_id}/similar': 'bearer',
      'post /search/similar': 'bearer',
      'get /image/{record_id}': 'bearer',
      'get /heatmap/{record_id}': 'bearer',
      'get /sound/{record_id}': 'bearer',
      'get /views': 'bearer',
      'post /views': 'bearer',
      'delete /views/{id}': 'bearer',
      'patch /views/{id}': 'bearer',
      'get /views/{id}/matches': 'bearer',
      'post /index': 'bearer',
      'post /index/rebuild': 'bearer',
      'get /index/status': 'bearer',
      'get /health': '',
      'get /ready': '',
      'get /livez': '',
    });
    expect(document.info.title).toBe('Assay catalog');
  });

  it('has only error codes with a Russian text for the pages', () => {
    const ofPages = / \/(admin|export|filters|heatmap|image|reports|reset|row|search|sound|views)/;
    // Pages with a range request are players, which show no error.
    const { refusals } = texts.ru;
    expect(codesWithoutText(document, ofPages, { ...refusals, RANGE_NOT_SATISFIABLE: '' })).toEqual([]);
  });

  it('is well-formed: unique operations, declared parameters, described responses, examples that match their schemas', () => {
    expect(expectWellFormed(document)).toBeGreaterThan(60);
  });
});

it('Catalog GET /openapi.json describes the status and body of every response of a tour through the service', async () => {
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
  const { reader, moderator } = catalog;
  const anonymous = catalog.client();
  for (const path of ['/health', '/ready', '/livez']) await visit(anonymous, 'GET', path);

  const records = [
    { record_id: 'a', title: 'one', text: 'трещина', attributes: { place: 'x' } },
    { record_id: 'b', title: 'two' },
  ];
  await visit(moderator, 'POST', '/index', { json: { records } });
  await visit(moderator, 'POST', '/index', { json: { records: 7 } });
  await visit(moderator, 'POST', '/index', { body: 'x', headers: { 'content-type': 'text/plain' } });
  await visit(reader, 'POST', '/index', { json: { records } });
  await visit(anonymous, 'POST', '/index', { json: { records } });
  await visit(reader, 'GET', '/index/status');
  await visit(reader, 'GET', '/search?q=трищина');
  await visit(reader, 'GET', '/search?limit=0');
  await visit(reader, 'GET', '/search?hidden=true');
  await visit(anonymous, 'GET', '/search');
  for (const format of ['jsonl', 'csv', 'xlsx', 'pdf']) await visit(reader, 'GET', `/export?format=${format}`);
  await visit(reader, 'POST', '/filters/reset', { headers: { accept: 'application/json' } });
  await visit(reader, 'POST', '/filters/reset');

  const reportInput = { record_id: 'a', action_type: 'hide' };
  const key = { 'idempotency-key': 'k' };
  const { id, receipt } = (await visit(reader, 'POST', '/reports', { json: reportInput, headers: key })).body;
  await visit(reader, 'POST', '/reports', { json: reportInput, headers: key });
  await visit(reader, 'POST', '/reports', { json: { ...reportInput, action_type: 'edit' }, headers: key });
  await visit(reader, 'POST', '/reports', { json: reportInput });
  await visit(reader, 'POST', '/reports', { json: { record_id: '' } });
  await visit(anonymous, 'POST', '/reports', { json: reportInput });
  await visit(anonymous, 'GET', `/reports/${id}?receipt=${receipt}`);
  await visit(anonymous, 'GET', `/reports/${id}?receipt=wrong`);
  await visit(anonymous, 'GET', `/reports/${id}`);
  await visit(reader, 'GET', `/reports/${id}`);
  await visit(reader, 'GET', '/reports');
  await visit(moderator, 'GET', '/reports?status=open');
  await visit(moderator, 'GET', '/reports?status=x');
  await visit(moderator, 'GET', '/admin/reports');
  const decide = (json: unknown, headers = {}) => visit(moderator, 'PATCH', `/reports/${id}`, { json, headers });
  await decide({ status: 'accepted' }, { 'if-match': '"99"' });
  await decide({});
  await decide({ status: 'accepted' });
  await decide({ status: 'rejected' });
  await decide({ status: 'open' });
  await decide({ status: 'open', resolver_note: 'no' });
  await visit(moderator, 'PATCH', '/reports/rep_00000000000000000000000000', { json: { status: 'accepted' } });
  await visit(moderator, 'GET', `/reports/${id}/events`);
  await visit(moderator, 'GET', '/reports/rep_00000000000000000000000000/events');

  await visit(reader, 'GET', '/row/a');
  await visit(moderator, 'GET', '/row/a');
  await visit(reader, 'GET', '/row/a', { headers: { accept: 'text/html' } });
  await visit(reader, 'GET', '/row/nothing');
  await visit(reader, 'GET', '/row/a/similar');
  await visit(reader, 'GET', '/row/a/similar?limit=0');
  await visit(reader, 'GET', '/row/nothing/similar');
  const octets = { 'content-type': 'application/octet-stream' };
  await visit(reader, 'POST', '/search/similar', { body: 'no photo', headers: octets });
  await visit(reader, 'POST', '/search/similar?limit=0', { body: 'no photo', headers: octets });
  await visit(anonymous, 'POST', '/search/similar', { body: 'no photo', headers: octets });
  await visit(reader, 'GET', '/image/a');
  await visit(reader, 'GET', '/image/a?w=1');
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await catalog.seedPicture('a', { bytes: png, width: 1, height: 1 });
  const { etag } = Object.fromEntries((await visit(reader, 'GET', '/image/a')).headers);
  await visit(reader, 'GET', '/image/a', { headers: { 'if-none-match': etag! } });
  await visit(reader, 'GET', '/image/a', { headers: { range: 'bytes=0-3' } });
  await visit(reader, 'GET', '/image/a', { headers: { range: 'bytes=900-' } });
  await decide({ status: 'accepted' });
  await visit(reader, 'GET', '/image/a');
  await visit(reader, 'GET', '/heatmap/a');
  await visit(reader, 'GET', '/sound/a');

  const view = (await visit(reader, 'POST', '/views', { json: { name: 'v', query: 'q=a' } })).body;
  await visit(reader, 'POST', '/views', { json: { name: 'v', query: 'q=a' } });
  await visit(reader, 'POST', '/views', { json: {} });
  await visit(reader, 'GET', '/views');
  await visit(reader, 'GET', `/views/${view.id}/matches`);
  await visit(reader, 'PATCH', `/views/${view.id}`, { json: { alert: {} } });
  await visit(reader, 'PATCH', `/views/${view.id}`, { json: {} });
  await visit(reader, 'GET', `/views/${view.id}/matches`);
  await visit(reader, 'GET', `/views/${view.id}/matches?after=x`);
  await visit(reader, 'DELETE', `/views/${view.id}`);
  await visit(reader, 'DELETE', `/views/${view.id}`);
  await visit(moderator, 'POST', '/index/rebuild');

  expect([...toured].filter((where) => where.startsWith('patch /reports/{report_id} ')).sort()).toEqual(
    ['200', '404', '409', '412', '422'].map((status) => `patch /reports/{report_id} ${status}`),
  );
  expect(toured.size).toBeGreaterThan(50);
});
