import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openAppContext } from '../../src/app-context.ts';
import { SNIFFED_BYTES } from '../../src/base/sniff-audio.ts';
import { loadConfig } from '../../src/config.ts';
import { createSweepDeps } from '../../src/role-contexts.ts';
import { type Catalog, MODERATOR, OTHER_READER, READER, startCatalog } from '../support/catalog.ts';
import type { Client, HttpRequestOptions } from '../support/passports.ts';

const ACCEPT_JSON = { accept: 'application/json' };
const ACCEPT_HTML = { accept: 'text/html,application/xhtml+xml;q=0.9' };
const CROSS_SITE = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

let catalog: Catalog;
beforeAll(async () => {
  catalog = await startCatalog({ TRUST_PROXY: 'loopback' });
});
afterAll(() => catalog.stop());

async function startAnother(env: Record<string, string | undefined>): Promise<Catalog> {
  const other = await startCatalog(env);
  onTestFinished(() => other.stop());
  return other;
}

let addresses = 0;
/** Signs in from a new address each time because sign-ins are rate-limited per address. */
const login = (client: Client, { headers = SAME_ORIGIN, ...ask }: HttpRequestOptions) =>
  client.post('/login', { ...ask, headers: { ...headers, 'x-forwarded-for': `192.0.2.${++addresses % 255}` } });

async function signInBrowser(token: string, at = catalog): Promise<Client> {
  const browser = at.client();
  const answer = await login(browser, { form: { token } });
  if (answer.status !== 303) throw new Error(`signing in answered ${answer.status}: ${answer.text}`);
  return browser;
}

const row = (id: string) => `/row/${encodeURIComponent(id)}`;
const image = (id: string) => `/image/${encodeURIComponent(id)}`;

async function hide(recordId: string): Promise<void> {
  const { rowCount } = await catalog.database.db.query(
    'update catalog_records set hidden = true where record_id = $1',
    [recordId],
  );
  expect(rowCount).toBe(1);
}

