import { hash, randomUUID } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseApiKeys } from '../../src/services/passports/auth/api-keys.ts';
import { createTokens } from '../../src/services/passports/auth/tokens.ts';
import {
  ADMIN_KEY,
  type Client,
  createPdf,
  type HttpRequestOptions,
  type HttpResponse,
  type Passports,
  SECRET,
  startPassports,
  USER_KEY,
} from '../support/passports.ts';

const PDF = { files: [createPdf()] };
const ID = randomUUID();
const FORM = { form: { 'general:address': 'x' } };

type Kind = 'public' | 'visitor' | 'session' | 'bearer';

const ENDPOINTS: readonly [kind: Kind, method: string, path: string, ask?: HttpRequestOptions][] = [
  ['public', 'POST', '/auth/token', { json: { api_key: ADMIN_KEY } }],
  ['public', 'GET', '/health'],
  ['public', 'GET', '/api/status'],
  ['public', 'GET', '/ready'],
  ['public', 'GET', '/livez'],
  ['public', 'GET', '/openapi.json'],
  ['public', 'GET', '/docs'],
  ['visitor', 'POST', '/upload', PDF],
  ['visitor', 'POST', '/api/v1/upload-images', { files: [{ name: 'a.png', bytes: 'no image' }] }],
  ['session', 'POST', '/api/v1/create-pdf', { json: { image_ids: [ID] } }],
  ['session', 'POST', `/api/v1/rotate-image/${ID}`],
  ['session', 'DELETE', `/api/v1/image/${ID}`],
  ['session', 'GET', `/api/v1/image/${ID}`],
  ['session', 'GET', '/api/v1/images'],
  ['session', 'GET', '/api/tasks'],
  ['session', 'GET', '/api/tasks/stream'],
  ['session', 'GET', `/api/task/${ID}/status`],
  ['session', 'GET', `/api/task/${ID}/result`],
  ['session', 'GET', `/api/task/${ID}/history`],
  ['session', 'GET', `/api/task/${ID}/timeline`],
  ['session', 'GET', `/api/task/${ID}/page/1`],
  ['bearer', 'POST', `/task/${ID}/update`, FORM],
  ['bearer', 'DELETE', `/task/${ID}`],
  ['bearer', 'POST', `/task/${ID}/rename`, { form: { name: 'x' } }],
  ['bearer', 'POST', `/api/task/${ID}/retry`],
  ['bearer', 'POST', `/api/task/${ID}/confirm`],
  ['bearer', 'POST', '/admin/cleanup?days=365&dry_run=true'],
  ['bearer', 'GET', '/health/deep'],
  ['bearer', 'GET', '/api/stats/failed'],
  ['bearer', 'GET', '/api/stats/quality'],
];

const SAFE = ['GET', 'HEAD'];
const ACCEPT_JSON = { accept: 'application/json' };
const CROSS_SITE = { origin: 'https://evil.example' };

let passports: Passports;
let cookie: string;
let validTokens: Record<string, string>;
let invalidTokens: Record<string, string>;

const [ADMIN] = parseApiKeys(`admin:${ADMIN_KEY}`);
const tokens = (over: Partial<Parameters<typeof createTokens>[0]> = {}) =>
  createTokens({ keys: [], secret: SECRET, lifetimeHours: 24, ...over });
const issueToken = async (over: Partial<Parameters<typeof createTokens>[0]> = {}, at = new Date(), key = ADMIN!) =>
  (await tokens(over).issue(key, at)).token;
const claims = { iss: 'assay', aud: 'passports', sub: 'admin', jti: 'x', key_id: ADMIN!.id };
const signToken = (build: (jwt: SignJWT) => SignJWT, header: object = {}) =>
  build(new SignJWT(claims))
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(new TextEncoder().encode(SECRET));
const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid as string;

