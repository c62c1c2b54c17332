import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MARKER } from '../../src/base/files/stored-keys.ts';
import { DRAWN_ON_REQUEST } from '../../src/services/passports/extraction.ts';
import { createTestPdf } from '../support/ocr/pdf.ts';
import {
  type Client,
  createExtraction,
  createPdf,
  type HttpRequestOptions,
  type HttpResponse,
  type Passports,
  startPassports,
  USER_KEY,
} from '../support/passports.ts';

const ACCEPT_JSON = { accept: 'application/json' };
const ACCEPT_HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UNKNOWN_ID = '01993f6e-2d8a-7c21-9b1e-4f6a7d0c5e12';

let passports: Passports;
beforeAll(async () => {
  passports = await startPassports();
});
afterAll(() => passports.stop());

async function listStoredFiles(): Promise<string[]> {
  const entries = await readdir(join(passports.dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries
    .filter((entry) => entry.isFile() && entry.name !== MARKER)
    .map(({ name }) => name)
    .sort();
}

async function createDocument(state: 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'ERROR' | 'PERMANENT_ERROR') {
  const client = await passports.signIn();
  client.cookies.set('bti_session_id', await createSessionCookie());
  const [id] = await client.upload(createPdf());
  if (state === 'PROCESSING') await passports.startProcessing(id!);
  if (state === 'SUCCESS') await passports.succeed(id!);
  if (state === 'FAILED') await passports.fail(id!, 'NO_FIELDS_FOUND');
  if (state === 'ERROR') await passports.fail(id!, 'STORAGE_ERROR');
  if (state === 'PERMANENT_ERROR') await passports.fail(id!, 'PDF_ENCRYPTED');
  return { client, id: id! };
}

async function createSessionCookie(): Promise<string> {
  const visitor = passports.client();
  await visitor.upload(createPdf());
  return visitor.cookies.get('bti_session_id')!;
}

const update = (
  client: Client,
  id: string,
  form: Record<string, string>,
  headers: Record<string, string> = ACCEPT_JSON,
) => client.post(`/task/${id}/update`, { form, headers });

describe('Passports documents', () => {
  it('are uploaded anonymously in a new session, listed, processed and read', async () => {
    const person = passports.client();
    const answer = await person.post('/upload', { files: [createPdf('Техпаспорт №7.pdf')], headers: ACCEPT_JSON });
    expect(answer.status).toBe(202);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^bti_session_id=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const [item] = answer.body.items;
    expect(answer.body).toEqual({ items: [item], total: 1, rejected: [] });
    expect(item).toEqual({
      id: expect.stringMatching(UUID),
      filename: 'Техпаспорт №7.pdf',
      status: 'PENDING',
      cached: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      error_type: null,
    });
    const list = await person.get('/api/tasks');
    expect(list.body).toEqual({ items: [item], total: 1, page: 1, limit: 50 });
    expect(list.headers.get('cache-control')).toBe('no-store');

    const waiting = await person.get(`/api/task/${item.id}/result`);
    expect(waiting).toMatchObject({ status: 202, body: { id: item.id, status: 'PENDING' } });
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0);

    await passports.startProcessing(item.id);
    expect((await person.get(`/api/task/${item.id}/status`)).body).toEqual({
      status: 'PROCESSING',
      id: item.id,
      error_type: null,
      updated_at: expect.any(String),
    });
    await passports.succeed(item.id);
    const result = await person.get(`/api/task/${item.id}/result`);
    expect(result.status).toBe(200);
    expect(result.body).toMatchObject({
      id: item.id,
      filename: 'Техпаспорт №7.pdf',
      status: 'SUCCESS',
      cached: false,
      created_at: item.created_at,
      version: 1,
      schema: { id: 'technical_passport', version: '1' },
      data: {
        general: { address: 'г. Энск, ул. Южная, д. 7', year_built: 1978, owner: null },
        areas: { total_area: 54.3 },
        rooms: [
          { name: 'кухня', area: 9.1, height: null },
          { name: 'жилая', area: 18.4, height: null },
        ],
      },
      pages: 1,
      warnings: [],
    });
    expect(result.body.fields['general:address']).toEqual({
      value: 'г. Энск, ул. Южная, д. 7',
      type: 'string',
      label: 'Address',
      confidence: 0.9,
      source: 'text',
      original_value: 'г. Энск, ул. Южная, д. 7',
      page: 1,
      bbox: [0.1, 0.2, 0.5, 0.24],
      edited_at: null,
    });
    expect(result.body.fields['areas:total_area'].confidence).toBeNull();
    expect(result.body.fields['rooms:2.name'].value).toBe('жилая');

    const tag = result.headers.get('etag')!;
    expect((await person.get(`/api/task/${item.id}/result`, { 'if-none-match': tag })).status).toBe(304);
    const russian = await person.get(`/api/task/${item.id}/result`, { 'accept-language': 'ru', 'if-none-match': tag });
    expect(russian.body.fields['general:address'].label).toBe('Адрес');
  });

  it.each([
    ['FAILED', 'NO_FIELDS_FOUND'],
    ['ERROR', 'STORAGE_ERROR'],
    ['PERMANENT_ERROR', 'PDF_ENCRYPTED'],
  ] as const)('that ended as %s (%s) have an error and no data', async (state, errorType) => {
    const { client, id } = await createDocument(state);
    expect(await client.get(`/api/task/${id}/result`)).toMatchObject({
      status: 200,
      body: { id, status: state, error_type: errorType, error: expect.any(String), data: null },
    });
    expect((await client.get(`/api/task/${id}/status`)).body).toMatchObject({ status: state, error_type: errorType });
  });

  it('that do not exist return 404 with the status NOT_FOUND', async () => {
    const { client } = await createDocument('PENDING');
    expect(await client.get(`/api/task/${UNKNOWN_ID}/status`)).toMatchObject({
      status: 404,
      body: { ok: false, status: 'NOT_FOUND', error: { code: 'TASK_NOT_FOUND' } },
    });
    for (const path of ['result', 'history', 'page/1']) {
      expect(await client.get(`/api/task/${UNKNOWN_ID}/${path}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'TASK_NOT_FOUND' } },
      });
    }
  });

  it('that are uploaded again get their own id and the unedited cached result', async () => {
    const { client, id } = await createDocument('PENDING');
    const file = createPdf('first.pdf');
    const [first] = await client.upload(file);
    await passports.succeed(first!);
    await update(client, first!, { 'general:address': 'typed over' });
    const otherClient = passports.client();
    const again = await otherClient.post('/upload', { files: [{ ...file, name: 'again.pdf' }], headers: ACCEPT_JSON });
    expect(again).toMatchObject({
      status: 200,
      body: { items: [{ filename: 'again.pdf', status: 'SUCCESS', cached: true }] },
    });
    const second = again.body.items[0].id;
    expect(second).not.toBe(first);
    const { body } = await otherClient.get(`/api/task/${second}/result`);
    expect(body).toMatchObject({
      cached: true,
      version: 1,
      data: { general: { address: 'г. Энск, ул. Южная, д. 7' } },
    });
    expect(id).not.toBe(second);
  });
});

describe('POST /upload', () => {
  it('redirects to the list unless JSON is preferred', async () => {
    for (const accept of ['text/html', '*/*', 'text/html, application/json', 'application/json;q=0']) {
      const answer = await passports.client().post('/upload', { files: [createPdf()], headers: { accept } });
      expect([answer.status, answer.headers.get('location')], accept).toEqual([303, '/']);
    }
    for (const accept of ['application/json', 'application/problem+json', 'text/html;q=0.5, application/json']) {
      expect(
        (await passports.client().post('/upload', { files: [createPdf()], headers: { accept } })).status,
        accept,
      ).toBe(202);
    }
  });

  it('shows the rejected and the accepted files of a form', async () => {
    const files = [{ name: '<b>.txt', bytes: 'text' }, createPdf('план.pdf')];
    const headers = { ...ACCEPT_HTML, 'accept-language': 'ru' };
    const browser = passports.client();
    const page = await browser.post('/upload', { files, headers });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('&lt;b>.txt: Формат файла не подходит: документы принимаются в PDF');
    expect(page.text).toMatch(/id="accepted".*план\.pdf/s);
    const english = await browser.post('/upload', { files, headers: ACCEPT_HTML });
    expect(english.text).toContain('documents are PDF, photos of pages are JPEG, PNG');
    expect((await browser.get('/api/tasks')).body.total).toBe(2);
  });

  it('explains invalid tags of a form in the language of the page', async () => {
    const headers = { ...ACCEPT_HTML, 'accept-language': 'ru' };
    const fields = { tags: 'x'.repeat(51) };
    const page = await passports.client().post('/upload', { files: [createPdf()], fields, headers });
    expect(page.status).toBe(422);
    expect(page.text).toContain('<p>Метки: Не больше 20, в каждой от 1 до 50 символов, без управляющих символов.</p>');
  });

  it('keeps the order of the files, reports rejected ones and stores the others', async () => {
    const before = await listStoredFiles();
    const answer = await passports.client().post('/upload', {
      files: [
        createPdf('1.pdf'),
        { name: 'not.pdf', bytes: 'PK\u0003\u0004 a zip' },
        { name: 'empty.pdf', bytes: '' },
        { name: 'late.pdf', bytes: `${' '.repeat(1000)}%PDF-1.4 ${Math.random()}` },
        { name: 'too late.pdf', bytes: `${' '.repeat(1100)}%PDF-1.4` },
        createPdf('2.pdf'),
      ],
      headers: ACCEPT_JSON,
    });
    expect(answer.status).toBe(202);
    expect(answer.body.items.map(({ filename }: { filename: string }) => filename)).toEqual([
      '1.pdf',
      'late.pdf',
      '2.pdf',
    ]);
    expect(answer.body.total).toBe(3);
    expect(answer.body.rejected.map(({ filename, error }: any) => [filename, error.code])).toEqual([
      ['not.pdf', 'UNSUPPORTED_MEDIA_TYPE'],
      ['empty.pdf', 'EMPTY_FILE'],
      ['too late.pdf', 'UNSUPPORTED_MEDIA_TYPE'],
    ]);
    expect((await listStoredFiles()).length - before.length).toBe(3);
  });

  it.each<[string, HttpRequestOptions, number, object]>([
    [
      'only files that are not PDFs',
      { files: [{ name: 'a.pdf', bytes: 'text' }] },
      415,
      { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } },
    ],
    [
      'only images',
      { files: [{ name: 'a.jpg', bytes: Buffer.from('ffd8ffe0', 'hex') }] },
      415,
      { error: { message: 'The file is not a PDF. Upload images to /api/v1/upload-images.' } },
    ],
    ['an empty file', { files: [{ name: 'a.pdf', bytes: '' }] }, 400, { error: { code: 'EMPTY_FILE' } }],
    [
      'a form without a file',
      { fields: { name: 'x' } },
      422,
      { detail: [{ loc: ['body', 'files'], type: 'missing' }] },
    ],
    [
      'a file under another name',
      { files: [{ ...createPdf(), field: 'attachment' }] },
      422,
      { detail: [{ loc: ['body', 'files'] }] },
    ],
    ['a body that is not multipart', { json: {} }, 415, { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } }],
    ['no body', {}, 415, { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } }],
    [
      'a torn body',
      { body: '--x\r\nContent-Disp', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      422,
      { detail: [{ loc: ['body'] }] },
    ],
    [
      'a body without a boundary',
      { body: 'x', headers: { 'content-type': 'multipart/form-data' } },
      422,
      { detail: [{ loc: ['body'] }] },
    ],
    [
      '21 files',
      { files: Array.from({ length: 21 }, () => createPdf()) },
      413,
      { error: { code: 'PAYLOAD_TOO_LARGE' } },
    ],
    [
      'one name for two files',
      { files: [createPdf(), createPdf()], fields: { name: 'x' } },
      422,
      { detail: [{ loc: ['body', 'name'] }] },
    ],
    ['a name of spaces', { files: [createPdf()], fields: { name: '   ' } }, 400, { error: { code: 'INVALID_NAME' } }],
  ])('rejects %s without storing files or creating a session', async (_, ask, status, body) => {
    const before = await listStoredFiles();
    const client = passports.client();
    const answer = await client.post('/upload', { ...ask, headers: { ...ACCEPT_JSON, ...ask.headers } });
    expect(answer).toMatchObject({ status, body });
    expect(await listStoredFiles()).toEqual(before);
    expect([...client.cookies]).toEqual([]);
  });

  it('accepts the part name `file` and a display name', async () => {
    const client = passports.client();
    const files = [{ ...createPdf('scan0001.pdf'), field: 'file' }];
    const answer = await client.post('/upload', { files, fields: { name: ' Дом на углу ' }, headers: ACCEPT_JSON });
    expect(answer).toMatchObject({ status: 202, body: { items: [{ filename: 'Дом на углу' }] } });
  });

  it.each([
    ['../../etc/passwd.pdf', 'passwd.pdf'],
    ['C:\\temp\\план.pdf', 'план.pdf'],
    ['a\u202egpj.pdf', 'agpj.pdf'],
    ['и\u0306.pdf', 'й.pdf'],
    [`${'я'.repeat(300)}.pdf`, `${'я'.repeat(251)}.pdf`],
    ['..', 'document.pdf'],
  ])('sanitizes the file name %j to %j', async (name, shown) => {
    const answer = await passports
      .client()
      .post('/upload', { files: [{ ...createPdf(), name }], headers: ACCEPT_JSON });
    expect(answer.body.items[0].filename).toBe(shown);
  });

  it('rejects a file over 50 MiB and stores the following one', { tags: ['full'] }, async () => {
    const before = await listStoredFiles();
    const large = Buffer.alloc(52 * 2 ** 20, 'x');
    large.write('%PDF-1.7');
    const files = [{ name: 'large.pdf', bytes: large }, createPdf('small.pdf')];
    const answer = await passports.client().post('/upload', { files, headers: ACCEPT_JSON });
    expect(answer).toMatchObject({
      status: 202,
      body: {
        items: [{ filename: 'small.pdf' }],
        rejected: [{ filename: 'large.pdf', error: { code: 'FILE_TOO_LARGE' } }],
      },
    });
    expect((await listStoredFiles()).length).toBe(before.length + 1);
    const alone = await passports.client().post('/upload', { files: files.slice(0, 1), headers: ACCEPT_JSON });
    expect(alone).toMatchObject({ status: 413, body: { error: { code: 'FILE_TOO_LARGE' } } });
  });

  it('rejects more than 200 MiB in total without Content-Length and stores nothing', { tags: ['full'] }, async () => {
    const before = await listStoredFiles();
    const piece = Buffer.alloc(2 ** 20, 'x');
    async function* endless() {
      for (let file = 0; file < 6; file++) {
        yield Buffer.from(
          `--x\r\nContent-Disposition: form-data; name="files"; filename="${file}.pdf"\r\n\r\n%PDF-1.7`,
        );
        for (let i = 0; i < 40; i++) yield piece;
        yield Buffer.from('\r\n');
      }
      yield Buffer.from('--x--\r\n');
    }
    const headers = { ...ACCEPT_JSON, 'content-type': 'multipart/form-data; boundary=x' };
    const body = ReadableStream.from(endless());
    const answer = await passports
      .client()
      .post('/upload', { body, headers })
      .catch((error) => error);
    // Some clients report an early response as a broken connection.
    if ('status' in answer)
      expect(answer).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    expect(await listStoredFiles()).toEqual(before);
  });

  it('replays a repeated Idempotency-Key and rejects other files with the same key', async () => {
    const { client } = await createDocument('PENDING');
    const [file, other] = [createPdf(), createPdf()];
    const headers = { ...ACCEPT_JSON, 'idempotency-key': '"one"' };
    const first = await client.post('/upload', { files: [file], headers });
    const before = await listStoredFiles();
    const again = await client.post('/upload', { files: [file], headers: { ...headers, 'idempotency-key': 'one' } });
    expect(again.status).toBe(first.status);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const reused = await client.post('/upload', { files: [other], headers });
    expect(reused).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } });
    expect(await listStoredFiles()).toEqual(before);
    const strange = await client.post('/upload', { files: [other], headers: { ...headers, 'idempotency-key': '"' } });
    expect(strange).toMatchObject({ status: 422, body: { detail: [{ loc: ['header', 'idempotency-key'] }] } });
    expect((await passports.client().post('/upload', { files: [other], headers })).status).toBe(202);
  });

  it('processes concurrent requests with the same key once', async () => {
    const { client } = await createDocument('PENDING');
    const file = createPdf();
    const headers = { ...ACCEPT_JSON, 'idempotency-key': 'at-once' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.post('/upload', { files: [file], headers })),
    );
    const ids = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.items[0].id));
    expect(ids.size).toBe(1);
    for (const { status, body } of answers) {
      if (status !== 202)
        expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' });
    }
    const list = await client.get('/api/tasks?limit=200');
    expect(list.body.items.filter(({ id }: { id: string }) => ids.has(id))).toHaveLength(1);
  });
});

describe('GET /api/tasks', () => {
  it('paginates and filters the documents of one session, newest first', async () => {
    const client = passports.client();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await client.upload(createPdf(`${i}.pdf`)))[0]!);
    await passports.succeed(ids[0]!);
    await passports.fail(ids[1]!, 'PDF_CORRUPT');
    const list = async (query: string) => (await client.get(`/api/tasks${query}`)).body;
    const found = async (query: string) => (await list(query)).items.map(({ id }: { id: string }) => id);
    expect(await found('')).toEqual(ids);
    expect(await list('?page=2&limit=2')).toMatchObject({ total: 5, page: 2, limit: 2 });
    expect(await found('?page=2&limit=2')).toEqual(ids.slice(2, 4));
    expect(await list('?page=9')).toMatchObject({ items: [], total: 5 });
    expect(await found('?status=SUCCESS')).toEqual([ids[0]]);
    expect(await found('?status=PERMANENT_ERROR')).toEqual([ids[1]]);
    expect((await list('?status=ERROR')).total).toBe(0);
    const otherClient = passports.client();
    await otherClient.upload(createPdf());
    expect((await otherClient.get('/api/tasks')).body.total).toBe(1);
  });

  it.each([
    ['?limit=500', { loc: ['query', 'limit'], type: 'less_than_equal', input: '500', ctx: { le: 200 } }],
    ['?limit=0', { loc: ['query', 'limit'], type: 'greater_than_equal', input: '0', ctx: { ge: 1 } }],
    ['?page=0', { loc: ['query', 'page'], type: 'greater_than_equal' }],
    ['?page=x', { loc: ['query', 'page'], type: 'int_parsing', input: 'x' }],
    ['?page=1.5', { loc: ['query', 'page'], type: 'int_parsing', input: '1.5' }],
    ['?status=NOT_FOUND', { loc: ['query', 'status'], type: 'enum', input: 'NOT_FOUND' }],
    ['?status=', { loc: ['query', 'status'], type: 'enum', input: '' }],
  ])('rejects %s with a detail', async (query, detail) => {
    const client = await passports.signIn();
    expect(await client.get(`/api/tasks${query}`)).toMatchObject({ status: 422, body: { detail: [detail] } });
  });
});

describe('Document ownership', () => {
  it('allows access to the own session, and to a token for documents of anonymous sessions', async () => {
    const owner = passports.client();
    const [id] = await owner.upload(createPdf());
    const other = passports.client();
    await other.upload(createPdf());
    const program = await passports.signIn();
    expect((await owner.get(`/api/task/${id}/status`)).status).toBe(200);
    expect((await other.get(`/api/task/${id}/status`)).status).toBe(404);
    expect((await program.get(`/api/task/${id}/status`)).status).toBe(200);
    // A token with a foreign session has the rights of both.
    other.token = program.token;
    expect((await other.get(`/api/task/${id}/status`)).status).toBe(200);
    expect((await other.get('/api/tasks')).body.items.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  it('separates the documents of different keys, and needs no cookie with a token', async () => {
    const [admin, clerk] = [await passports.signIn(), await passports.signIn(USER_KEY)];
    const answer = await clerk.post('/upload', { files: [createPdf()], headers: ACCEPT_JSON });
    expect(answer.headers.getSetCookie()).toEqual([]);
    const [{ id }] = answer.body.items;
    expect((await clerk.get('/api/tasks')).body.items[0].id).toBe(id);
    expect((await admin.get(`/api/task/${id}/status`)).status).toBe(404);
    expect((await admin.request(`/task/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await clerk.request(`/task/${id}`, { method: 'DELETE' })).status).toBe(200);
  });

  it('allows changes of anonymous documents to the own session and administrators, not to a user key', async () => {
    const owner = passports.client();
    const [id, failed] = await owner.upload(createPdf(), createPdf());
    await passports.succeed(id!);
    await passports.fail(failed!, 'NO_FIELDS_FOUND');
    const clerk = await passports.signIn(USER_KEY);
    const both = passports.client({ token: clerk.token });
    both.cookies.set('bti_session_id', owner.cookies.get('bti_session_id')!);
    const writes: [string, string, HttpRequestOptions][] = [
      ['POST', `/task/${id}/update`, { form: { 'general:address': 'x' }, headers: ACCEPT_JSON }],
      ['POST', `/task/${id}/rename`, { form: { name: 'x' } }],
      ['POST', `/api/task/${failed}/retry`, {}],
      ['DELETE', `/task/${id}`, {}],
    ];
    for (const [method, path, ask] of writes) {
      const answer = await clerk.request(path, { method, ...ask });
      expect(answer, path).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    }
    // Exports require only the header and change nothing.
    expect((await clerk.get(`/export/${id}/excel`)).status).toBe(200);
    expect((await owner.get(`/api/task/${id}/result`)).body).toMatchObject({ version: 1, filename: 'a.pdf' });
    for (const [method, path, ask] of writes.slice(0, 3)) {
      expect((await both.request(path, { method, ...ask })).status, path).toBeLessThan(400);
    }
    expect((await (await passports.signIn()).request(`/task/${id}`, { method: 'DELETE' })).status).toBe(200);
  });

  it('denies tokens access to anonymous sessions with PASSPORTS_STRICT_OWNERSHIP', async () => {
    const strict = await startPassports({ PASSPORTS_STRICT_OWNERSHIP: 'true' });
    try {
      const [id] = await strict.client().upload(createPdf());
      const program = await strict.signIn();
      expect((await program.get(`/api/task/${id}/status`)).status).toBe(404);
      expect((await program.request(`/task/${id}`, { method: 'DELETE' })).status).toBe(404);
    } finally {
      await strict.stop();
    }
  });
});

describe('GET /api/task/{task_id}/page/{page}', () => {
  it('revalidates the picture on every use and returns 304 for a matching If-None-Match', async () => {
    const client = passports.client();
    const [id] = await client.upload(createPdf());
    const { key } = await passports.context.files.put(Buffer.from('picture'), { maxBytes: 100 });
    await passports.succeed(id!, { sheets: [{ reader: 'text', width: 595, height: 842, turn: 0, picture: key }] });
    const path = `/api/task/${id}/page/1`;
    const first = await client.get(path);
    expect([first.status, first.text, first.headers.get('cache-control')]).toEqual([
      ...[200, 'picture', 'private, no-cache'],
    ]);
    const etag = first.headers.get('etag')!;
    const again = await client.get(path, { 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('cache-control')).toBe('private, no-cache');
    expect((await passports.client().get(path, { 'if-none-match': etag })).status).toBe(401);
    const another = passports.client();
    await another.upload(createPdf());
    expect((await another.get(path, { 'if-none-match': etag })).status).toBe(404);
  });
});

describe('POST /task/{task_id}/update', () => {
  it('stores the line breaks of a form as LF, so that an unchanged text is no correction', async () => {
    const { client, id } = await createDocument('SUCCESS');
    await update(client, id, { 'general:address': 'ул. Северная,\nд. 1' });
    const form = { 'general:address': 'ул. Северная,\r\nд. 1', 'general:owner': 'а\r\nб' };
    expect((await update(client, id, form)).body.version).toBe(3);
    const { items } = (await client.get(`/api/task/${id}/history`)).body;
    expect(items.map(({ field, to }: { field: string; to: string }) => [field, to])).toEqual([
      ['general:address', 'ул. Северная,\nд. 1'],
      ['general:owner', 'а\nб'],
    ]);
  });

  it('shows the cells of a row that were emptied or filled at once as one entry in the history of the page', async () => {
    const { client, id } = await createDocument('SUCCESS');
    await update(client, id, { 'rooms:1.no': '', 'rooms:1.name': '', 'rooms:1.area': '' });
    await update(client, id, { 'rooms:1.height': '2,7' });
    await update(client, id, { 'rooms:2.name': 'лоджия', 'rooms:2.area': '3,6' });
    const { text } = await client.get(`/task/${id}`, { ...ACCEPT_HTML, 'accept-language': 'ru' });
    const history = /id="history".*?<\/details>/s.exec(text)![0];
    expect(history).toContain('История (3)');
    expect(history.match(/admin: [^<]*/g)).toEqual([
      'admin: Экспликация помещений, строка 2: пусто → Помещение: лоджия · Площадь, м²: 3,6',
      'admin: Высота, м, строка 1, пусто → 2,7',
      'admin: Экспликация помещений, удалённая строка 1: Помещение: кухня · Площадь, м²: 9,1 → пусто',
    ]);
    const reverts = (page: string) => page.match(/data-values="[^"]*"/g)!.map((each) => each.replaceAll('&#34;', '"'));
    // Not of the row that was filled, which this would delete at once, or of the deleted one.
    expect(reverts(history)).toEqual(['data-values="{"rooms:1.height":""}"']);
    await update(client, id, { 'rooms:1.name': 'кухня', 'rooms:1.area': '9,1' });
    await update(client, id, { 'rooms:1.name': '', 'rooms:1.area': '' });
    const { text: later } = await client.get(`/task/${id}`, { ...ACCEPT_HTML, 'accept-language': 'ru' });
    expect(reverts(later)[0]).toBe('data-values="{"rooms:1.name":"кухня","rooms:1.area":"9,1"}"');
  });

  it('returns 412 for a form of an earlier version', async () => {
    const { client, id } = await createDocument('SUCCESS');
    expect((await update(client, id, { 'general:owner': 'a', version: '1' })).body.version).toBe(2);
    const answer = await update(client, id, { 'general:owner': 'b', version: '1' });
    expect(answer).toMatchObject({ status: 412, body: { error: { code: 'VERSION_CONFLICT' } } });
  });

  it('parses values by the types of their fields, empty ones as null, and keeps the original values', async () => {
    const { client, id } = await createDocument('SUCCESS');
    const answer = await update(client, id, {
      'general:address': 'ул. Северная, 1',
      'areas:total_area': '1 234,56',
      'areas:living_area': '30.5',
      'general:year_built': '',
      csrf_token: 'ignored with a bearer token',
    });
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', id } });
    const { body } = await client.get(`/api/task/${id}/result`);
    expect(body.version).toBe(2);
    expect(body.data).toMatchObject({
      general: { address: 'ул. Северная, 1', year_built: null },
      areas: { total_area: 1234.56, living_area: 30.5 },
    });
    expect(body.fields['general:address']).toMatchObject({
      source: 'manual',
      confidence: null,
      original_value: 'г. Энск, ул. Южная, д. 7',
      edited_at: expect.stringMatching(/Z$/),
    });
    const history = await client.get(`/api/task/${id}/history`);
    expect(history.body.items).toHaveLength(4);
    expect(history.body.items).toContainEqual({
      at: expect.any(String),
      actor: 'admin',
      field: 'general:year_built',
      from: 1978,
      to: null,
    });
  });

  it('redirects a form to the page of the task', async () => {
    const { client, id } = await createDocument('SUCCESS');
    const answer = await update(client, id, { 'general:owner': 'Иванов' }, ACCEPT_HTML);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/task/${id}`]);
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['an unknown field', { 'general:nothing': 'x' }, 'general:nothing', 'extra_forbidden'],
    ['an unknown section', { 'nothing:address': 'x' }, 'nothing:address', 'extra_forbidden'],
    ['an unqualified key', { address: 'x' }, 'address', 'extra_forbidden'],
    ['a __proto__ key', { ['__proto__']: 'x' }, '__proto__', 'extra_forbidden'],
    ['text for a number', { 'areas:total_area': 'много' }, 'areas:total_area', 'float_parsing'],
    ['a fraction for a whole number', { 'general:year_built': '1978,5' }, 'general:year_built', 'int_parsing'],
    ['an invalid date', { 'general:issue_date': '31.02.2001' }, 'general:issue_date', 'date_parsing'],
    ['a too long text', { 'general:owner': 'x'.repeat(10_001) }, 'general:owner', 'string_too_long'],
    ['a date of 101 characters', { 'general:issue_date': ' '.repeat(101) }, 'general:issue_date', 'string_too_long'],
    ['a number of 101 characters', { 'areas:total_area': '1'.repeat(101) }, 'areas:total_area', 'string_too_long'],
    ['a row beyond the next one', { 'rooms:4.name': 'x' }, 'rooms:4.name', 'less_than_equal'],
  ])('rejects %s without saving any value', async (_, form, field, type) => {
    const { client, id } = await createDocument('SUCCESS');
    const answer = await update(client, id, { 'general:address': 'written?', ...form });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field], type }] } });
    expect((await client.get(`/api/task/${id}/result`)).body).toMatchObject({
      version: 1,
      data: { general: { address: 'г. Энск, ул. Южная, д. 7' } },
    });
  });

  it('returns 404 for an unknown document before it validates the form', async () => {
    const client = await passports.signIn();
    const form = { 'general:issue_date': 'x' };
    expect(await update(client, UNKNOWN_ID, form)).toMatchObject({
      status: 404,
      body: { error: { code: 'TASK_NOT_FOUND' } },
    });
  });

  it('rejects more than 500 fields', async () => {
    const { client, id } = await createDocument('SUCCESS');
    const form = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`rooms:${i}.name`, 'x']));
    expect(await update(client, id, form)).toMatchObject({ status: 422, body: { detail: [{ type: 'too_long' }] } });
  });

  it('appends rows to a table, and removes empty ones without gaps', async () => {
    const { client, id } = await createDocument('SUCCESS');
    await update(client, id, { 'rooms:3.name': 'ванная', 'rooms:4.name': 'коридор', 'rooms:3.area': '4,2' });
    const rooms = async () => (await client.get(`/api/task/${id}/result`)).body.data.rooms.map((row: any) => row.name);
    expect(await rooms()).toEqual(['кухня', 'жилая', 'ванная', 'коридор']);
    await update(client, id, { 'rooms:2.name': '', 'rooms:2.area': '' });
    expect(await rooms()).toEqual(['кухня', 'ванная', 'коридор']);
    // The second row is now the bathroom, and the next new row is the fourth.
    await update(client, id, { 'rooms:2.name': 'санузел', 'rooms:4.name': 'балкон' });
    expect(await rooms()).toEqual(['кухня', 'санузел', 'коридор', 'балкон']);
    const { body } = await client.get(`/api/task/${id}/result`);
    expect(body.fields['rooms:2.area'].value).toBe(4.2);
    expect(body.fields['rooms:5.name']).toBeUndefined();
  });

  it('accepts room numbers with letters', async () => {
    const { client, id } = await createDocument('SUCCESS');
    expect((await update(client, id, { 'rooms:1.no': '8а', 'rooms:2.no': 'G.1' })).status).toBe(200);
    const { body } = await client.get(`/api/task/${id}/result`);
    expect(body.data.rooms.map(({ no }: { no: string }) => no)).toEqual(['8а', 'G.1']);
    const rejected = await update(client, id, { 'rooms:1.no': '?' });
    expect(rejected).toMatchObject({ status: 422, body: { detail: [{ type: 'string_pattern_mismatch' }] } });
  });

  it('presents room numbers that earlier versions stored as integers, and saves only changed ones', async () => {
    const client = await passports.signIn();
    const [id = ''] = await client.upload(createPdf());
    const { fields } = createExtraction();
    const no = { ...fields['rooms:1.area']!, value: 7 };
    await passports.succeed(id, { fields: { ...fields, 'rooms:1.no': no, 'rooms:2.no': { ...no, value: 8 } } });
    const result = async () => (await client.get(`/api/task/${id}/result`)).body;
    expect((await result()).fields['rooms:1.no']).toMatchObject({ value: '7', original_value: '7', type: 'string' });
    expect((await update(client, id, { 'rooms:1.no': '7', 'rooms:2.no': '8' })).body.version).toBe(1);
    expect((await update(client, id, { 'rooms:1.no': '7', 'rooms:2.no': '8а' })).body.version).toBe(2);
    expect((await result()).data.rooms).toMatchObject([{ no: '7' }, { no: '8а' }]);
  });

  it('renumbers rows after a concurrent edit', async () => {
    const { client, id } = await createDocument('SUCCESS');
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => update(client, id, { 'rooms:3.name': name })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { body } = await client.get(`/api/task/${id}/result`);
    expect(body.data.rooms.length).toBe(3);
  });

  it('applies an edit only to the version in If-Match', async () => {
    const { client, id } = await createDocument('SUCCESS');
    const tag = (await client.get(`/api/task/${id}/result`)).headers.get('etag')!;
    const edit = (value: string, ifMatch: string) =>
      update(client, id, { 'general:owner': value }, { ...ACCEPT_JSON, 'if-match': ifMatch });
    expect((await edit('first', tag)).status).toBe(200);
    expect(await edit('second', tag)).toMatchObject({ status: 412, body: { error: { code: 'VERSION_CONFLICT' } } });
    expect((await edit('second', '"2"')).status).toBe(200);
    expect((await edit('third', '*')).status).toBe(200);
    expect((await edit('fourth', '"some other tag"')).status).toBe(412);
    expect((await client.get(`/api/task/${id}/result`)).body.data.general.owner).toBe('third');
  });

  it.each(['PENDING', 'PROCESSING', 'FAILED', 'ERROR', 'PERMANENT_ERROR'] as const)(
    'returns 409 in the state %s',
    async (state) => {
      const { client, id } = await createDocument(state);
      expect(await update(client, id, { 'general:owner': 'x' })).toMatchObject({
        status: 409,
        body: { error: { code: 'TASK_NOT_EDITABLE' } },
      });
    },
  );

  it('rejects a form with the CSRF token of another session', async () => {
    const { id } = await createDocument('SUCCESS');
    const browser = passports.client();
    await browser.post('/login', { form: { api_key: 'admin-key-1234567890' } });
    const answer = await update(browser, id, { 'general:owner': 'x', csrf_token: 'wrong' });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'CSRF_FAILED' } } });
    expect((await update(browser, id, { 'general:owner': 'x' })).status).toBe(200);
  });
});

describe('POST /task/{task_id}/rename', () => {
  const rename = (client: Client, id: string, name: string, headers: Record<string, string> = {}) =>
    client.post(`/task/${id}/rename`, { form: { name }, headers });

  it('redirects to the list and stores the sanitized name', async () => {
    const { client, id } = await createDocument('PENDING');
    for (const [accept, name, kept] of [
      ['application/json', ' Дом 7\u0000 ', 'Дом 7'],
      ['text/html', '😀'.repeat(255), '😀'.repeat(255)],
    ] as const) {
      const answer = await rename(client, id, name, { accept });
      expect([answer.status, answer.headers.get('location'), answer.text]).toEqual([303, '/', '']);
      const { items } = (await client.get('/api/tasks')).body;
      expect(items.find((item: { id: string }) => item.id === id).filename).toBe(kept);
    }
  });

  it.each<[string, Record<string, string>, number, object]>([
    ['an empty name', { name: '' }, 400, { error: { code: 'INVALID_NAME' } }],
    ['an invisible name', { name: ' \u200e\u0007 ' }, 400, { error: { code: 'INVALID_NAME' } }],
    ['256 characters', { name: 'я'.repeat(256) }, 400, { error: { code: 'INVALID_NAME' } }],
    ['a missing name', { title: 'x' }, 422, { detail: [{ loc: ['body', 'name'], type: 'missing' }] }],
  ])('rejects %s', async (_, form, status, body) => {
    const { client, id } = await createDocument('PENDING');
    expect(await client.post(`/task/${id}/rename`, { form })).toMatchObject({ status, body });
  });

  it('returns 404 for an unknown task', async () => {
    const { client } = await createDocument('PENDING');
    expect(await rename(client, UNKNOWN_ID, 'x')).toMatchObject({
      status: 404,
      body: { error: { code: 'TASK_NOT_FOUND' } },
    });
  });
});

describe('DELETE /task/{task_id}', () => {
  it.each(['PENDING', 'PROCESSING', 'SUCCESS', 'ERROR'] as const)(
    'removes a document in the state %s with its file',
    async (state) => {
      const before = (await listStoredFiles()).length;
      const { client, id } = await createDocument(state);
      const answer = await client.request(`/task/${id}`, { method: 'DELETE' });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect((await client.get(`/api/task/${id}/status`)).status).toBe(404);
      expect((await client.request(`/task/${id}`, { method: 'DELETE' })).status).toBe(404);
      // The session of `createDocument` has another document.
      expect((await listStoredFiles()).length).toBe(before + 1);
    },
  );
});

describe('POST /api/task/{task_id}/confirm', () => {
  const confirm = (client: Client, id: string, headers: Record<string, string> = {}) =>
    client.post(`/api/task/${id}/confirm`, { headers });
  const result = async (client: Client, id: string) => (await client.get(`/api/task/${id}/result`)).body;

  it('empties the review list and shows who confirmed the version, until the next edit', async () => {
    const { client, id } = await createDocument('SUCCESS');
    const before = await result(client, id);
    expect(before).toMatchObject({ confirmed_at: null, confirmed_by: null });
    expect(before.review).toContainEqual({ field: 'general:year_built', reasons: ['low_confidence'] });
    const first = await confirm(client, id);
    expect(first).toMatchObject({ status: 200, body: { status: 'ok', id, version: 1, confirmed_by: 'admin' } });
    // A repetition, also a concurrent one, keeps the first confirmation.
    const repeated = await Promise.all([confirm(client, id), confirm(client, id)]);
    expect(repeated.map(({ body }) => body)).toEqual([first.body, first.body]);
    const after = await result(client, id);
    expect(after).toMatchObject({
      review: [],
      version: 1,
      confirmed_at: first.body.confirmed_at,
      confirmed_by: 'admin',
    });
    expect(after.fields).toEqual(before.fields);
    expect(await update(client, id, { confirm: '1' })).toMatchObject({ status: 422 });
    await update(client, id, { 'general:owner': 'Иванов' });
    expect(await result(client, id)).toMatchObject({ review: [], confirmed_at: null });
    expect((await confirm(client, id)).body.version).toBe(2);
    await update(client, id, { 'general:owner': 'Петров', confirm: 'true' });
    expect(await result(client, id)).toMatchObject({ version: 3, confirmed_by: 'admin' });
  });

  it('removes corrected fields from the review list', async () => {
    const { client, id } = await createDocument('SUCCESS');
    await update(client, id, { 'general:year_built': '1979' });
    const { review } = await result(client, id);
    expect(review.map(({ field }: { field: string }) => field)).not.toContain('general:year_built');
  });

  it('rejects another version with 412 and an unfinished document with 409', async () => {
    const { client, id } = await createDocument('SUCCESS');
    await update(client, id, { 'general:owner': 'Иванов' });
    expect((await confirm(client, id, { 'if-match': '"1"' })).body.error.code).toBe('VERSION_CONFLICT');
    expect((await result(client, id)).confirmed_at).toBeNull();
    const failed = await createDocument('FAILED');
    expect((await confirm(failed.client, failed.id)).body.error.code).toBe('TASK_NOT_EDITABLE');
  });

  it('is denied to callers who may not change the document', async () => {
    const anonymous = passports.client();
    const [id = ''] = await anonymous.upload(createPdf());
    await passports.succeed(id);
    expect((await confirm(await passports.signIn(USER_KEY), id)).status).toBe(403);
    expect((await confirm(await passports.signIn(), UNKNOWN_ID)).status).toBe(404);
  });
});

describe('POST /api/task/{task_id}/retry', () => {
  it.each(['FAILED', 'ERROR'] as const)('queues a document in %s once for concurrent requests', async (state) => {
    const { client, id } = await createDocument(state);
    const answers = await Promise.all([1, 2].map(() => client.post(`/api/task/${id}/retry`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers.find(({ status }) => status === 200)!;
    expect(winner.body).toMatchObject({ status: 'PENDING', id, error_type: null });
    expect(answers.find(({ status }) => status === 409)!.body.error.code).toBe('TASK_NOT_RETRYABLE');
    await passports.succeed(id);
    expect((await client.get(`/api/task/${id}/status`)).body.status).toBe('SUCCESS');
  });

  it.each(['PENDING', 'PROCESSING', 'SUCCESS', 'PERMANENT_ERROR'] as const)('is rejected in %s', async (state) => {
    const { client, id } = await createDocument(state);
    expect(await client.post(`/api/task/${id}/retry`)).toMatchObject({
      status: 409,
      body: { error: { code: 'TASK_NOT_RETRYABLE' } },
    });
  });
});

describe('Passports limits', () => {
  it('count a retry as a waiting task of its client', async () => {
    const limited = await startPassports({ CLIENT_MAX_WAITING: '1' });
    try {
      const client = await limited.signIn(USER_KEY);
      // The limit may be exceeded within one request.
      const [first, second] = await client.upload(createPdf(), createPdf());
      for (const id of [first!, second!]) await limited.fail(id, 'NO_FIELDS_FOUND');
      const retry = (id: string) => client.post(`/api/task/${id}/retry`);
      // Once a second the gateway counts the waiting tasks.
      await expect.poll(async () => (await retry(first!)).status, { timeout: 10_000 }).toBe(200);
      const refused = await retry(second!);
      expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await retry(UNKNOWN_ID)).status).toBe(404);
    } finally {
      await limited.stop();
    }
  });

  it('reject corrections of together more than two million characters, and accept shorter ones then', {
    tags: ['full'],
  }, async () => {
    const { client, id } = await createDocument('SUCCESS');
    const rowsOf = (first: number, length: number) =>
      Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`rooms:${first + i}.name`, 'я'.repeat(length)]));
    const update = (form: Record<string, string>) =>
      client.post(`/task/${id}/update`, { form, headers: { accept: 'application/json' } });
    const first = 3;
    expect((await update(rowsOf(first, 9000))).status).toBe(200);
    const refused = await update(rowsOf(first + 150, 9000));
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('at most 2000000 characters together');
    expect((await update(rowsOf(first, 10))).status).toBe(200);
  });
});

describe('Passports browser responses', () => {
  it.each<[string, string, HttpRequestOptions]>([
    ['upload', '/upload', { files: [{ name: 'a.txt', bytes: 'text' }] }],
    ['update', `/task/${UNKNOWN_ID}/update`, { form: { 'general:owner': 'x' } }],
    ['rename', `/task/${UNKNOWN_ID}/rename`, { form: { name: '' } }],
  ])('are an HTML page for a rejected %s, and JSON for API clients', async (_, path, ask) => {
    const client = await passports.signIn();
    for (const accept of ['application/json', '*/*']) {
      const answer: HttpResponse = await client.post(path, { ...ask, headers: { accept } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('content-type')).toContain('application/json');
    }
    const page = await client.post(path, { ...ask, headers: ACCEPT_HTML });
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src '");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).toMatch(/^<!doctype html>/);
  });

  it('show the documents of the session only, and escape markup in names', async () => {
    const browser = passports.client();
    const [id] = await browser.upload(createPdf());
    const { token } = await passports.signIn();
    const rename = { form: { name: '"><img src=x onerror=alert(1)>' }, headers: { authorization: `Bearer ${token}` } };
    expect((await browser.post(`/task/${id}/rename`, rename)).status).toBe(303);
    for (const path of ['/', `/task/${id}`]) {
      const page = await browser.get(path, ACCEPT_HTML);
      expect([page.status, page.headers.get('cache-control')], path).toEqual([200, 'no-store']);
      expect(page.text, path).toContain('img src=x onerror');
      expect(page.text.replace(/="[^"]*"/g, ''), path).not.toContain('<img src=x');
    }
    const otherClient = passports.client();
    await otherClient.upload(createPdf());
    for (const path of ['/', `/task/${id}`]) {
      for (const who of [otherClient, passports.client()]) {
        expect((await who.get(path, ACCEPT_HTML)).text, path).not.toContain('onerror');
      }
    }
    expect((await otherClient.get(`/task/${id}`, ACCEPT_HTML)).status).not.toBe(200);
  });
});

describe('Page pictures', () => {
  it('are available only to clients with access to the document', async () => {
    const { client, id } = await createDocument('PENDING');
    const bytes = Buffer.from('\xff\xd8\xff a picture', 'latin1');
    const { key } = await passports.gateway.files.put(bytes, { maxBytes: 100 });
    const [sheet] = createExtraction().sheets;
    await passports.succeed(id, { sheets: [{ ...sheet!, picture: key }] });
    const { body } = await client.get(`/api/task/${id}/result`);
    expect(body.sheets).toEqual([
      { page: 1, width: 595, height: 842, turn: 0, reader: 'text', picture: `/api/task/${id}/page/1` },
    ]);
    const picture = await client.get(body.sheets[0].picture);
    expect(picture.bytes).toEqual(bytes);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect((await client.get(`/api/task/${id}/page/2`)).status).toBe(404);
    expect((await client.get(`/api/task/${id}/page/0`)).status).toBe(422);
    const otherClient = passports.client();
    await otherClient.upload(createPdf());
    expect((await otherClient.get(body.sheets[0].picture)).status).toBe(404);
  });

  it('are drawn from the PDF for pages with a text layer, and missing if the page cannot be drawn', {
    tags: ['full'],
  }, async () => {
    const [sheet] = createExtraction().sheets;
    const open = async (pdf: Buffer) => {
      const client = passports.client();
      const [id] = await client.upload({ name: 'drawn.pdf', bytes: pdf });
      await passports.succeed(id!, { sheets: [{ ...sheet!, picture: DRAWN_ON_REQUEST }] });
      const { body } = await client.get(`/api/task/${id}/result`);
      return { client, path: body.sheets[0].picture as string };
    };
    const { client, path } = await open(createTestPdf([{ content: 'BT /F1 14 Tf 60 700 Td (Address) Tj ET' }]));
    const picture = await client.get(path);
    expect(picture.headers.get('content-type')).toBe('image/jpeg');
    expect(await sharp(picture.bytes).metadata()).toMatchObject({ format: 'jpeg', height: 1600 });
    const etag = picture.headers.get('etag')!;
    expect((await client.get(path, { 'if-none-match': etag })).status).toBe(304);
    const damaged = await open(Buffer.from('%PDF-1.7 damaged'));
    expect((await damaged.client.get(damaged.path)).status).toBe(404);
  });
});