describe('Catalog access control', () => {
  const READING: [string, string, HttpRequestOptions?][] = [
    ['GET', '/search'],
    ['GET', '/row/x'],
    ['GET', '/image/x'],
    ['GET', '/heatmap/x'],
    ['GET', '/sound/x'],
    ['GET', '/export?format=jsonl'],
    ['GET', '/index/status'],
    ['GET', '/views'],
    ['POST', '/views', { json: {} }],
    ['DELETE', '/views/x'],
    ['POST', '/reports', { json: {} }],
  ];
  const MODERATING: [string, string, HttpRequestOptions?][] = [
    ['GET', '/reports'],
    ['GET', '/reports/x'],
    ['GET', '/reports/x/events'],
    ['PATCH', '/reports/x', { json: {} }],
    ['GET', '/admin/reports'],
    ['POST', '/index', { json: {} }],
    ['POST', '/index/rebuild'],
  ];

  it.each([...READING, ...MODERATING])('requires a valid token: %s %s', async (method, path, ask = {}) => {
    for (const [client, headers] of [
      [catalog.client(), {}],
      [catalog.client({ token: 'wrong' }), {}],
      [catalog.client(), { authorization: `Basic ${READER}` }],
      [catalog.client(), { cookie: 'assay_catalog=wrong' }],
    ] as const) {
      const answer = await client.request(path, { ...ask, method, headers });
      expect(answer).toMatchObject({ status: 401, body: { ok: false, error: { code: 'UNAUTHORIZED' } } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it.each(READING)('admits readers and moderators: %s %s', async (method, path, ask = {}) => {
    for (const client of [catalog.reader, catalog.moderator]) {
      const { status } = await client.request(path, { ...ask, method });
      expect([200, 404, 422]).toContain(status);
    }
  });

  it.each(MODERATING)(
    'returns 403 to a reader before it validates the request: %s %s',
    async (method, path, ask = {}) => {
      const answer = await catalog.reader.request(path, { ...ask, method });
      expect(answer).toMatchObject({ status: 403, body: { ok: false, error: { code: 'FORBIDDEN' } } });
      expect((await catalog.moderator.request(path, { ...ask, method })).status).not.toBe(403);
    },
  );

  it.each([
    ['POST', '/views', 2 ** 20],
    ['POST', '/reports', 2 ** 16],
    ['PATCH', '/reports/x', 2 ** 16],
    ['POST', '/index', 2 ** 25],
  ])('checks the credentials before the body and limits its size: %s %s', async (method, path, limit) => {
    const body = JSON.stringify({ name: 'x'.repeat(limit) });
    const headers = { 'content-type': 'application/json' };
    const send = (client: Client) => client.request(path, { method, body, headers });
    expect((await send(catalog.client())).status).toBe(401);
    expect(await send(catalog.moderator)).toMatchObject({
      status: 413,
      body: { error: { code: 'PAYLOAD_TOO_LARGE' } },
    });
    const small = await catalog.moderator.request(path, { method, body: '{}', headers: { 'content-type': 'text/x' } });
    expect(small).toMatchObject({ status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } });
    expect((await catalog.moderator.request(path, { method, body: '{', headers })).body).toHaveProperty('detail');
  });

  it('rejects an invalid token even with a valid cookie', async () => {
    const browser = await signInBrowser(READER);
    expect((await browser.get('/views')).status).toBe(200);
    expect((await browser.get('/views', { authorization: 'Bearer wrong' })).status).toBe(401);
  });

  it('accepts tokens configured as digests', async () => {
    const digest = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    const other = await startAnother({ REPORTS_MODERATOR_TOKENS: digest });
    expect((await other.client({ token: 'abc' }).get('/reports')).status).toBe(200);
    expect((await other.client({ token: digest }).get('/reports')).status).toBe(401);
  });

  it('returns 401, not 503, to every request when no tokens are configured', async () => {
    const other = await startAnother({ REPORTS_API_TOKENS: undefined, REPORTS_MODERATOR_TOKENS: '' });
    for (const path of ['/views', '/reports']) {
      expect((await other.client({ token: READER }).get(path)).status).toBe(401);
    }
    expect((await other.client().get('/ready')).body.data.auth).toBe('unconfigured');
  });

  it('allows anonymous reading and 30 reports per minute and address with CATALOG_PUBLIC=true', {
    tags: ['full'],
  }, async () => {
    const other = await startAnother({ CATALOG_PUBLIC: 'true' });
    const anonymous = other.client();
    expect((await anonymous.get('/views')).status).toBe(200);
    expect((await anonymous.get('/reports')).status).toBe(401);
    expect((await other.client({ token: 'wrong' }).get('/views')).status).toBe(401);
    const report = (client: Client, i: number, headers = {}) =>
      client.post('/reports', { json: { record_id: `r${i}`, action_type: 'other' }, headers });
    expect((await report(anonymous, 0, CROSS_SITE)).status).toBe(403);
    for (let i = 0; i < 30; i++) expect((await report(anonymous, i)).status).toBe(201);
    const tooMany = await report(anonymous, 30);
    expect(tooMany).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    expect(Number(tooMany.headers.get('retry-after'))).toBeGreaterThan(0);
    for (let i = 0; i < 31; i++) expect((await report(other.reader, i)).status).toBe(201);
    const { rows } = await other.database.db.query<{ reporter: string }>('select distinct reporter from reports');
    expect(rows.map(({ reporter }) => reporter.replace(/[0-9a-f]{12,}$/, '…')).sort()).toEqual([
      'address:…',
      'token-…',
    ]);
  });
});

describe('Catalog sign-in', () => {
  it('stores the token in an HttpOnly cookie, and sign-out deletes it', async () => {
    const browser = catalog.client();
    const answer = await login(browser, { form: { token: ` ${READER} ` } });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/');
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^assay_catalog=reader-token-1; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await browser.get('/views')).status).toBe(200);
    const out = await browser.post('/logout', { headers: { ...SAME_ORIGIN, ...ACCEPT_JSON } });
    expect(out).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(out.headers.get('clear-site-data')).toBe('"cache"');
    expect(browser.cookies.size).toBe(0);
  });

  it('never replaces a session with the token of a link', async () => {
    const browser = catalog.client();
    const cookieOf = () => browser.cookies.get('assay_catalog');
    const signIn = (token: string, more = {}) => login(browser, { form: { token, ...more } });
    expect((await signIn(READER, { from_link: '1' })).headers.get('location')).toBe('/');
    const rejected = await signIn(MODERATOR, { from_link: '1' });
    expect([rejected.status, rejected.headers.get('location'), cookieOf()]).toEqual([303, '/login', READER]);
    expect((await browser.get('/login', { accept: 'text/html' })).text).toContain('id="signed-in"');
    await signIn(MODERATOR);
    expect(cookieOf()).toBe(MODERATOR);
  });

  it('accepts JSON and returns the role', async () => {
    const answer = await login(catalog.client(), { json: { token: MODERATOR }, headers: ACCEPT_JSON });
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', role: 'moderator' } });
  });

  it.each([
    ['/row/stt%3Aa?x=1', '/row/stt%3Aa?x=1'],
    ['/?q=%D1%82', '/?q=%D1%82'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/a\\b', '/'],
    ['https://evil.example/', '/'],
    ['javascript:alert(1)', '/'],
    ['/..//evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/%0d%0aset-cookie:a=b', '/%0d%0aset-cookie:a=b'],
    ['/a\r\nb', '/'],
    ['/ряд', '/'],
  ])('redirects to the requested path on this server only: %s', async (back, to) => {
    const answer = await login(catalog.client(), { form: { token: READER, back } });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(to);
  });

  it('rejects an invalid token, a form without a token, and a form from another site', async () => {
    const wrong = await login(catalog.client(), { form: { token: 'wrong' } });
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    expect(wrong.headers.getSetCookie()).toEqual([]);
    const refusal = { en: 'The token is invalid.', ru: 'Неверный токен.' };
    for (const [language, text] of Object.entries(refusal)) {
      const headers = { ...SAME_ORIGIN, accept: 'text/html', 'accept-language': language };
      expect((await login(catalog.client(), { form: { token: 'wrong' }, headers })).text).toContain(text);
    }
    for (const ask of [{ form: {} }, { json: {} }, { json: { token: 7 } }, { json: [] }]) {
      expect(await login(catalog.client(), ask)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'token'], type: 'missing' }] },
      });
    }
    expect((await login(catalog.client(), { body: '{', headers: { 'content-type': 'application/json' } })).status).toBe(
      422,
    );
    expect((await login(catalog.client(), { body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const strange = await login(catalog.client(), { form: { token: READER }, headers: CROSS_SITE });
    expect(strange).toMatchObject({ status: 403, body: { error: { code: 'CSRF_FAILED' } } });
  });

  it('is limited to 20 attempts per minute and address', async () => {
    const other = await startAnother({});
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++)
      statuses.push((await other.client().post('/login', { form: { token: `t${i}` } })).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
    const headers = { ...SAME_ORIGIN, accept: 'text/html', 'accept-language': 'ru' };
    const { text } = await other.client().post('/login', { form: { token: 'wrong' }, headers });
    expect(text).toMatch(/Слишком много запросов\. Повторите через \d+ с\./);
  });

  it('is possible with an old cookie after too many requests with wrong tokens in the cookie', async () => {
    const other = await startAnother({ WRONG_TOKEN_LIMIT_PER_MINUTE: '3' });
    const read = async (headers: Record<string, string>) =>
      (await other.client().get('/search?limit=1', headers)).status;
    const wrong = (n: number) => read({ cookie: `assay_catalog=wrong-${n}` });
    expect([await read({}), await read({ cookie: 'other=1' })]).toEqual([401, 401]);
    expect([await wrong(1), await wrong(2), await read({ authorization: 'Bearer wrong' })]).toEqual([401, 401, 401]);
    expect([await wrong(3), await wrong(4), await read({ authorization: 'Bearer wrong' })]).toEqual([429, 429, 429]);
    expect([await read({}), await read({ cookie: `assay_catalog=${READER}` })]).toEqual([401, 200]);
    const old = { cookie: 'assay_catalog=wrong' };
    expect((await other.client().get('/login', old)).status).toBe(200);
    const mistyped = await login(other.client(), { form: { token: 'wrong' }, headers: { ...SAME_ORIGIN, ...old } });
    expect(mistyped.status).toBe(401);
    const signedIn = await login(other.client(), { form: { token: READER }, headers: { ...SAME_ORIGIN, ...old } });
    expect(signedIn.status).toBe(303);
  });

  it('sets the Secure flag and the cookie path from the settings', async () => {
    const other = await startAnother({
      COOKIE_SECURE: 'always',
      CATALOG_PUBLIC_URL: 'https://assay.example.com/catalog/',
    });
    const answer = await other.client().post('/login', { form: { token: READER } });
    expect(answer.headers.getSetCookie()[0]).toMatch(/; Path=\/catalog; HttpOnly; Secure;/);
    expect(answer.headers.get('location')).toBe('/catalog/');
  });
});

describe('Catalog CSRF protection', () => {
  const view = (name: string) => ({ json: { name, query: 'q=a' } });

  it('accepts changes with a cookie only from the same origin, and exempts requests with an Authorization header', async () => {
    const browser = await signInBrowser(READER);
    expect(await browser.post('/views', { ...view('strange'), headers: CROSS_SITE })).toMatchObject({
      status: 403,
      body: { error: { code: 'CSRF_FAILED' } },
    });
    for (const [i, headers] of [{}, SAME_ORIGIN, { origin: catalog.url }, { referer: `${catalog.url}/` }].entries()) {
      expect((await browser.post('/views', { ...view(`own ${i}`), headers })).status).toBe(201);
    }
    // Another port of the same host is another origin.
    expect((await browser.post('/views', { ...view('port'), headers: { origin: 'http://127.0.0.1:1' } })).status).toBe(
      403,
    );
    expect((await catalog.reader.post('/views', { ...view('header'), headers: CROSS_SITE })).status).toBe(201);
    expect((await browser.get('/views', CROSS_SITE)).status).toBe(200);
  });

  it('accepts changes from the origins in PUBLIC_ORIGINS', async () => {
    const other = await startAnother({ PUBLIC_ORIGINS: 'https://search.example.com' });
    const browser = await signInBrowser(READER, other);
    const from = (origin: string) => browser.post('/views', { ...view(origin), headers: { origin } });
    expect((await from('https://search.example.com')).status).toBe(201);
    expect((await from('https://other.example.com')).status).toBe(403);
  });

  it("requires the page's CSRF token in a form", async () => {
    const browser = await signInBrowser(READER);
    for (const form of [{}, { csrf_token: 'wrong' }]) {
      const answer = await browser.post('/logout', { form, headers: { ...SAME_ORIGIN, ...ACCEPT_JSON } });
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'CSRF_FAILED' } } });
    }
    expect(browser.cookies.size).toBe(1);
  });
});