beforeAll(async () => {
  passports = await startPassports({
    PASSPORTS_JWT_SECRET_PREVIOUS: 'the secret before, as long as the other',
    // Every endpoint is requested with a wrong token, from one address.
    WRONG_TOKEN_LIMIT_PER_MINUTE: '1000',
  });
  const visitor = passports.client();
  await visitor.upload(createPdf());
  cookie = visitor.cookies.get('bti_session_id')!;
  const now = Math.floor(Date.now() / 1000);
  const token = await issueToken();
  const kid = kidOf(token);
  const [head, body] = token.split('.');
  const times = (jwt: SignJWT) =>
    jwt
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + 3600);
  validTokens = {
    'a token that was issued': token,
    'a token of the previous secret': await issueToken({ secret: 'the secret before, as long as the other' }),
  };
  invalidTokens = {
    'a token that has expired': await issueToken({}, new Date(Date.now() - 86_400_000 - 60_000)),
    'a token that is not valid yet': await issueToken({}, new Date(Date.now() + 3_600_000)),
    'a token signed with another secret': await issueToken({ secret: 'not the secret of this service at all' }),
    'a token of a removed key': await issueToken({}, new Date(), parseApiKeys('gone:gone-key-123')[0]),
    'a token of a key that was replaced under the same name': await issueToken(
      {},
      new Date(),
      parseApiKeys('admin:other-key-123')[0],
    ),
    'a token with a changed body': `${head}.${Buffer.from(JSON.stringify({ ...claims, exp: now + 9e6 })).toString('base64url')}.${token.split('.')[2]}`,
    'a token without a signature': `${head}.${body}.`,
    'a token with the algorithm none': new UnsecuredJWT(claims).setExpirationTime('1h').encode(),
    'a token without an expiry': await signToken((jwt) => jwt.setIssuedAt(now).setNotBefore(now), { kid }),
    'a token without a key id': await signToken(times),
    'a token with an unknown key id': await signToken(times, { kid: 'other' }),
    'a token with critical headers': await signToken(times, { kid, crit: ['b64'], b64: true }),
    'a token for another audience': await signToken((jwt) => times(jwt).setAudience('stt'), { kid }),
    'a token of another issuer': await signToken((jwt) => times(jwt).setIssuer('evil'), { kid }),
    'an API key': ADMIN_KEY,
    'an empty token': '',
    'a word': 'token',
  };
});
afterAll(() => passports.stop());

/** The status of a request; streams are requested as JSON. */
async function statusOf(client: Client, method: string, path: string, ask: HttpRequestOptions = {}): Promise<number> {
  const headers = { ...ask.headers };
  if (path.endsWith('/stream')) headers['accept'] ??= 'application/json';
  return (await client.request(path, { method, ...ask, headers })).status;
}

const withCookies = (cookies: Record<string, string>, token?: string): Client => {
  const client = passports.client({ token });
  for (const [name, value] of Object.entries(cookies)) client.cookies.set(name, value);
  return client;
};
const isRejected = (status: number) => status === 401 || status === 403;

