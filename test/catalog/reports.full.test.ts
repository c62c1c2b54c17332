import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ACTIONS, STATUSES, type Status } from '../../src/services/catalog/reports/report.ts';
import { verifyAuditTrail } from '../../src/services/catalog/reports/verify-audit-trail.ts';
import { type Catalog, MODERATOR, OTHER_MODERATOR, OTHER_READER, READER, startCatalog } from '../support/catalog.ts';
import type { Client, HttpRequestOptions, HttpResponse } from '../support/passports.ts';

type Json = any;

const ACCEPT_HTML = { accept: 'text/html,application/xhtml+xml;q=0.9' };
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let catalog: Catalog;
let reader: Client;
let moderator: Client;
let other: Client;
let anonymous: Client;
beforeAll(async () => {
  catalog = await startCatalog();
  reader = catalog.client({ token: READER });
  moderator = catalog.client({ token: MODERATOR });
  other = catalog.client({ token: OTHER_MODERATOR });
  anonymous = catalog.client();
});
afterAll(async () => {
  expect(await verifyAuditTrail(catalog.database.db)).toMatchObject({ outcome: 'intact' });
  await catalog.stop();
});

let records = 0;
const createRecordId = () => `survey:${++records}`;
const report = (over: Json = {}, ask: HttpRequestOptions = {}, client = reader) =>
  client.post('/reports', { json: { record_id: createRecordId(), action_type: 'delete', ...over }, ...ask });
const createReport = async (over: Json = {}): Promise<Json> => (await report(over)).body;
const patch = (id: string, json: Json, headers: Record<string, string> = {}, client = moderator) =>
  client.request(`/reports/${id}`, { method: 'PATCH', json, headers });
const eventsOf = async (id: string): Promise<Json[]> => (await moderator.get(`/reports/${id}/events`)).body.items;
const errorOf = ({ status, body }: HttpResponse) => [status, body?.error?.code];
const detailOf = ({ status, body }: HttpResponse) => [status, body?.detail?.[0]?.loc, body?.detail?.[0]?.type];

async function createReportWithStatus(status: Status): Promise<Json> {
  const body = await createReport();
  return status === 'open' ? body : (await patch(body.id, { status })).body;
}