describe('GET /row/{record_id}', () => {
  const IDS = [
    'a/b c',
    'мост №7',
    '100%',
    '%41',
    'a?b#c',
    "'; drop table reports; --",
    '<script>alert(1)</script>',
    '\u202eevil',
    '..%2f',
    '…',
    '😀',
  ];

  it('finds a record by an id of any characters', async () => {
    await catalog.seed(IDS.map((recordId) => ({ recordId, title: `title of ${recordId}` })));
    for (const recordId of IDS) {
      const answer = await catalog.reader.get(row(recordId));
      expect(answer, recordId).toMatchObject({
        status: 200,
        body: { record_id: recordId, service: 'import', reports: [] },
      });
      expect((await catalog.reader.get(image(recordId))).body.error.code).toBe('IMAGE_NOT_FOUND');
    }
  });

  it('returns the text and result as imported, with the reports and adjacent records', async () => {
    const at = (hour: number) => new Date(Date.UTC(2024, 0, 1, hour));
    const attributes = { place: 'ул. Южная', formula: '=1+1' };
    await catalog.seed([
      { recordId: 'n1', title: 'one', createdAt: at(1) },
      { recordId: 'n2', title: '<b>two</b>', text: '=HYPERLINK("x") \u202e', attributes, createdAt: at(2) },
      { recordId: 'n3', title: 'three', createdAt: at(3) },
    ]);
    const report = { record_id: 'n2', action_type: 'edit', description: 'not two', user_info: 'me@example.com' };
    const { id } = (await catalog.reader.post('/reports', { json: report })).body;
    const { status, body } = await catalog.moderator.get(row('n2'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      record_id: 'n2',
      service: 'import',
      task_id: null,
      status: 'done',
      created_at: '2024-01-01T02:00:00.000Z',
      title: '<b>two</b>',
      result: { attributes },
      image: null,
      open_reports: 1,
      hidden: false,
      reports: [{ id, description: 'not two', user_info: 'me@example.com', version: 1 }],
    });
    expect(Object.values(body.neighbours).sort()).toEqual(['n1', 'n3']);
    // Of other users' reports, a reader sees only the action and the status.
    const { reports } = (await catalog.client({ token: OTHER_READER }).get(row('n2'))).body;
    expect(reports).toEqual([
      { id, action_type: 'edit', status: 'open', created_at: expect.stringMatching(/\.\d{3}Z$/) },
    ]);
  });

  it('returns 404 for an unknown or hidden record and 422 for an invalid id', async () => {
    await catalog.seed([{ recordId: 'hidden', title: 'hidden' }]);
    await hide('hidden');
    for (const id of ['nothing', 'hidden']) {
      expect(await catalog.reader.get(row(id))).toMatchObject({
        status: 404,
        body: { error: { code: 'RECORD_NOT_FOUND' } },
      });
    }
    expect((await catalog.moderator.get(row('hidden'))).body).toMatchObject({ record_id: 'hidden', hidden: true });
    for (const id of ['\0', 'a'.repeat(201)]) {
      for (const path of [row(id), image(id), row(id).replace('row', 'sound'), row(id).replace('row', 'heatmap')]) {
        expect(await catalog.reader.get(path)).toMatchObject({
          status: 422,
          body: { detail: [{ loc: ['path', 'record_id'] }] },
        });
      }
    }
    expect((await catalog.reader.get('/row/%ff')).status).toBe(404);
  });

  it('returns an HTML page to a browser', async () => {
    await catalog.seed([{ recordId: 'page', title: '<script>alert(1)</script>' }]);
    const browser = await signInBrowser(READER);
    const page = await browser.get(row('page'), ACCEPT_HTML);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('&lt;script>alert(1)');
    expect(page.text).not.toContain('<script>alert(1)');
    const none = await browser.get(row('nothing'), ACCEPT_HTML);
    expect(none.status).toBe(404);
    expect(none.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('names the invalid filters of an address and links to the page without them', async () => {
    const browser = await signInBrowser(READER);
    const query = 'q=wall&from=abc&status=nonsense';
    const page = await browser.get(`/?${query}`, { ...ACCEPT_HTML, 'accept-language': 'ru' });
    expect(page.status).toBe(422);
    for (const text of ['Недопустимый фильтр', 'Статус: Допустимые значения: &#39;done&#39;, &#39;failed&#39;.'])
      expect(page.text).toContain(text);
    const next = await browser.get('/?q=wall&to=2026-01-01&range=x&min:floor=1&min_conf=', ACCEPT_HTML);
    expect(next.text).toContain('Range of a field: ');
    expect(next.text).toContain('<a href="?q=wall&amp;to=2026-01-01&amp;min_conf=">Remove the filter</a>');
    const last = await browser.get('/?q=wall&from=abc', ACCEPT_HTML);
    expect(last.text).toContain('From: Enter a date, or a date and time.');
    expect(last.text).toContain('<a href="?q=wall">Remove the filter</a>');
    for (const path of [`/receipt/${randomUUID()}?receipt=${'x'.repeat(300)}`, '/search/similar?signature=x']) {
      const other = await browser.get(path, ACCEPT_HTML);
      expect([other.status, other.text.includes('Remove the filter')], path).toEqual([422, false]);
    }
  });
});

describe('GET /image/{record_id}', () => {
  const WIDTH = 800;
  const HEIGHT = 400;
  let bytes: Buffer;
  beforeAll(async () => {
    const noise = Buffer.from(Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => (i * 7919) % 251));
    bytes = await sharp(noise, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
      .jpeg()
      .toBuffer();
    await catalog.seed([
      { recordId: 'pic/1', title: 'a picture' },
      { recordId: 'pic/hidden', title: 'a hidden one' },
    ]);
    for (const id of ['pic/1', 'pic/hidden']) await catalog.seedPicture(id, { bytes, width: WIDTH, height: HEIGHT });
    await hide('pic/hidden');
  });

  it('returns the stored picture with restrictive headers', async () => {
    const answer = await catalog.reader.get(image('pic/1'));
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(bytes)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      'content-length': String(bytes.length),
    });
  });

  it('serves the picture at the URL in the record', async () => {
    const { body } = await catalog.reader.get(row('pic/1'));
    expect(body.image).toMatchObject({ width: WIDTH, height: HEIGHT });
    const answer = await catalog.reader.get(body.image.url);
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(bytes)).toBe(true);
  });

  it.each([
    ['w=16', 64, 'jpeg'],
    ['w=100', 128, 'jpeg'],
    ['w=512&format=webp', 512, 'webp'],
    ['w=1024&format=png', WIDTH, 'png'],
    ['format=webp', WIDTH, 'webp'],
  ])('scales down to fixed widths and converts the format: %s', async (query, width, format) => {
    const answer = await catalog.reader.get(`${image('pic/1')}?${query}`);
    expect(answer.headers.get('content-type')).toBe(`image/${format}`);
    const made = await sharp(answer.bytes).metadata();
    expect(made).toMatchObject({ format, width, height: width / 2 });
  });

  it('serves a stored thumbnail as it is, and smaller sizes made from it', async () => {
    await catalog.seed([{ recordId: 'pic/small', title: 'with a thumbnail' }]);
    const green = { create: { width: 384, height: 192, channels: 3, background: 'green' } } as const;
    const thumbnail = await sharp(green).webp().toBuffer();
    await catalog.seedPicture('pic/small', { bytes, width: WIDTH, height: HEIGHT, thumbnail });
    expect((await catalog.reader.get(`${image('pic/small')}?w=320`)).bytes.equals(thumbnail)).toBe(true);
    const smaller = await catalog.reader.get(`${image('pic/small')}?w=64&format=png`);
    expect(await sharp(smaller.bytes).metadata()).toMatchObject({ format: 'png', width: 64, height: 32 });
    expect((await sharp(smaller.bytes).raw().toBuffer())[0]).toBeLessThan(10);
    expect((await catalog.reader.get(`${image('pic/small')}?w=512`)).headers.get('content-type')).toBe('image/jpeg');
  });

  it.each(['w=15', 'w=1025', 'w=1.5', 'w=x', 'format=svg', 'format='])('returns 422 with %s', async (query) => {
    const answer = await catalog.reader.get(`${image('pic/1')}?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].loc[0]).toBe('query');
  });

  it('answers conditional and range requests', async () => {
    const path = image('pic/1');
    const { headers } = await catalog.reader.get(path);
    const etag = headers.get('etag')!;
    expect(etag).toMatch(/^"/);
    expect((await catalog.reader.get(`${path}?w=64`)).headers.get('etag')).not.toBe(etag);
    const again = await catalog.reader.get(path, { 'if-none-match': etag });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.get('etag')).toBe(etag);

    const part = await catalog.reader.get(path, { range: 'bytes=10-19', 'if-range': etag });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${bytes.length}`);
    expect(part.bytes.equals(bytes.subarray(10, 20))).toBe(true);
    expect((await catalog.reader.get(path, { range: 'bytes=10-19', 'if-range': '"another"' })).status).toBe(200);
    const beyond = await catalog.reader.get(path, { range: `bytes=${bytes.length}-` });
    expect(beyond).toMatchObject({ status: 416, body: { error: { code: 'RANGE_NOT_SATISFIABLE' } } });
    expect(beyond.headers.get('content-range')).toBe(`bytes */${bytes.length}`);

    const head = await catalog.reader.request(path, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
  });

  it('returns 410 for hidden records except to moderators, and 404 without a picture or its file', async () => {
    expect(await catalog.reader.get(image('pic/hidden'))).toMatchObject({
      status: 410,
      body: { error: { code: 'IMAGE_HIDDEN' } },
    });
    expect((await catalog.moderator.get(image('pic/hidden'))).status).toBe(200);
    await catalog.seed([
      { recordId: 'pic/none', title: 'none' },
      { recordId: 'pic/gone', title: 'gone' },
    ]);
    await catalog.seedPicture('pic/gone', { bytes, width: WIDTH, height: HEIGHT });
    const { rows } = await catalog.database.db.query<{ key: string }>(
      `select picture_key as key from catalog_records where record_id = 'pic/gone'`,
    );
    await catalog.context.files.remove(rows[0]!.key);
    for (const id of ['nothing', 'pic/none', 'pic/gone']) {
      expect(await catalog.reader.get(image(id))).toMatchObject({
        status: 404,
        body: { error: { code: 'IMAGE_NOT_FOUND' } },
      });
    }
  });

  it('and GET /heatmap return the heatmaps if the record has some', async () => {
    expect((await catalog.reader.get('/heatmap/pic%2F1')).body.error.code).toBe('HEATMAP_NOT_FOUND');
    const maps = { width: 2, height: 2, maps: { crack: 'AAECAw==' } };
    await catalog.database.db.query(
      `update catalog_details set attachment = $1
        where number in (select number from catalog_records where record_id like 'pic/%')`,
      [JSON.stringify(maps)],
    );
    expect((await catalog.reader.get('/heatmap/pic%2F1')).body).toEqual(maps);
    expect((await catalog.reader.get('/heatmap/pic%2Fhidden')).status).toBe(410);
    expect((await catalog.moderator.get('/heatmap/pic%2Fhidden')).body).toEqual(maps);
  });
});

describe('GET /sound/{record_id}', () => {
  it('streams the recording with range support while its file exists', async () => {
    const { files } = catalog.context;
    const wav = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(50_000, 7)]);
    const { key } = await files.put(wav, { maxBytes: wav.length });
    await catalog.seed([
      { recordId: 'snd', title: 'a note' },
      { recordId: 'mute', title: 'none' },
    ]);
    await catalog.database.db.query(
      `update catalog_details set recording_key = $1
        where number = (select number from catalog_records where record_id = 'snd')`,
      [key],
    );
    const whole = await catalog.reader.get('/sound/snd');
    expect(whole.status).toBe(200);
    expect(whole.bytes.equals(wav)).toBe(true);
    expect(whole.headers.get('content-type')).toBe('audio/wav');
    const part = await catalog.reader.get('/sound/snd', { range: 'bytes=40000-' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 40000-${wav.length - 1}/${wav.length}`);
    expect(part.bytes.equals(wav.subarray(40_000))).toBe(true);
    // The key of a file grants access to it in other services.
    expect(JSON.stringify([...whole.headers])).not.toContain(key);
    const stream = vi.spyOn(files, 'stream');
    const head = await catalog.reader.request('/sound/snd', { method: 'HEAD', headers: { range: 'bytes=40000-' } });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(wav.length)]);
    // HEAD reads only the bytes that determine the media type.
    expect(stream.mock.calls.map(([, part]) => part?.end)).toEqual([SNIFFED_BYTES - 1]);
    stream.mockRestore();

    await hide('snd');
    expect((await catalog.moderator.get('/sound/snd')).status).toBe(200);
    const none = { status: 404, body: { error: { code: 'SOUND_NOT_FOUND' } } };
    const never = { status: 404, body: { error: { message: 'The record has no recording.' } } };
    expect(await catalog.reader.get('/sound/snd')).toMatchObject(none);
    expect(await catalog.reader.get('/sound/mute')).toMatchObject({ ...none, ...never });
    await files.remove(key);
    expect(await catalog.moderator.get('/sound/snd')).toMatchObject(none);
  });
});

describe('Saved views', () => {
  it('belong to one user and can be deleted', async () => {
    const other = catalog.client({ token: OTHER_READER });
    const made = await other.post('/views', { json: { name: ' Трещины <b> ', query: 'defect=crack&q=%D0%BC' } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^view_/),
      name: 'Трещины <b>',
      query: 'defect=crack&q=%D0%BC',
      created_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    expect((await other.get('/views')).body).toEqual({ items: [made.body], total: 1 });
    expect((await catalog.moderator.get('/views')).body.total).toBe(0);
    const again = await other.post('/views', { json: { name: 'Трещины <b>', query: '' } });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'VIEW_EXISTS' } } });
    const none = { status: 404, body: { error: { code: 'VIEW_NOT_FOUND' } } };
    expect(await catalog.moderator.request(`/views/${made.body.id}`, { method: 'DELETE' })).toMatchObject(none);
    expect((await other.request(`/views/${made.body.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await other.request(`/views/${made.body.id}`, { method: 'DELETE' })).toMatchObject(none);
    expect((await other.get('/views')).body.total).toBe(0);
  });

  it.each([
    ['a missing name', { query: '' }, ['body', 'name']],
    ['an empty name', { name: '', query: '' }, ['body', 'name']],
    ['a blank name', { name: '  ', query: '' }, ['body', 'name']],
    ['a name with a line break', { name: 'a\nb', query: '' }, ['body', 'name']],
    ['a too long name', { name: 'a'.repeat(101), query: '' }, ['body', 'name']],
    ['a name with a NUL', { name: 'a\0', query: '' }, ['body', 'name']],
    ['a missing query', { name: 'a' }, ['body', 'query']],
    ['a query that is not URL-encoded', { name: 'a', query: 'q=мост' }, ['body', 'query']],
    ['a too long query', { name: 'a', query: 'q'.repeat(8193) }, ['body', 'query']],
  ])('reject %s with 422', async (_, json, loc) => {
    expect(await catalog.reader.post('/views', { json })).toMatchObject({ status: 422, body: { detail: [{ loc }] } });
  });

  const save = (query: string, client = catalog.reader) => client.post('/views', { json: { name: 'checked', query } });

  it.each([
    'range=x',
    'attribute=x',
    'min_conf=2',
    'from=2026-02-30',
    'status=done&status=queued',
    'sort=best',
    'limit=0',
    'page=9999',
    'after=x',
    `q=${Array.from({ length: 21 }, (_, i) => `w${i}`).join('+')}`,
    'service=%00',
  ])('are refused like the search %s, with the same details', async (query) => {
    const found = await catalog.reader.get(`/search?${query}`);
    const { status, body } = await save(query);
    expect([status, found.status]).toEqual([422, 422]);
    const details = found.body.detail.map(({ loc, ...rest }: any) => ({ loc: ['body', ...loc], ...rest }));
    expect(body.detail).toEqual(details);
  });

  it('are refused with an unknown parameter, which the search ignores, or an empty one', async () => {
    expect((await catalog.reader.get('/search?nosuch=1')).status).toBe(200);
    for (const query of ['nosuch=1', '?q=a', 'q=a&nosuch=', 'min:=1']) {
      const name = query.split('&').at(-1)!.split('=')[0]!;
      const { status, body } = await save(query);
      expect(status, query).toBe(422);
      expect(body.detail).toMatchObject([{ loc: ['body', 'query', name], type: 'extra_forbidden' }]);
      expect(body.detail[0].msg).toContain(`no parameter '${name}'`);
    }
  });

  it('of hidden records are refused to readers', async () => {
    expect(await save('hidden=true')).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    const { status, body } = await save('hidden=true', catalog.moderator);
    expect(status).toBe(201);
    await catalog.moderator.request(`/views/${body.id}`, { method: 'DELETE' });
  });

  it('explain that a query is percent-encoded', async () => {
    expect((await save('project=Мост 7')).body.detail[0].msg).toContain('percent-encode');
  });

  it.each([
    '',
    'q=%D0%BC%D0%BE%D1%81%D1%82+7&project=%D0%9C%D0%BE%D1%81%D1%82%207',
    'min:built=1970&max:built=&from=&view=table&sort=oldest',
    'tag=a&tag=b&duplicates=true&page=2&limit=20',
  ])('can have the query "%s"', async (query) => {
    const { status, body } = await save(query);
    expect([status, body.query]).toEqual([201, query]);
    await catalog.reader.request(`/views/${body.id}`, { method: 'DELETE' });
  });

  it('save each query that a search accepts', async () => {
    const tags = Array.from({ length: 50 }, (_, i) => `tag=${'longtag'.repeat(20)}${i}`);
    const query = tags.join('&');
    expect((await catalog.reader.get(`/search?${query}`)).status).toBe(200);
    const { status, body } = await catalog.reader.post('/views', { json: { name: 'long', query } });
    expect([status, body.query]).toEqual([201, query]);
    expect((await catalog.reader.request(`/views/${body.id}`, { method: 'DELETE' })).status).toBe(204);
  });

  it('are limited to 100 per user', async () => {
    const save = (i: number) => catalog.moderator.post('/views', { json: { name: `view ${i}`, query: '' } });
    for (let i = 0; i < 100; i++) expect((await save(i)).status).toBe(201);
    expect(await save(100)).toMatchObject({ status: 409, body: { error: { code: 'TOO_MANY_VIEWS' } } });
  });
});

describe('Saved views of a public catalog', () => {
  it('belong to the browser that saved them, identified by a cookie', async () => {
    const open = await startAnother({ CATALOG_PUBLIC: 'true' });
    const [one, two] = [open.client(), open.client()];
    const made = await one.post('/views', { json: { name: 'Mine', query: 'q=anna' }, headers: SAME_ORIGIN });
    expect(made.status).toBe(201);
    expect(made.headers.getSetCookie().join()).toMatch(
      /^assay_catalog_views=[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; /,
    );
    expect((await one.get('/views')).body).toEqual({ items: [made.body], total: 1 });
    expect((await two.get('/views')).body).toEqual({ items: [], total: 0 });
    expect((await one.get('/', { accept: 'text/html' })).text).toContain('q=anna');
    expect((await two.get('/', { accept: 'text/html' })).text).not.toContain('q=anna');
    const remove = (client: Client) =>
      client.request(`/views/${made.body.id}`, { method: 'DELETE', headers: SAME_ORIGIN });
    expect((await remove(two)).status).toBe(404);
    expect(two.cookies.has('assay_catalog_views')).toBe(false);
    expect((await remove(one)).status).toBe(204);
    const { rows } = await open.database.db.query<{ owner: string }>('select owner from catalog_views');
    expect(rows).toEqual([]);
  });

  it('are limited to 1000 per address regardless of cookies', async () => {
    const open = await startAnother({ CATALOG_PUBLIC: 'true' });
    const save = () => open.client().post('/views', { json: { name: 'v', query: '' }, headers: SAME_ORIGIN });
    expect((await save()).status).toBe(201);
    await open.database.db.query(
      `insert into catalog_views (id, owner, address, name, query)
       select 'view_' || n, 'visitor:' || n, address, 'v', '' from catalog_views, generate_series(1, 999) as n`,
    );
    expect(await save()).toMatchObject({ status: 409, body: { error: { code: 'TOO_MANY_VIEWS' } } });
    expect((await open.reader.post('/views', { json: { name: 'v', query: '' } })).status).toBe(201);
  });
});

describe('Installation without the catalog', () => {
  const readFeed = async () => {
    const { rows } = await catalog.database.db.query<{ sources: number; feed: string[] | null }>(
      'select (select count(*) from catalog_sources) as sources, (select array_agg(task_id) from catalog_feed) as feed',
    );
    return rows[0];
  };

  it("stops recording finished tasks after the cleanup removes the catalog's sources", async () => {
    const { db } = catalog.database;
    await db.query(`insert into catalog_sources values ('defectoscopy')`);
    await db.query(
      `insert into catalog_feed (service, task_id, deleted) values ('defectoscopy', 'ended', false), ('passports', 'deleted', true)`,
    );
    const env = { APP_ENV: 'test', DATABASE_URL: catalog.database.url, DATA_DIR: catalog.dataDir, LOG_LEVEL: 'silent' };
    const runCleanup = async (services: string) => {
      const disabled = await openAppContext(await loadConfig({ ...env, SERVICES: services }, 'sweep'));
      const { databaseCleanups } = createSweepDeps(disabled, new AbortController().signal);
      for (const takeBack of databaseCleanups) await takeBack();
      await disabled.close();
    };
    await runCleanup('defectoscopy,catalog');
    expect(await readFeed()).toEqual({ sources: 1, feed: ['ended', 'deleted'] });
    await runCleanup('defectoscopy');
    // Deletions stay recorded for a catalog that is enabled again.
    expect(await readFeed()).toEqual({ sources: 0, feed: ['deleted'] });
    await db.query('delete from catalog_feed');
  });
});

it("The catalog's example command imports a record and finds it by a misspelt word", async () => {
  const line = catalog.context.services[0]!.example(catalog.url);
  const { stdout } = await promisify(execFile)('bash', ['-c', line]);
  const [indexed, found] = stdout
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each));
  expect(indexed).toEqual({ indexed: 1, failed: [] });
  expect(found.items).toMatchObject([{ record_id: 'bridge-7', title: 'Bridge 7' }]);
});