describe('Passports access control', () => {
  it.each(ENDPOINTS)('enforces the rule %s for %s %s', async (kind, method, path, ask) => {
    const send = (client: Client, headers: Record<string, string> = {}) =>
      statusOf(client, method, path, { ...ask, headers });
    const [token, forged] = [
      validTokens['a token that was issued']!,
      invalidTokens['a token signed with another secret']!,
    ];
    const unauthorizedFor = (kinds: readonly Kind[]) => (kinds.includes(kind) ? 401 : undefined);
    const expectation = async (who: string, client: Client, status: number | undefined, headers = {}) => {
      const answered = await send(client, headers);
      if (status === undefined) expect(isRejected(answered), `${who}: ${answered}`).toBe(false);
      else expect(answered, who).toBe(status);
    };
    const unsafe = !SAFE.includes(method);
    const unauthorizedStatus = kind === 'public' ? undefined : 401;

    await expectation('no credential', passports.client(), unauthorizedFor(['session', 'bearer']));
    await expectation('a session', withCookies({ bti_session_id: cookie }), unauthorizedFor(['bearer']));
    await expectation('a token', passports.client({ token }), undefined);
    await expectation('a forged token', passports.client({ token: forged }), unauthorizedStatus);
    await expectation(
      'an expired token',
      passports.client({ token: invalidTokens['a token that has expired']! }),
      unauthorizedStatus,
    );
    await expectation(
      'a forged token with a good session',
      withCookies({ bti_session_id: cookie }, forged),
      unauthorizedStatus,
    );
    await expectation(
      'an unknown session',
      withCookies({ bti_session_id: 'A'.repeat(43) }),
      unauthorizedFor(['session', 'bearer']),
    );
    await expectation(
      'a malformed session',
      withCookies({ bti_session_id: "' or 1=1" }),
      unauthorizedFor(['session', 'bearer']),
    );
    await expectation('a token in the cookie', withCookies({ bti_access_token: token }), undefined);
    await expectation(
      'a forged token in the cookie',
      withCookies({ bti_access_token: forged }),
      unauthorizedFor(['session', 'bearer']),
    );
    await expectation('Basic authentication', passports.client(), unauthorizedStatus, { authorization: 'Basic YTpi' });

    // Browsers send cookies cross-site; a header needs no CSRF protection.
    const csrf = unsafe && kind !== 'public' ? 403 : undefined;
    await expectation(
      'a cross-site request with a token in the cookie',
      withCookies({ bti_access_token: token }),
      csrf,
      CROSS_SITE,
    );
    await expectation(
      'a cross-site request with a session',
      withCookies({ bti_session_id: cookie }),
      unauthorizedFor(['bearer']) ?? csrf,
      CROSS_SITE,
    );
    await expectation('a cross-site request with a header', passports.client({ token }), undefined, CROSS_SITE);
  });

  it('accepts every valid token and rejects every invalid one', async () => {
    const justExpired = await issueToken({}, new Date(Date.now() - 86_400_000 - 1_000));
    for (const [what, token] of Object.entries({
      'a token that expired less than 30 s ago': justExpired,
      ...validTokens,
    })) {
      expect((await passports.client({ token }).get('/api/tasks')).status, what).toBe(200);
    }
    for (const [what, token] of Object.entries(invalidTokens)) {
      const answer = await passports.client({ token }).get('/api/tasks');
      expect(answer, what).toMatchObject({ status: 401, body: { ok: false, error: { code: 'UNAUTHORIZED' } } });
      expect(answer.headers.get('www-authenticate'), what).toBe('Bearer error="invalid_token"');
    }
  });

  it('requires a token everywhere with PASSPORTS_BEARER_SCOPE=all', async () => {
    const strict = await startPassports({ PASSPORTS_BEARER_SCOPE: 'all' });
    try {
      for (const [kind, method, path, ask] of ENDPOINTS) {
        const status = await statusOf(strict.client(), method, path, ask);
        if (kind === 'public') expect(isRejected(status), path).toBe(false);
        else expect(status, path).toBe(401);
        const client = await strict.signIn();
        expect(isRejected(await statusOf(client, method, path, ask)), path).toBe(false);
      }
    } finally {
      await strict.stop();
    }
  });

  it('hides documents from a session without a token with PASSPORTS_BEARER_SCOPE=all', async () => {
    const strict = await startPassports({ PASSPORTS_BEARER_SCOPE: 'all' });
    try {
      const browser = strict.client();
      await browser.post('/login', { form: { api_key: ADMIN_KEY } });
      const [id] = await browser.upload(createPdf('secret.pdf'));
      const listed = async () => (await browser.get('/')).text.includes('secret.pdf');
      expect(await listed()).toBe(true);
      expect((await browser.get(`/task/${id}`)).status).toBe(200);
      browser.cookies.delete('bti_access_token');
      expect(await listed()).toBe(false);
      const page = await browser.get(`/task/${id}`);
      expect([page.status, page.headers.get('location')]).toEqual([303, '../login']);
    } finally {
      await strict.stop();
    }
  });

  it('allows the cleanup only to administrators', async () => {
    const user = await passports.signIn(USER_KEY);
    expect(await user.post('/admin/cleanup?dry_run=true')).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN' } },
    });
    expect((await user.get('/health/deep')).status).toBe(200);
  });
});

describe('The order of checks', () => {
  // Each request also fails all later checks.
  const wrongBody: HttpRequestOptions = { body: 'not json', headers: { 'content-type': 'application/xml' } };
  it.each<[string, number, string, string, HttpRequestOptions, boolean]>([
    ['an unknown path before anything else', 404, 'POST', '/nothing', wrongBody, false],
    ['the method before credentials', 405, 'PUT', '/api/tasks', wrongBody, false],
    ['credentials before the type', 401, 'POST', '/api/v1/create-pdf', wrongBody, false],
    [
      'credentials before the size',
      401,
      'POST',
      '/api/v1/create-pdf',
      { body: 'x'.repeat(2 ** 21), headers: { 'content-type': 'application/json' } },
      false,
    ],
    ['the type before the body', 415, 'POST', '/api/v1/create-pdf', wrongBody, true],
    [
      'the size before the body',
      413,
      'POST',
      '/api/v1/create-pdf',
      { body: `["${'x'.repeat(2 ** 21)}`, headers: { 'content-type': 'application/json' } },
      true,
    ],
    ['the body before the resource', 422, 'POST', '/api/v1/create-pdf', { json: { image_ids: 'x' } }, true],
    ['the body before the resource', 422, 'POST', `/task/${ID}/update`, { form: { 'no:such': 'x' } }, true],
    ['the form type before the resource', 415, 'POST', `/task/${ID}/update`, { json: {} }, true],
    ['the path parameter before the resource', 422, 'GET', '/api/task/none/status', {}, true],
    ['the resource before its state', 404, 'POST', `/task/${ID}/update`, FORM, true],
    ['credentials before the path parameter', 401, 'GET', '/api/task/none/status', {}, false],
  ])('is %s: %i', async (_, status, method, path, ask, authorized) => {
    const client = authorized ? await passports.signIn() : passports.client();
    const answer = await client.request(path, { method, ...ask });
    expect(answer.status, answer.text).toBe(status);
    if (status === 422)
      expect(answer.body.detail[0]).toMatchObject({
        loc: expect.any(Array),
        msg: expect.any(String),
        type: expect.any(String),
      });
    else
      expect(answer.body).toMatchObject({
        ok: false,
        error: { code: expect.any(String), message: expect.any(String) },
      });
  });
});