describe('POST /reports', () => {
  it('creates a report and returns 201, its location and a receipt', async () => {
    const record_id = createRecordId();
    const answer = await report({ record_id, description: 'a face', user_info: 'team 4' });
    const { receipt, ...body } = answer.body;
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/reports/${body.id}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(Object.keys(body)).toEqual([
      ...['id', 'record_id', 'action_type', 'description', 'user_info', 'status', 'resolver_note'],
      ...['created_at', 'updated_at', 'resolved_at', 'version'],
    ]);
    expect(body).toEqual({
      ...{ id: expect.stringMatching(/^rep_[0-9A-Z]{26}$/), record_id, action_type: 'delete' },
      ...{ description: 'a face', user_info: 'team 4', status: 'open', resolver_note: null },
      ...{ created_at: expect.stringMatching(TIMESTAMP), updated_at: body.created_at, resolved_at: null, version: 1 },
    });
    expect(Buffer.from(receipt, 'base64url').length).toBeGreaterThanOrEqual(16);
    expect((await moderator.get(`/reports/${body.id}`)).body).toEqual(body);
  });

  it.each(ACTIONS)('accepts the action type %s', async (action_type) => {
    expect((await report({ action_type })).body).toMatchObject({ action_type, description: null, user_info: null });
  });

  it.each<[string, Json, Json]>([
    ['a missing record_id', { record_id: undefined }, [422, ['body', 'record_id'], 'missing']],
    ['an empty record_id', { record_id: '' }, [422, ['body', 'record_id'], 'string_too_short']],
    ['a too long record_id', { record_id: 'x'.repeat(201) }, [422, ['body', 'record_id'], 'string_too_long']],
    ['a number as record_id', { record_id: 7 }, [422, ['body', 'record_id'], 'string_type']],
    ['a missing action_type', { action_type: undefined }, [422, ['body', 'action_type'], 'missing']],
    ['an unknown action_type', { action_type: 'drop' }, [422, ['body', 'action_type'], 'enum']],
    ['a too long description', { description: 'ы'.repeat(4001) }, [422, ['body', 'description'], 'string_too_long']],
    ['null as description', { description: null }, [422, ['body', 'description'], 'string_type']],
    ['a too long user_info', { user_info: 'x'.repeat(1001) }, [422, ['body', 'user_info'], 'string_too_long']],
    ['a NUL character', { description: 'a\u0000b' }, [422, ['body', 'description'], 'string_pattern_mismatch']],
    ['a lone surrogate', { user_info: '\ud800' }, [422, ['body', 'user_info'], 'string_pattern_mismatch']],
  ])('returns 422 with a `detail` array for %s', async (_, over, detail) => {
    expect(detailOf(await report(over))).toEqual(detail);
  });

  it('returns 422 with a `detail` array for malformed JSON, non-objects and an empty body', async () => {
    for (const body of ['{', '"x"', '[]', 'null', '']) {
      const answer = await reader.post('/reports', { body, headers: { 'content-type': 'application/json' } });
      expect(answer, body).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'] }] } });
    }
  });

  it('accepts every field at its maximum length in characters, also for multi-byte characters', async () => {
    const fields = { record_id: '😀'.repeat(200), description: 'ж'.repeat(4000), user_info: '😀'.repeat(1000) };
    const answer = await report(fields);
    expect(answer).toMatchObject({ status: 201, body: fields });
  });

  it('returns only id and status when the same report is sent again within 24 hours', async () => {
    const record_id = createRecordId();
    const first = await report({ record_id, description: 'one', user_info: 'anna@example.com' });
    const { receipt: _, ...body } = first.body;
    const again = await report({ record_id, description: 'two' });
    expect([again.status, again.body]).toEqual([200, { id: body.id, status: 'open' }]);
    expect(again.headers.get('location')).toBeNull();
    for (const answer of [
      await report({ record_id, action_type: 'hide' }),
      await report({ record_id }, {}, catalog.client({ token: OTHER_READER })),
    ]) {
      expect(answer.status).toBe(201);
    }
    await patch(body.id, { status: 'rejected' });
    expect((await report({ record_id })).status).toBe(201);
  });

  it('returns the whole report when the repetition has its receipt', async () => {
    const record_id = createRecordId();
    const { receipt, ...body } = (await report({ record_id, description: 'one' })).body;
    const repeat = (query: string, ask: HttpRequestOptions = {}) =>
      reader.post(`/reports${query}`, { json: { record_id, action_type: 'delete' }, ...ask });
    const again = await repeat(`?receipt=${receipt}`);
    expect([again.status, again.body]).toEqual([200, body]);
    const brief = { id: body.id, status: 'open' };
    const other = (await report()).body.receipt;
    expect((await repeat(`?receipt=${other}`)).body).toEqual(brief);
    const ask = { headers: { 'idempotency-key': 'with-the-receipt' } };
    expect((await repeat(`?receipt=${receipt}`, ask)).body).toEqual(body);
    expect((await repeat(`?receipt=${receipt}`, ask)).body).toEqual(body);
    expect(errorOf(await repeat('', ask))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('returns neither report nor receipt to a repetition from the same address in a public catalog', async () => {
    const open = await startCatalog({ CATALOG_PUBLIC: 'true' });
    onTestFinished(() => open.stop());
    const send = (headers: Record<string, string> = {}) =>
      open.client().post('/reports', {
        json: { record_id: 'r', action_type: 'hide', user_info: 'anna@example.com' },
        headers,
      });
    const first = await send({ 'idempotency-key': 'a1' });
    expect(first).toMatchObject({ status: 201, body: { user_info: 'anna@example.com', receipt: expect.any(String) } });
    const brief = [200, { id: first.body.id, status: 'open' }];
    for (const again of [await send(), await send({ 'idempotency-key': 'a1' })]) {
      expect([again.status, again.body]).toEqual(brief);
    }
  });

  it('returns the receipt to a repetition with a long random Idempotency-Key in a public catalog', async () => {
    const open = await startCatalog({ CATALOG_PUBLIC: 'true' });
    onTestFinished(() => open.stop());
    const headers = { 'idempotency-key': '0f8fad5bd9cb469fa16570867728950e' };
    const send = () => open.client().post('/reports', { json: { record_id: 'r', action_type: 'hide' }, headers });
    const first = await send();
    expect([(await send()).body, first.status]).toEqual([first.body, 201]);
  });

  it('creates one report when the same report is sent concurrently', async () => {
    const record_id = createRecordId();
    const answers = await Promise.all(Array.from({ length: 12 }, () => report({ record_id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 11 }, () => 200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('replays the response for a repeated Idempotency-Key before it checks for an identical report', async () => {
    const headers = { 'idempotency-key': 'k-1' };
    const input = { record_id: createRecordId() };
    const first = await report(input, { headers });
    const again = await report(input, { headers });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(errorOf(await report({ record_id: createRecordId() }, { headers }))).toEqual([
      422,
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    expect((await report(input, { headers }, catalog.client({ token: OTHER_READER }))).status).toBe(201);
    expect(detailOf(await report({}, { headers: { 'idempotency-key': 'ö' } }))).toEqual([
      ...[422, ['header', 'idempotency-key'], 'string_pattern_mismatch'],
    ]);
  });

  it('checks credentials, then type, then size, then the body', async () => {
    const big = JSON.stringify({ record_id: 'x', action_type: 'delete', description: 'x'.repeat(1_000_000) });
    const send = (client: Client, type: string, body: string) =>
      client.post('/reports', { headers: { 'content-type': type }, body });
    expect(errorOf(await send(anonymous, 'text/plain', big))).toEqual([401, 'UNAUTHORIZED']);
    expect(errorOf(await send(reader, 'text/plain', '{}'))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(errorOf(await send(reader, 'application/json', big))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await send(reader, 'application/json', '{}')).status).toBe(422);
    const wrong = await reader.request('/reports', { method: 'PUT', json: {} });
    expect(errorOf(wrong)).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it.each([
    '<script>alert(1)</script>',
    '=HYPERLINK("https://evil.example","x")',
    '@SUM(1+1)*cmd|"/C calc"!A0',
    'abc\u202efdp.exe\u2066',
    '\u0001\u001b[31m\u007f\r\n\t',
    `'; drop table reports; --`,
    '%00%0d%0aSet-Cookie: x=1',
    '{{7*7}}#{7*7}<%= 7*7 %>',
    '\ufeff\u200b\u00ad\u2028',
  ])('stores hostile text in every field as text: %j', async (text) => {
    const { body } = await report({ record_id: text, description: text, user_info: text });
    const answer = await patch(body.id, { resolver_note: text });
    const kept = { record_id: text, description: text, user_info: text, resolver_note: text };
    expect(answer).toMatchObject({ status: 200, body: kept });
    const listed = await moderator.get(`/reports?record_id=${encodeURIComponent(text)}`);
    expect(listed).toMatchObject({ status: 200, body: { total: 1, items: [kept] } });
    expect(listed.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await eventsOf(body.id)).map(({ note }) => note)).toEqual([`delete ${text}`, text]);
    expect(await verifyAuditTrail(catalog.database.db)).toMatchObject({ outcome: 'intact' });
  });
});

describe('PATCH /reports/{report_id}', () => {
  const MOVES: Record<Status, Status[]> = {
    open: ['in_review', 'accepted', 'rejected', 'duplicate'],
    in_review: ['open', 'accepted', 'rejected', 'duplicate'],
    accepted: ['open'],
    rejected: ['open'],
    duplicate: ['open'],
  };
  const moves = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));

  it.each(moves)('%s to %s follows the transition table, for moderators only', async (from, to) => {
    const now = await createReportWithStatus(from);
    const json = { status: to, resolver_note: 'because' } as const;
    expect(errorOf(await patch(now.id, json, {}, anonymous))).toEqual([401, 'UNAUTHORIZED']);
    expect(errorOf(await patch(now.id, json, {}, reader))).toEqual([403, 'FORBIDDEN']);
    const before = (await eventsOf(now.id)).length;

    const answer = await patch(now.id, json, {}, other);
    const event = (await eventsOf(now.id))[before];
    expect(event).toMatchObject({ from, to, note: 'because', request_id: answer.headers.get('x-request-id') });
    if (!MOVES[from].includes(to)) {
      expect(errorOf(answer)).toEqual([409, 'INVALID_TRANSITION']);
      expect(answer.body.report).toEqual(answer.body.report && (await moderator.get(`/reports/${now.id}`)).body);
      expect(answer.body.report.status).toBe(from);
      expect(event).toMatchObject({ action: 'refused', outcome: 'refused' });
      return;
    }
    const decided = to !== 'open' && to !== 'in_review';
    expect(answer).toMatchObject({ status: 200, body: { ...json, version: now.version + 1 } });
    expect(answer.body.resolved_at).toEqual(decided ? answer.body.updated_at : null);
    expect(answer.headers.get('etag')).toBe(`"${now.version + 1}"`);
    expect(event).toMatchObject({ action: 'changed', outcome: 'done' });
  });

  it('accepts the example of the specification', async () => {
    const { id } = await createReport();
    const answer = await patch(id, { status: 'accepted', resolver_note: 'ok' });
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'accepted', resolver_note: 'ok' } });
  });

  it('reopens a decided report only with a note', async () => {
    for (const status of ['accepted', 'rejected', 'duplicate'] as const) {
      const { id } = await createReportWithStatus(status);
      for (const note of [{}, { resolver_note: null }, { resolver_note: '  ' }]) {
        const answer = await patch(id, { status: 'open', ...note });
        expect(detailOf(answer)).toEqual([422, ['body', 'resolver_note'], 'missing']);
      }
      expect((await eventsOf(id)).slice(-3).map(({ outcome, to }) => [outcome, to])).toEqual(
        Array.from({ length: 3 }, () => ['refused', 'open']),
      );
      expect((await patch(id, { status: 'open', resolver_note: 'sorry' })).status).toBe(200);
    }
  });

  it('returns 200 for the same decision by the same moderator and 409 for another moderator', async () => {
    const { id } = await createReport();
    const first = await patch(id, { status: 'accepted', resolver_note: 'yes' });
    const again = await patch(id, { status: 'accepted', resolver_note: 'yes' }, { 'if-match': '"1"' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(errorOf(await patch(id, { status: 'accepted' }, {}, other))).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('sets and clears the note without a status', async () => {
    const { id } = await createReportWithStatus('rejected');
    expect((await patch(id, { resolver_note: 'seen' }, {}, other)).body).toMatchObject({
      ...{ status: 'rejected', resolver_note: 'seen', version: 3, resolved_at: expect.stringMatching(TIMESTAMP) },
    });
    expect((await patch(id, { resolver_note: null })).body).toMatchObject({ resolver_note: null, version: 4 });
  });

  it('returns 412 with the current report when If-Match has another version, and records the attempt in the audit trail', async () => {
    const { id } = await createReport();
    const { headers } = await moderator.get(`/reports/${id}`);
    const tag = headers.get('etag')!;
    await patch(id, { resolver_note: 'first' }, {}, other);
    for (const stale of [tag, '"1"', '1', 'W/"1"', '"nonsense"', '"1", "2"']) {
      const answer = await patch(id, { status: 'accepted' }, { 'if-match': stale });
      expect(errorOf(answer), stale).toEqual([412, 'VERSION_CONFLICT']);
      expect(answer.body.report).toMatchObject({ id, status: 'open', resolver_note: 'first', version: 2 });
    }
    expect((await eventsOf(id)).filter(({ outcome }) => outcome === 'refused')).toHaveLength(6);
    expect((await patch(id, { status: 'accepted' }, { 'if-match': '"2"' })).status).toBe(200);
    expect((await patch(id, { resolver_note: 'x' }, { 'if-match': '*' })).status).toBe(200);
  });

  it.each<[string, Json, Json]>([
    ['an empty object', {}, [422, ['body', 'status'], 'missing']],
    ['unknown keys only', { note: 'x' }, [422, ['body', 'status'], 'missing']],
    ['an unknown status', { status: 'done' }, [422, ['body', 'status'], 'enum']],
    ['null as status', { status: null }, [422, ['body', 'status'], 'enum']],
    ['a too long note', { resolver_note: 'x'.repeat(4001) }, [422, ['body', 'resolver_note'], 'string_too_long']],
    ['a number as note', { resolver_note: 1 }, [422, ['body', 'resolver_note'], 'string_type']],
    ['a NUL character', { resolver_note: '\u0000' }, [422, ['body', 'resolver_note'], 'string_pattern_mismatch']],
  ])('returns 422 with a `detail` array for %s and records no event', async (_, json, detail) => {
    const { id } = await createReport();
    expect(detailOf(await patch(id, json))).toEqual(detail);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it('checks credentials, role, type, size and body before it looks up the report', async () => {
    const big = { resolver_note: 'x'.repeat(1_000_000) };
    expect(errorOf(await patch('rep_none', big, {}, anonymous))).toEqual([401, 'UNAUTHORIZED']);
    expect(errorOf(await patch('rep_none', big, {}, reader))).toEqual([403, 'FORBIDDEN']);
    expect(errorOf(await patch('rep_none', big))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(errorOf(await patch('rep_none', {}, { 'content-type': 'text/plain' }))).toEqual([
      ...[415, 'UNSUPPORTED_MEDIA_TYPE'],
    ]);
    expect((await patch('rep_none', {})).status).toBe(422);
    expect(errorOf(await patch('rep_none', { status: 'accepted' }))).toEqual([404, 'REPORT_NOT_FOUND']);
    expect(errorOf(await patch('%00', { status: 'accepted' }))[0]).toBe(422);
    expect(errorOf(await moderator.request('/reports/rep_none', { method: 'DELETE' }))).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
    ]);
  });

  it('accepts one of two concurrent decisions and returns 409 with the report to the other; the audit trail has both', async () => {
    for (let i = 0; i < 20; i++) {
      const { id } = await createReport();
      const answers = await Promise.all([
        patch(id, { status: 'accepted', resolver_note: 'mine' }, {}, moderator),
        patch(id, { status: i % 2 ? 'accepted' : 'rejected', resolver_note: 'no, mine' }, {}, other),
      ]);
      const won = answers.find(({ status }) => status === 200)!;
      const lost = answers.find(({ status }) => status !== 200)!;
      expect(errorOf(lost)).toEqual([409, 'INVALID_TRANSITION']);
      expect(lost.body.report).toEqual(won.body);
      const [, first, second] = await eventsOf(id);
      expect([first.outcome, second.outcome]).toEqual(['done', 'refused']);
      expect(new Set([first.actor, second.actor]).size).toBe(2);
      expect(second.prev_hash).toBe(first.hash);
    }
  });

  it('applies one decision per report when several moderators decide concurrently', async () => {
    const ids: string[] = (await Promise.all(Array.from({ length: 15 }, () => createReport()))).map(({ id }) => id);
    const answers = await Promise.all(
      ids.flatMap((id) => [
        patch(id, { status: 'accepted' }),
        patch(id, { status: 'rejected' }, {}, other),
        patch(id, { status: 'duplicate' }, {}, other),
      ]),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(ids.length);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2 * ids.length);
  });
});

describe('Reading reports', () => {
  it('returns the outcome to a reporter with the receipt and without a token', async () => {
    const { id, receipt } = await createReport({ user_info: 'me' });
    await patch(id, { status: 'rejected', resolver_note: 'it is a wall' });
    const answer = await anonymous.get(`/reports/${id}?receipt=${receipt}`);
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'rejected', resolver_note: 'it is a wall' } });
    expect(answer.body).not.toHaveProperty('receipt');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { id: another } = await createReport();
    for (const path of [`${another}?receipt=${receipt}`, `${id}?receipt=x`, `${id}?receipt=`]) {
      expect(errorOf(await anonymous.get(`/reports/${path}`)), path).toEqual([404, 'REPORT_NOT_FOUND']);
    }
    expect(errorOf(await anonymous.get(`/reports/${id}`))).toEqual([401, 'UNAUTHORIZED']);
    expect(errorOf(await reader.get(`/reports/${id}`))).toEqual([403, 'FORBIDDEN']);
    expect((await reader.get(`/reports/${id}?receipt=${receipt}`)).status).toBe(200);
    expect(errorOf(await moderator.get('/reports/rep_none'))).toEqual([404, 'REPORT_NOT_FOUND']);
  });

  it('returns the events of a report as a hash chain', async () => {
    const { id } = await createReport();
    await patch(id, { status: 'in_review' });
    const { status, body } = await moderator.get(`/reports/${id}/events`);
    expect([status, body.total]).toEqual([200, 2]);
    expect(Object.keys(body.items[0])).toEqual([
      ...['serial', 'at', 'actor', 'action', 'outcome', 'from', 'to', 'note', 'content', 'request_id'],
      ...['prev_hash', 'hash'],
    ]);
    expect(body.items[1]).toMatchObject({ from: 'open', to: 'in_review', prev_hash: body.items[0].hash });
    expect(body.items[1].actor).toMatch(/^token-[0-9a-f]{12}$/);
    expect(JSON.stringify(body)).not.toContain(MODERATOR);
    expect(errorOf(await moderator.get('/reports/rep_none/events'))).toEqual([404, 'REPORT_NOT_FOUND']);
  });

  it('lists reports by every filter, in pages, newest or oldest first', async () => {
    const mark = `mark${createRecordId().replace(':', '')}`;
    const all: Json[] = [];
    for (const action_type of ['delete', 'hide', 'other'])
      all.push(await createReport({ action_type, description: mark }));
    await patch(all[1].id, { status: 'rejected' });
    const list = async (query: string) => {
      const { body } = await moderator.get(`/reports?q=${mark}&${query}`);
      return [body.total, body.items.map(({ id }: Json) => all.findIndex((each) => each.id === id))];
    };
    expect(await list('')).toEqual([3, [2, 1, 0]]);
    expect(await list('sort=oldest&limit=2')).toEqual([3, [0, 1]]);
    expect(await list('sort=oldest&limit=2&page=2')).toEqual([3, [2]]);
    expect(await list('page=9')).toEqual([3, []]);
    expect(await list('status=rejected')).toEqual([1, [1]]);
    expect(await list('action_type=hide&status=')).toEqual([1, [1]]);
    expect(await list(`record_id=${encodeURIComponent(all[0].record_id)}`)).toEqual([1, [0]]);
    const today = all[0].created_at.slice(0, 10);
    const [tomorrow, yesterday] = [1, -1].map((days) =>
      new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10),
    );
    expect((await list(`from=${yesterday}&to=${tomorrow}`))[0]).toBe(3);
    expect((await list(`to=${yesterday}`))[0]).toBe(0);
    expect((await list(`from=${all[1].created_at}&to=${all[2].created_at}&sort=oldest`))[1]).toEqual([1]);
    for (const [query, type] of [
      ['limit=201', 'less_than_equal'],
      ['page=0', 'greater_than_equal'],
      ['status=closed', 'enum'],
      ['from=yesterday', 'datetime_parsing'],
      ['q=%00', 'string_pattern_mismatch'],
    ]) {
      const answer = await moderator.get(`/reports?${query}`);
      expect(answer, query).toMatchObject({ status: 422, body: { detail: [{ type }] } });
    }
  });

  it('GET /admin/reports lists undecided reports, oldest first, with the counts of all statuses', async () => {
    const before = (await moderator.get('/admin/reports')).body.counts;
    const mark = `queue${createRecordId().replace(':', '')}`;
    const [first, second, third] = [
      await createReport({ description: mark }),
      await createReport({ description: mark }),
      await createReport({ description: mark }),
    ];
    await patch(second.id, { status: 'duplicate' });
    const answer = await moderator.get(`/admin/reports?q=${mark}`);
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(answer.body).toMatchObject({ total: 2, page: 1, limit: 50, items: [{ id: first.id }, { id: third.id }] });
    expect(answer.body.counts).toEqual({ ...before, open: before.open + 2, duplicate: before.duplicate + 1 });
    expect((await moderator.get(`/admin/reports?q=${mark}&status=all`)).body.total).toBe(3);
    expect((await moderator.get(`/admin/reports?q=${mark}&status=duplicate`)).body.total).toBe(1);
    const page = await moderator.get('/admin/reports', ACCEPT_HTML);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});

it.each([
  ['GET', '/reports/%00?receipt=x', 'report_id'],
  ['GET', '/receipt/%00?receipt=x', 'report_id'],
  ['GET', '/admin/reports/%00', 'report_id'],
  ['POST', '/admin/reports/%00', 'report_id'],
  ['POST', '/views/%00/delete', 'id'],
])('An invalid id returns 422: %s %s', async (method, path, name) => {
  const ask = { method, headers: { accept: 'application/json' }, ...(method === 'POST' && { form: {} }) };
  expect(detailOf(await moderator.request(path, ask))).toEqual([422, ['path', name], 'string_pattern_mismatch']);
});

describe('POST /row/{record_id}/report (HTML form)', () => {
  const form = (id: string, fields: Record<string, string>, headers: Record<string, string> = {}, client = reader) =>
    client.post(`/row/${encodeURIComponent(id)}/report`, { form: fields, headers: { ...ACCEPT_HTML, ...headers } });

  it("creates a report and redirects to the record with the report's id and receipt", async () => {
    const id = `a/б ${createRecordId()}?&#`;
    const answer = await form(id, { action_type: 'hide', description: 'x\r\ny', user_info: '' });
    expect(answer.status).toBe(303);
    const to = new URL(answer.headers.get('location')!, catalog.url);
    expect(decodeURIComponent(to.pathname)).toBe(`/row/${id}`);
    const [reported, receipt] = [to.searchParams.get('reported'), to.searchParams.get('receipt')];
    const { body } = await anonymous.get(`/reports/${reported}?receipt=${receipt}`);
    expect(body).toMatchObject({ record_id: id, action_type: 'hide', description: 'x\ny', user_info: null });
    const again = await form(id, { action_type: 'hide' });
    expect(new URL(again.headers.get('location')!, catalog.url).search).toBe(`?reported=${reported}`);
  });

  it('uses the record id of the path and ignores one in the form', async () => {
    const id = createRecordId();
    for (const record_id of [createRecordId(), 'a\0b', 'x'.repeat(9000)]) {
      await form(id, { action_type: 'other', record_id });
      const { body } = await moderator.get(`/reports?record_id=${encodeURIComponent(id)}`);
      expect(body.items).toMatchObject([{ record_id: id, action_type: 'other' }]);
    }
  });

  it('rejects invalid forms like POST /reports, and cross-site forms', async () => {
    const json = { accept: 'application/json' };
    const id = createRecordId();
    expect(errorOf(await form(id, { action_type: 'hide' }, json, anonymous))).toEqual([401, 'UNAUTHORIZED']);
    expect(detailOf(await form(id, {}, json))).toEqual([422, ['body', 'action_type'], 'missing']);
    expect(detailOf(await form(id, { action_type: 'x' }, json))).toEqual([422, ['body', 'action_type'], 'enum']);
    const long = { action_type: 'hide', description: 'x'.repeat(4001) };
    expect(detailOf(await form(id, long, json))).toEqual([422, ['body', 'description'], 'string_too_long']);
    const huge = { action_type: 'hide', description: 'x'.repeat(100_000) };
    expect(errorOf(await form(id, huge, json))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const typed = await reader.post(`/row/${id}/report`, { json: { action_type: 'hide' }, headers: json });
    expect(errorOf(typed)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const browser = catalog.client();
    await browser.post('/login', { form: { token: READER }, headers: { 'sec-fetch-site': 'same-origin' } });
    const strange = { ...json, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect(errorOf(await form(id, { action_type: 'hide' }, strange, browser))).toEqual([403, 'CSRF_FAILED']);
    const forged = { action_type: 'hide', csrf_token: 'x' };
    expect(errorOf(await form(id, forged, { ...json, 'sec-fetch-site': 'same-origin' }, browser))).toEqual([
      ...[403, 'CSRF_FAILED'],
    ]);
    await catalog.seed([{ recordId: id, title: id }]);
    const page = await browser.get(`/row/${encodeURIComponent(id)}`, ACCEPT_HTML);
    const [, csrf_token] = /name="csrf_token" value="([^"]+)"/.exec(page.text)!;
    const own = { action_type: 'hide', csrf_token: csrf_token! };
    expect((await form(id, own, { 'sec-fetch-site': 'same-origin' }, browser)).status).toBe(303);
  });

  const TYPED = { action_type: 'hide', description: 'Опора <b>снята</b>.', user_info: 'team 4' };
  const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
  const KEPT = ['Опора &lt;b>снята&lt;/b>.', 'value="team 4"', 'value="hide" selected'];
  const expectKept = ({ status, text }: HttpResponse, expected: number) => {
    expect(status).toBe(expected);
    expect(KEPT.filter((part) => !text.includes(part))).toEqual([]);
  };
  async function signIn(token: string, from = catalog): Promise<Client> {
    const browser = from.client();
    await browser.post('/login', { form: { token }, headers: SAME_ORIGIN });
    return browser;
  }

  it('shows the filled form and a sign-in link without data of the record when the session has ended', async () => {
    const id = `ended ${createRecordId()}`;
    await catalog.seed([{ recordId: id, title: 'A secret title' }]);
    const revoked = await signIn(READER);
    revoked.cookies.set('assay_catalog', 'revoked');
    for (const browser of [anonymous, revoked]) {
      const answer = await form(id, TYPED, SAME_ORIGIN, browser);
      expectKept(answer, 401);
      expect(answer.text).not.toContain('A secret title');
      const back = encodeURIComponent(`/row/${encodeURIComponent(id)}`);
      expect(answer.text).toMatch(new RegExp(`href="../../login\\?back=${back.replaceAll('%20', '(?:%20|\\+)')}"`));
    }
    expect((await moderator.get(`/reports?record_id=${encodeURIComponent(id)}`)).body.total).toBe(0);
  });

  it('shows the filled form with a valid token when the CSRF token is missing or stale', async () => {
    const id = createRecordId();
    await catalog.seed([{ recordId: id, title: id }]);
    const browser = await signIn(READER);
    for (const stale of [{}, { csrf_token: 'stale' }]) {
      const answer = await form(id, { ...TYPED, ...stale }, SAME_ORIGIN, browser);
      expectKept(answer, 403);
      const [, csrf_token] = /action="report".*?name="csrf_token" value="([^"]+)"/s.exec(answer.text)!;
      expect(csrf_token).not.toBe('stale');
      expect((await form(id, { ...TYPED, csrf_token: csrf_token! }, SAME_ORIGIN, browser)).status).toBe(303);
    }
  });

  it('does not show a form that another site has filled in', async () => {
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    for (const [browser, status] of [
      [anonymous, 401],
      [await signIn(READER), 403],
    ] as const) {
      const answer = await form(createRecordId(), TYPED, crossSite, browser);
      expect([answer.status, answer.text.includes('team 4')]).toEqual([status, false]);
    }
  });

  it('does not show a form whose body is too large for a report', async () => {
    const huge = { ...TYPED, description: 'x'.repeat(100_000) };
    const answer = await form(createRecordId(), huge, SAME_ORIGIN, anonymous);
    expect([answer.status, answer.text.includes('team 4')]).toEqual([401, false]);
  });

  it('shows the filled form above the rate limit and while the database is unavailable', async () => {
    const open = await startCatalog({ CATALOG_PUBLIC: 'true' });
    try {
      const send = () => form(createRecordId(), TYPED, SAME_ORIGIN, open.client());
      let answer = await send();
      while (answer.status === 303) answer = await send();
      expectKept(answer, 429);
      const session = await signIn(READER, open);
      await open.database.db.query(
        "insert into schema_migrations (version, name, checksum, additive) values (9999, 'later', '', false)",
      );
      await expect.poll(async () => (await session.get('/row/x', ACCEPT_HTML)).status, { timeout: 5000 }).toBe(503);
      expectKept(await form(createRecordId(), TYPED, SAME_ORIGIN, session), 503);
    } finally {
      await open.stop();
    }
  });
});

describe('POST /admin/reports/{report_id} (HTML form)', () => {
  const NOTE = 'It is <i>another</i> bridge.';
  const decide = (id: string, status: Status, client = moderator) =>
    client.post(`/admin/reports/${id}`, { form: { status, note: NOTE }, headers: ACCEPT_HTML });

  it('keeps the note when another moderator has decided, and when the session has ended', async () => {
    const { id, record_id } = await createReportWithStatus('rejected');
    const noteOf = ({ text }: HttpResponse) => /<textarea[^>]*name="note"[^>]*>\n(.*?)<\/textarea>/s.exec(text)?.[1];
    const conflict = await decide(id, 'accepted');
    expect([conflict.status, noteOf(conflict)]).toEqual([409, 'It is &lt;i>another&lt;/i> bridge.']);
    const ended = await decide(id, 'accepted', anonymous);
    expect([ended.status, noteOf(ended)]).toEqual([401, noteOf(conflict)]);
    expect(ended.text).toContain(`login?back=${encodeURIComponent(`/admin/reports/${id}`)}`);
    expect(ended.text).not.toContain(record_id);
  });
});

describe('Decisions on reports', () => {
  const found = async (id: string, client = reader): Promise<number> =>
    (await client.get(`/search?q=${encodeURIComponent(id)}`)).body.total;

  it('hide a record from the search when a delete is accepted, and show it again when the report is reopened', async () => {
    const record_id = `wall-${createRecordId().replace(':', '')}`;
    await catalog.seed([{ recordId: record_id, title: record_id }]);
    expect(await found(record_id)).toBe(1);
    const { id } = await createReport({ record_id });
    expect((await reader.get(`/row/${record_id}`)).body.open_reports).toBe(1);
    await patch(id, { status: 'accepted' });
    expect(await found(record_id)).toBe(0);
    expect(errorOf(await reader.get(`/row/${record_id}`))).toEqual([404, 'RECORD_NOT_FOUND']);
    expect((await moderator.get(`/row/${record_id}`)).body).toMatchObject({ hidden: true });
    await patch(id, { status: 'open', resolver_note: 'it was another one' });
    expect(await found(record_id)).toBe(1);
    // An accepted restore after a delete has the same effect.
    await patch(id, { status: 'accepted' });
    const restore = await createReport({ record_id, action_type: 'restore' });
    expect(await found(record_id)).toBe(0);
    await patch(restore.id, { status: 'accepted' });
    expect(await found(record_id)).toBe(1);
  });

  it('hide a record that is indexed after the decision, and show it when the report is reopened', async () => {
    const record_id = `later-${createRecordId().replace(':', '')}`;
    const { id } = await createReport({ record_id, action_type: 'hide' });
    await patch(id, { status: 'accepted' });
    await catalog.seed([{ recordId: record_id, title: record_id }]);
    expect(await found(record_id)).toBe(0);
    await patch(id, { status: 'open', resolver_note: 'x' });
    expect(await found(record_id)).toBe(1);
  });

  it('hide a record that is written concurrently with the decision', async () => {
    for (let i = 0; i < 10; i++) {
      const record_id = `race-${createRecordId().replace(':', '')}`;
      if (i % 2) await catalog.seed([{ recordId: record_id, title: record_id }]);
      const { id } = await createReport({ record_id, action_type: 'hide' });
      const title = `${record_id} again`;
      await Promise.all([patch(id, { status: 'accepted' }), catalog.seed([{ recordId: record_id, title }])]);
      expect(await found(record_id)).toBe(0);
    }
  });

  it('do not change records with REPORTS_APPLY=false', async () => {
    const quiet = await startCatalog({ REPORTS_APPLY: 'false' });
    try {
      await quiet.seed([{ recordId: 'bridge', title: 'bridge' }]);
      const { body } = await report({ record_id: 'bridge' }, {}, quiet.reader);
      const answer = await patch(body.id, { status: 'accepted' }, {}, quiet.moderator);
      expect(answer).toMatchObject({ status: 200, body: { status: 'accepted' } });
      expect(await found('bridge', quiet.reader)).toBe(1);
    } finally {
      await quiet.stop();
    }
  });
});