describe('Catalog health', () => {
  beforeAll(() => catalog.seed([{ recordId: 'counted', title: 'counted' }]));

  it('is reported without a token, with the number of documents and the lag', async () => {
    const { status, body } = await catalog.client().get('/health');
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'ok', documents: expect.any(Number), lag_seconds: expect.any(Number) });
    expect(body.documents).toBeGreaterThan(0);
    expect((await catalog.client().get('/livez')).body).toEqual({ ok: true, data: { alive: true } });
    expect((await catalog.client().get('/ready')).body.data).toMatchObject({ service: 'catalog', auth: 'enforced' });
  });

  it('is exported as metrics', async () => {
    const { text } = await catalog.client().get('/metrics');
    expect(Number(/^assay_catalog_documents (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(text).toMatch(/^assay_catalog_lag_seconds \d/m);
    expect(text).toMatch(/^assay_auth_disabled\{service="catalog"\} 0$/m);
  });

  it('is 503 while the database is unavailable', async () => {
    const other = await startCatalog();
    onTestFinished(() => other.stop());
    await other.seed([{ recordId: 'a', title: 'a' }]);
    await other.context.db.close();
    expect(await other.client().get('/health')).toMatchObject({
      status: 503,
      body: { ok: false, error: { code: 'DATABASE_UNAVAILABLE' } },
    });
    const unavailable = { status: 503, body: { ok: false, error: { code: 'DATABASE_UNAVAILABLE' } } };
    for (const path of ['/row/a', '/search?q=a', '/image/a', '/views', '/export?format=csv']) {
      expect(await other.reader.get(path), path).toMatchObject(unavailable);
    }
    const json = { record_id: 'a', action_type: 'hide' };
    expect(await other.reader.post('/reports', { json, headers: { 'idempotency-key': 'k' } })).toMatchObject(
      unavailable,
    );
    expect(await other.reader.get('/index/status')).toMatchObject({ body: { error: { code: 'INDEX_UNAVAILABLE' } } });
    expect((await other.client().get('/metrics')).text).not.toMatch(/^assay_catalog_documents /m);
  });
});