describe('POST /auth/token', () => {
  it('returns a token for 24 hours', async () => {
    const answer = await passports.client().post('/auth/token', { json: { api_key: ADMIN_KEY } });
    expect(answer.body).toEqual({ token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), expires_in: 86_400 });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it.each<[string, HttpRequestOptions, number, object]>([
    ['a wrong key', { json: { api_key: 'wrong' } }, 401, { ok: false, error: { code: 'INVALID_API_KEY' } }],
    ['an empty key', { json: { api_key: '' } }, 401, { error: { code: 'INVALID_API_KEY' } }],
    ['a missing key', { json: {} }, 422, { detail: [{ loc: ['body', 'api_key'], type: 'missing' }] }],
    ['a number as key', { json: { api_key: 5 } }, 422, { detail: [{ loc: ['body', 'api_key'], type: 'string_type' }] }],
    ['null as key', { json: { api_key: null } }, 422, { detail: [{ loc: ['body', 'api_key'], type: 'string_type' }] }],
    ['an array', { json: [] }, 422, { detail: [{ loc: ['body'], type: 'dict_type' }] }],
    [
      'malformed JSON',
      { body: '{', headers: { 'content-type': 'application/json' } },
      422,
      { detail: [{ loc: ['body'], type: 'json_invalid' }] },
    ],
    ['an empty body', {}, 422, { detail: [{ loc: ['body'], type: 'missing' }] }],
  ])('rejects %s', async (_, ask, status, body) => {
    const answer = await passports.client().post('/auth/token', ask);
    expect(answer).toMatchObject({ status, body });
    expect(answer.text).not.toContain('wrong-');
  });

  it('does not echo the submitted key', async () => {
    const answer = await passports.client().post('/auth/token', { json: { api_key: ['secret-word'] } });
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain('secret-word');
  });

  it('is rate-limited per address together with /login, regardless of the outcome', async () => {
    const limited = await startPassports({ PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '4' });
    try {
      const client = limited.client();
      const tries = [
        () => client.post('/auth/token', { json: { api_key: 'wrong' } }),
        () => client.post('/auth/token', { json: {} }),
        () => client.post('/login', { form: { api_key: 'wrong' } }),
        () => client.post('/auth/token', { json: { api_key: ADMIN_KEY } }),
      ];
      for (const attempt of tries) expect((await attempt()).status).not.toBe(429);
      for (const attempt of tries) {
        const answer = await attempt();
        expect(answer).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await client.get('/health')).status).toBe(200);
      for (const [language, message] of [
        ['ru', /Слишком много запросов\. Повторите через \d+\s(?=с\.)/],
        ['en', /Too many requests: try again in \d+ (?=s\.)/],
      ] as const) {
        const headers = { accept: 'text/html', 'accept-language': language };
        const { text } = await client.post('/login', { form: { api_key: ADMIN_KEY }, headers });
        expect(text).toMatch(message);
        expect(text).toContain('name="api_key"');
      }
    } finally {
      await limited.stop();
    }
  });

  it('returns 503 AUTH_UNCONFIGURED without configured keys', async () => {
    const unconfigured = await startPassports({ PASSPORTS_API_KEYS: '' });
    try {
      const answer = await unconfigured.client().post('/auth/token', { json: {} });
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'AUTH_UNCONFIGURED' } } });
      const token = await issueToken();
      expect((await unconfigured.client({ token }).get('/api/tasks')).status).toBe(401);
    } finally {
      await unconfigured.stop();
    }
  });
});

describe('Passports browser sessions', () => {
  const cookieNamed = (answer: HttpResponse, name: string) =>
    answer.headers.getSetCookie().find((line) => line.startsWith(`${name}=`));
  const backdateSession = (session: string, ago: string) =>
    passports.gateway.db.query('update passport_sessions set seen_at = now() - $2::interval where digest = $1', [
      hash('sha256', session, 'hex'),
      ago,
    ]);

  it('start at sign-in with a new session cookie and a token cookie', async () => {
    const browser = withCookies({ bti_session_id: cookie });
    const answer = await browser.post('/login', { form: { api_key: ADMIN_KEY }, headers: { origin: passports.url } });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/');
    for (const name of ['bti_session_id', 'bti_access_token']) {
      expect(cookieNamed(answer, name)).toMatch(/; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    }
    expect(browser.cookies.get('bti_session_id')).not.toBe(cookie);
    expect((await browser.get('/health/deep')).status).toBe(200);
  });

  it('get Secure cookies when a trusted proxy reports HTTPS', async () => {
    const proxied = await startPassports({ TRUST_PROXY: 'loopback' });
    try {
      const login = { form: { api_key: ADMIN_KEY } };
      const https = await proxied.client().post('/login', { ...login, headers: { 'x-forwarded-proto': 'https' } });
      expect(cookieNamed(https, 'bti_session_id')).toContain('; Secure');
      expect(cookieNamed(await proxied.client().post('/login', login), 'bti_session_id')).not.toContain('Secure');
    } finally {
      await proxied.stop();
    }
  });

  it('are not started by a wrong key or a cross-site form', async () => {
    const browser = passports.client();
    expect((await browser.post('/login', { form: { api_key: 'wrong' }, headers: ACCEPT_JSON })).body.error.code).toBe(
      'INVALID_API_KEY',
    );
    expect((await browser.post('/login', { form: { api_key: ADMIN_KEY }, headers: CROSS_SITE })).status).toBe(403);
    expect([...browser.cookies]).toEqual([]);
  });

  it('are never replaced by the key of a link', async () => {
    const browser = passports.client();
    const signIn = (key: string, more = {}) => browser.post('/login', { form: { api_key: key, ...more } });
    expect((await signIn(ADMIN_KEY, { from_link: '1' })).headers.get('location')).toBe('/');
    const cookies = [...browser.cookies];
    const rejected = await signIn(USER_KEY, { from_link: '1' });
    expect([rejected.status, rejected.headers.get('location')]).toEqual([303, '/login']);
    expect([...browser.cookies]).toEqual(cookies);
    expect((await browser.get('/login', { accept: 'text/html' })).text).toContain('id="signed-in"');
    expect((await signIn(USER_KEY)).headers.get('location')).toBe('/');
    expect([...browser.cookies]).not.toEqual(cookies);
  });

  it('clear the browser cache at sign-out', async () => {
    const browser = passports.client();
    await browser.post('/login', { form: { api_key: ADMIN_KEY } });
    expect((await browser.post('/logout')).headers.get('clear-site-data')).toBe('"cache"');
  });

  it('end at sign-out, which revokes the token', async () => {
    const browser = passports.client();
    await browser.post('/login', { form: { api_key: ADMIN_KEY } });
    const token = browser.cookies.get('bti_access_token')!;
    expect((await passports.client({ token }).get('/api/tasks')).status).toBe(200);
    expect((await browser.post('/logout')).status).toBe(303);
    expect([...browser.cookies]).toEqual([]);
    expect((await passports.client({ token }).get('/api/tasks')).status).toBe(401);
  });

  it('end at sign-out also for copies of the session cookie, while the key keeps access to the documents', async () => {
    const browser = passports.client();
    await browser.post('/login', { form: { api_key: ADMIN_KEY } });
    const session = browser.cookies.get('bti_session_id')!;
    const [id] = await browser.upload(createPdf());
    const copied = withCookies({ bti_session_id: session });
    expect((await copied.get(`/api/task/${id}/status`)).status).toBe(200);
    await backdateSession(session, '25 hours');
    const answer = await browser.post('/logout');
    // The cookie is deleted although it was due for renewal.
    expect(cookieNamed(answer, 'bti_session_id')).toContain('bti_session_id=; Max-Age=0');
    expect(answer.headers.getSetCookie().filter((line) => line.startsWith('bti_session_id'))).toHaveLength(1);
    expect((await copied.get(`/api/task/${id}/status`)).status).toBe(401);
    expect((await (await passports.signIn()).get(`/api/task/${id}/status`)).status).toBe(200);
    await copied.upload(createPdf());
    expect(copied.cookies.get('bti_session_id')).not.toBe(session);
  });

  it('end at sign-out also without a token', async () => {
    const browser = passports.client();
    await browser.upload(createPdf());
    const copied = withCookies({ bti_session_id: browser.cookies.get('bti_session_id')! });
    await browser.post('/logout');
    expect((await copied.get('/api/tasks')).status).toBe(401);
  });

  it('are renewed once when the browser returns after a day', async () => {
    for (const path of ['/api/tasks', '/']) {
      const browser = passports.client();
      await browser.upload(createPdf());
      const session = browser.cookies.get('bti_session_id')!;
      expect((await browser.get(path)).headers.getSetCookie()).toEqual([]);
      await backdateSession(session, '25 hours');
      expect(cookieNamed(await browser.get(path), 'bti_session_id')).toBe(
        `bti_session_id=${session}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`,
      );
      expect((await browser.get(path)).headers.getSetCookie()).toEqual([]);
    }
  });

  it('expire 30 days after the last renewal plus one day', async () => {
    const browser = passports.client();
    await browser.upload(createPdf());
    const session = browser.cookies.get('bti_session_id')!;
    await backdateSession(session, '30 days 23 hours');
    expect((await browser.get('/api/tasks')).status).toBe(200);
    await backdateSession(session, '31 days 1 hour');
    expect((await browser.get('/api/tasks')).status).toBe(401);
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['a same-origin page (Origin)', { origin: 'OWN' }, true],
    ['a same-origin page (Sec-Fetch-Site)', { 'sec-fetch-site': 'same-origin' }, true],
    ['the address bar', { 'sec-fetch-site': 'none' }, true],
    ['a same-origin page (Referer)', { referer: 'OWN/task/1' }, true],
    ['a client without these headers', {}, true],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
    ['another port of this host', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }, false],
    ['another port (Origin only)', { origin: 'http://127.0.0.1:1' }, false],
    ['an opaque origin', { origin: 'null' }, false],
    ['another site (Referer)', { referer: 'https://evil.example/OWN' }, false],
    ['a host with this host as prefix', { origin: 'OWN.evil.example' }, false],
    ['an invalid origin', { origin: 'http://' }, false],
  ])('apply the CSRF rule to %s', async (_, headers, allowed) => {
    const browser = passports.client();
    await browser.post('/login', { form: { api_key: ADMIN_KEY } });
    const requestHeaders = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', passports.url)]),
    );
    const answer = await browser.post(`/api/task/${ID}/retry`, { headers: requestHeaders });
    expect(answer.status).toBe(allowed ? 404 : 403);
    if (!allowed) expect(answer.body.error.code).toBe('CSRF_FAILED');
    const token = browser.cookies.get('bti_access_token')!;
    expect((await passports.client({ token }).post(`/api/task/${ID}/retry`, { headers: requestHeaders })).status).toBe(
      404,
    );
  });

  it('accept the origins in PUBLIC_ORIGINS as their own', async () => {
    const named = await startPassports({ PUBLIC_ORIGINS: 'https://docs.example.com' });
    try {
      const browser = named.client();
      await browser.post('/login', { form: { api_key: ADMIN_KEY } });
      const from = (origin: string) => browser.post(`/api/task/${ID}/retry`, { headers: { origin } });
      expect((await from('https://docs.example.com')).status).toBe(404);
      expect((await from('https://docs.example.com.evil.example')).status).toBe(403);
    } finally {
      await named.stop();
    }
  });

  it('accept the forwarded host of a trusted proxy only', async () => {
    for (const [trusted, status] of [
      ['loopback', 404],
      ['10.0.0.0/8', 403],
    ] as const) {
      const proxied = await startPassports({ TRUST_PROXY: trusted });
      try {
        const browser = proxied.client();
        await browser.post('/login', { form: { api_key: ADMIN_KEY } });
        const forwarded = { 'x-forwarded-host': 'docs.example.com', 'x-forwarded-proto': 'https' };
        const from = (origin: string) => browser.post(`/api/task/${ID}/retry`, { headers: { ...forwarded, origin } });
        expect((await from('https://docs.example.com')).status, trusted).toBe(status);
        expect((await from('http://docs.example.com')).status, trusted).toBe(403);
      } finally {
        await proxied.stop();
      }
    }
  });
});
