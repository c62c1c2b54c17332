import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPdf } from '../../src/services/passports/model/pages/pdf.ts';
import { sheetsOf } from '../support/export/workbook.ts';
import { blackPng, greyTags, jpegHead, pixelPng, pngChunk, tiffOf } from '../support/ml/image-files.ts';
import { createTestPdf, type TestObject, writeTempPdf } from '../support/ocr/pdf.ts';
import type { Client, HttpResponse } from '../support/passports.ts';
import { cleanUp } from '../support/processes/assay.ts';
import { type PassportsAssay, startPassportsAssay } from '../support/processes/passports.ts';

vi.setConfig({ testTimeout: 240_000 });

let assay: PassportsAssay;
let token: string;
beforeAll(async () => {
  assay = await startPassportsAssay();
  token = (await assay.signedIn()).token!;
}, 120_000);
afterAll(cleanUp);

const ACCEPT_JSON = { accept: 'application/json' };
const labelledLine = (y: number, label: string, value: string | number) =>
  `BT /F1 14 Tf 60 ${y} Td (${label}) Tj ET\nBT /F1 14 Tf 320 ${y} Td (${value}) Tj ET\n`;
const TEXT = labelledLine(700, 'Year built', 1978) + labelledLine(670, 'Address', 'Hill Street 12');
const PASSPORT = createTestPdf([{ content: TEXT }]);
const edited = (from: string | RegExp, to: string, bytes = PASSPORT) =>
  Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');

async function encryptedPdf(options: { userPassword?: string; ownerPassword?: string }): Promise<Buffer> {
  const document = await PDFDocument.load(PASSPORT);
  document.encrypt(options);
  return Buffer.from(await document.save());
}

/** A page with extra objects numbered from 1000. */
const withObjects = (draws: string, resources: string, objects: readonly TestObject[]) =>
  createTestPdf([{ content: `${TEXT}\n${draws}`, resources }], objects);

function imageOf(side: number, filter: string, body: Buffer): Buffer {
  const dictionary = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /${filter}`;
  return withObjects('q 600 0 0 300 0 0 cm /Im Do Q', '/XObject << /Im 1000 0 R >>', [
    { number: 1000, dictionary, body },
  ]);
}

function nestedForms(depth: number): Buffer {
  const forms = Array.from(
    { length: depth },
    (_, i): TestObject => ({
      number: 1000 + i,
      dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /Fm ${1001 + i} 0 R >> >>`,
      body: i + 1 < depth ? '/Fm Do' : '0 0 10 10 re f',
    }),
  );
  return withObjects('/Fm Do', '/XObject << /Fm 1000 0 R >>', forms);
}

/** 5,000 words in 100 lines: labels and values of fields. */
function crowdedPage(): Buffer {
  const line = 'Total area 54.3 Living area 31.6 Wall material brick Kitchen '.repeat(5);
  const lines = Array.from({ length: 100 }, (_, i) => `BT /F1 3 Tf 20 ${640 - 6 * i} Td (${line}) Tj ET`);
  return createTestPdf([{ content: TEXT + lines.join('\n') }]);
}

/** A content stream of a few kilobytes that decompresses to gigabytes. */
function decompressionBomb(): Buffer {
  const body = deflateSync(deflateSync(Buffer.alloc(400e6), { level: 1 }));
  const stream: TestObject = { number: 1000, dictionary: '/Filter [/FlateDecode /FlateDecode]', body };
  return edited('/Contents 11 0 R', `/Contents [${'1000 0 R '.repeat(8)}]`, createTestPdf([{ content: '' }], [stream]));
}

const ARCHIVE = Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0\x08\0'), deflateSync(Buffer.from('text'))]);

type ExpectedOutcome =
  | 'SUCCESS'
  | 'PDF_CORRUPT'
  | 'PDF_ENCRYPTED'
  | 'PDF_TOO_COMPLEX'
  | 'UNSUPPORTED_DOCUMENT'
  | 'UNREADABLE_SCAN';
const HOSTILE: readonly [name: string, bytes: () => Buffer | Promise<Buffer>, ending: ExpectedOutcome][] = [
  ['a wrong cross-reference offset', () => edited(/startxref\n\d+/, 'startxref\n7'), 'SUCCESS'],
  ['a missing trailer', () => PASSPORT.subarray(0, PASSPORT.indexOf('xref\n0 1') - 10), 'PDF_CORRUPT'],
  ['a header only', () => PASSPORT.subarray(0, 60), 'PDF_CORRUPT'],
  ['junk after the signature', () => Buffer.from('%PDF-junk\n'), 'PDF_CORRUPT'],
  ['an archive after a header', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), ARCHIVE]), 'PDF_CORRUPT'],
  ['a password', () => encryptedPdf({ userPassword: 'secret', ownerPassword: 'owner' }), 'PDF_ENCRYPTED'],
  ['a password for changes only', () => encryptedPdf({ ownerPassword: 'owner' }), 'SUCCESS'],
  ['gigabytes of doubly compressed data', decompressionBomb, 'PDF_TOO_COMPLEX'],
  ['10 000 nested forms', () => nestedForms(10_000), 'SUCCESS'],
  ['a page of 5,000 words', crowdedPage, 'SUCCESS'],
  ['an image of 64k by 64k', () => imageOf(65_535, 'FlateDecode', deflateSync(Buffer.alloc(10_000))), 'SUCCESS'],
  ['a JPEG of 64k by 64k', () => imageOf(65_500, 'DCTDecode', jpegHead(65_500)), 'SUCCESS'],
  ['no pages', () => createTestPdf([]), 'UNSUPPORTED_DOCUMENT'],
  ['a page tree with cycles', () => edited('/Kids [10 0 R]', '/Kids [2 0 R 2 0 R 10 0 R]'), 'SUCCESS'],
  ['a declared count of two billion pages', () => edited('/Count 1', '/Count 2147483647'), 'SUCCESS'],
  ['a declared count of minus five pages', () => edited('/Count 1', '/Count -5'), 'SUCCESS'],
  ['a page of extreme size', () => edited('[0 0 600 800]', '[0 0 1e30 -1e30]'), 'SUCCESS'],
  ['a page without a size', () => edited('[0 0 600 800]', '[0 0 0 0]'), 'SUCCESS'],
  ['a page of extreme aspect ratio', () => edited('[0 0 600 800]', '[0 0 .001 99999]'), 'UNREADABLE_SCAN'],
  ['a page with itself as content', () => edited('/Contents 11 0 R', '/Contents 10 0 R'), 'UNREADABLE_SCAN'],
  ['a script with an endless loop', () => edited('/Type /Catalog', `/Type /Catalog ${PROGRAM}`), 'SUCCESS'],
];
const PROGRAM = '/OpenAction << /S /JavaScript /JS (while(true){}) >>';

describe('POST /task/{task_id}/update', () => {
  it('returns 422 for dates and numbers of 10 000 characters without blocking other requests', async () => {
    const client = await assay.signedIn();
    const [id] = await client.upload({ name: 'a.pdf', bytes: PASSPORT });
    expect((await assay.resultOf(client, id!, 60_000))['status']).toBe('SUCCESS');
    const spaces = ' '.repeat(4998);
    const numbers = Array.from({ length: 490 }, (_, n) => [`rooms:${n + 1}.area`, `${'1'.repeat(9999)}x`]);
    const form = { 'general:issue_date': `x${spaces}1${spaces}x`, ...Object.fromEntries(numbers) };
    let isAnswered = false;
    const edited = client.post(`/task/${id}/update`, { form, headers: ACCEPT_JSON }).finally(() => {
      isAnswered = true;
    });
    edited.catch(() => {});
    while (!isAnswered) {
      const other = await fetch(`${assay.url}/livez`, { signal: AbortSignal.timeout(20_000) });
      expect(other.status).toBe(200);
    }
    const { status, body } = await edited;
    expect([status, body.detail.length]).toEqual([422, 491]);
    expect(body.detail[0]).toMatchObject({ type: 'string_too_long', ctx: { max_length: 100 } });
  });
});

describe('Hostile files', () => {
  it('have the expected outcome, and the worker survives', async () => {
    const client = assay.client();
    const worker = await assay.child('work');
    const files = await Promise.all(
      HOSTILE.map(async ([name, bytes]) => ({ name: `${name}.pdf`, bytes: await bytes() })),
    );
    // A request may contain at most 20 files.
    const ids = [...(await client.upload(...files.slice(0, 20))), ...(await client.upload(...files.slice(20)))];
    const endings: [string, string][] = [];
    for (const [i, id] of ids.entries()) {
      const { status, error_type, data } = await assay.resultOf(client, id, 150_000);
      if (status === 'SUCCESS') expect(data.general, files[i]!.name).toMatchObject({ year_built: 1978 });
      else expect(status).toBe(error_type === 'UNREADABLE_SCAN' ? 'FAILED' : 'PERMANENT_ERROR');
      endings.push([HOSTILE[i]![0], error_type ?? status]);
    }
    expect(endings).toEqual(HOSTILE.map(([name, , ending]) => [name, ending]));
    // Their text is read, but their images are refused when they are shown.
    for (const [i, [name]] of HOSTILE.entries()) {
      if (name.includes('64k')) expect((await client.get(`/api/task/${ids[i]}/page/1`)).status, name).toBe(404);
    }
    const [next] = await client.upload({ name: 'next.pdf', bytes: edited('1978', '1979') });
    expect(await assay.resultOf(client, next!)).toMatchObject({ data: { general: { year_built: 1979 } } });
    expect(await assay.child('work')).toBe(worker);
    if (process.platform === 'linux') {
      const peaks = await assay.peaks();
      console.log('MiB at most:', JSON.stringify(peaks));
      expect(peaks.serve).toBeLessThan(400);
      expect(peaks.work).toBeLessThan(900);
    }
  });

  it('with images of 64k by 64k declared pixels are rejected before they are decoded', async () => {
    const images = [blackPng(65_535), tiffOf(greyTags(65_535, 65_535)), jpegHead(65_500), bombedPng()];
    const files = images.map((bytes, i) => ({ name: `${i}.jpg`, bytes }));
    const codes: string[] = [];
    for (const file of files) {
      const { status, body } = await assay.client().post('/api/v1/upload-images', { files: [file] });
      codes.push(`${status} ${body.error?.code}`);
    }
    expect(codes).toEqual(Array(3).fill('413 FILE_TOO_LARGE').concat('201 undefined'));
    if (process.platform === 'linux') expect((await assay.peaks()).serve).toBeLessThan(400);
  });
});

/** A one-pixel image with a comment of 100 MB. */
const bombedPng = () =>
  pixelPng(pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(100e6))])));

/** Uploads a file with an unescaped part header. */
async function uploadRaw(client: Client, disposition: Buffer | string): Promise<HttpResponse> {
  const body = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="files"; '),
    Buffer.from(disposition),
    Buffer.from('\r\nContent-Type: application/pdf\r\n\r\n'),
    PASSPORT,
    Buffer.from(`% ${randomUUID()}\r\n--x--\r\n`),
  ]);
  return client.post('/upload', {
    body,
    headers: { ...ACCEPT_JSON, 'content-type': 'multipart/form-data; boundary=x' },
  });
}

describe('Hostile file names', () => {
  it.each<[string, string, string]>([
    ['a script', 'filename="<script>alert(1)</script>.pdf"', 'script>.pdf'],
    ['a quote and a semicolon', 'filename="a\\"; filename=evil.exe; x=\\".pdf"', 'a"; filename=evil.exe; x=".pdf'],
    ['percent-encoded line breaks', 'filename="a%0D%0ASet-Cookie: x=1.pdf"', 'a%0D%0ASet-Cookie: x=1.pdf'],
    ['a path in filename*', "filename*=UTF-8''..%2F..%2Fetc%2Fpasswd.pdf", 'passwd.pdf'],
    ['a text direction override', 'filename="a\u202efdp.exe"', 'afdp.exe'],
    ['a NUL character', 'filename="a\u0000b.pdf"', 'ab.pdf'],
    ['10 000 characters', `filename="${'я'.repeat(5000)}.pdf"`, `${'я'.repeat(251)}.pdf`],
    ['a formula', 'filename="=cmd|calc!A1.pdf"', '=cmd|calc!A1.pdf'],
  ])('with %s are text on pages, in headers and in workbooks', async (_, disposition, shown) => {
    const client = assay.client();
    const { status, body, text, headers } = await uploadRaw(client, disposition);
    expect(status, text).toBeLessThan(203);
    expect(headers.getSetCookie().join()).not.toContain('x=1');
    const [{ id, filename }] = body.items;
    expect(filename).toBe(shown);
    expect(await assay.resultOf(client, id)).toMatchObject({ status: 'SUCCESS', filename: shown });
    const page = await client.get('/', { accept: 'text/html' });
    expect(page.text).toContain(id);
    expect(page.text).not.toMatch(/<script>alert/);
    client.token = token;
    for (const kind of ['excel', 'pdf']) {
      const file = await client.get(`/export/${id}/${kind}`);
      expect(file.status).toBe(200);
      expect(file.headers.get('content-disposition')).toMatch(
        /^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/,
      );
      expect(file.headers.getSetCookie()).toEqual([]);
    }
    const rows = [...sheetsOf((await client.get('/export/session/excel')).bytes).values()][0]!;
    expect(rows[1]![1]).toBe(`text:${shown}`);
  });

  it('that are malformed reject the request without storing a file, and overlong ones are truncated', async () => {
    const before = await assay.storedKeys();
    const broken = await uploadRaw(assay.client(), "filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1.pdf");
    expect(broken).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'files'] }] } });
    expect((await assay.storedKeys()).filter((key) => !before.includes(key))).toEqual([]);
    const endless = await uploadRaw(assay.client(), `filename="${'x'.repeat(100_000)}.pdf"`);
    expect(endless.status).toBe(202);
    expect(endless.body.items[0].filename.length).toBeLessThanOrEqual(255);
  });
});

describe('Cyrillic text', () => {
  it('is preserved in uploads, lists, renames and both exports', async () => {
    const client = assay.client();
    const bytes = await readFile(new URL('../../examples/passport.pdf', import.meta.url));
    const [id] = await client.upload({ name: 'Техпаспорт — Ёлкин, Йошкар-Ола №7.pdf'.normalize('NFD'), bytes });
    const result = await assay.resultOf(client, id!);
    const listed = async () => (await client.get('/api/tasks')).body.items.map((item: any) => item.filename);
    expect(await listed()).toEqual(['Техпаспорт — Ёлкин, Йошкар-Ола №7.pdf']);
    client.token = token;
    expect((await client.post(`/task/${id}/rename`, { form: { name: 'Ёжик в тумане, «дом» 7' } })).status).toBe(303);
    expect(await listed()).toEqual(['Ёжик в тумане, «дом» 7']);

    const excel = await client.get(`/export/${id}/excel`, { 'accept-language': 'ru' });
    const pdf = await client.get(`/export/${id}/pdf`, { 'accept-language': 'ru' });
    const nameIn = (answer: HttpResponse) =>
      decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(answer.headers.get('content-disposition')!)![1]!);
    expect(nameIn(excel)).toBe('Passport_Ёжик в тумане, «дом» 7.xlsx');
    expect(nameIn(pdf)).toBe('Report_Ёжик в тумане, «дом» 7.pdf');

    const values = Object.values<{ value: string | number | null }>(result['fields'])
      .map(({ value }) => value)
      .filter((value) => value !== null);
    expect(values.length).toBeGreaterThan(40);
    const cells = [...sheetsOf(excel.bytes).values()].flat(2).map((cell) => cell.replace(/^\w+:/, ''));
    const report = (await wordsOf(pdf.bytes)).join('');
    const missing = values.filter((value) => !cells.includes(String(value)) || !report.includes(withoutSpaces(value)));
    expect(missing).toEqual([]);
    expect(report).toContain('Ёжиквтумане,«дом»7');
  });
});

/** Without spaces, where lines may break. */
const withoutSpaces = (value: string | number) => String(value).replace(/\s/g, '');

async function wordsOf(bytes: Buffer): Promise<string[]> {
  const signal = AbortSignal.timeout(60_000);
  const report = await openPdf(await writeTempPdf(bytes), { maxPages: 50, signal });
  const words: string[] = [];
  for (let page = 1; page <= report.pages; page++)
    words.push(...(await report.text(page, signal)).words.map(({ text }) => text));
  await report.close();
  return words;
}

describe('Ids of another session', () => {
  it('get the same response as unknown ids on every endpoint', async () => {
    const [victim, otherClient] = [assay.client(), assay.client()];
    const [id] = await victim.upload({ name: 'private.pdf', bytes: PASSPORT });
    await otherClient.upload({ name: 'own.pdf', bytes: PASSPORT });
    await assay.resultOf(victim, id!);
    const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer();
    const uploaded = await victim.post('/api/v1/upload-images', { files: [{ name: 'private.jpg', bytes: photo }] });
    const [image] = uploaded.body.image_ids;
    const endpoints: readonly [method: string, path: (task: string, image: string) => string][] = [
      ['GET', (task) => `/task/${task}`],
      ['GET', (task) => `/api/task/${task}/status`],
      ['GET', (task) => `/api/task/${task}/result`],
      ['GET', (task) => `/api/task/${task}/history`],
      ['GET', (task) => `/api/task/${task}/page/1`],
      ['POST', (task) => `/api/task/${task}/retry`],
      ['POST', (task) => `/task/${task}/rename`],
      ['POST', (task) => `/task/${task}/update`],
      ['DELETE', (task) => `/task/${task}`],
      ['GET', (task) => `/export/${task}/excel`],
      ['GET', (task) => `/export/${task}/pdf`],
      ['GET', (_, image) => `/api/v1/image/${image}`],
      ['POST', (_, image) => `/api/v1/rotate-image/${image}`],
      ['DELETE', (_, image) => `/api/v1/image/${image}`],
    ];
    const unknownId = '01993f6e-2d8a-7c21-9b1e-4f6a7d0c5e12';
    for (const [method, path] of endpoints) {
      const ask = { method, ...(/rename|update/.test(path('', '')) && { form: { name: 'x' } }) };
      const foreign = await otherClient.request(path(id!, image), ask);
      const none = await otherClient.request(path(unknownId, unknownId), ask);
      expect(foreign.status, path('ID', 'ID')).toBe(none.status);
      expect([401, 404]).toContain(foreign.status);
      const plain = ({ text }: HttpResponse) =>
        text
          .replaceAll(/"request_id":"[^"]*"/g, '')
          .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-HJKMNP-TV-Z]{26}/g, 'ID');
      expect(plain(foreign), path('ID', 'ID')).toBe(plain(none));
      expect(foreign.text).not.toContain('private');
    }
    const made = await otherClient.post('/api/v1/create-pdf', { json: { image_ids: [image] } });
    expect(made).toMatchObject({ status: 400, body: { error: { code: 'INVALID_IMAGE_IDS' } } });
    for (const path of ['/api/tasks', '/api/v1/images', '/export/session/excel', '/']) {
      const { text, bytes } = await otherClient.get(path);
      const whole = path.endsWith('excel') ? JSON.stringify([...sheetsOf(bytes).values()]) : text;
      expect(whole, path).not.toMatch(new RegExp(`private|${id}|${image}`));
    }
    expect((await victim.get(`/api/task/${id}/result`)).body).toMatchObject({ filename: 'private.pdf', version: 1 });
    expect((await victim.get('/api/v1/images')).body.images).toMatchObject([{ image_id: image, rotation: 0 }]);
  });
});

describe('Forged tokens', () => {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'assay', aud: 'passports', sub: 'admin', jti: 'x', iat: now, nbf: now, exp: now + 3600 };

  it('are rejected, and no URL in them is requested', async () => {
    let requestCount = 0;
    const server = createServer((socket) => {
      requestCount++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const keys = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    const [head, body, signature] = token.split('.') as [string, string, string];
    const known = JSON.parse(Buffer.from(head, 'base64url').toString());
    const ownClaims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const jwk = { kty: 'oct', k: Buffer.from('my own secret').toString('base64url') };
    const signed = (header: object, payload: object, secret = 'my own secret', digest = 'sha256') => {
      const text = `${part(header)}.${part(payload)}`;
      return `${text}.${createHmac(digest, secret).update(text).digest('base64url')}`;
    };
    const forged: Record<string, string> = {
      ...Object.fromEntries(
        ['none', 'None', 'nOnE', 'NONE', ''].map((alg) => [`alg ${alg}`, `${part({ ...known, alg })}.${body}.`]),
      ),
      'algorithm none with a valid signature': `${part({ ...known, alg: 'none' })}.${body}.${signature}`,
      'a key id that is a path': signed({ ...known, kid: '../../../../dev/null' }, ownClaims, ''),
      'a key id with SQL': signed({ ...known, kid: "x' union select 'k" }, ownClaims, 'k'),
      'a key id that is an object': signed({ ...known, kid: { a: 1 } }, ownClaims),
      'the key id __proto__': signed({ ...known, kid: '__proto__' }, ownClaims, ''),
      'an embedded key': signed({ ...known, jwk }, ownClaims),
      'a key at a URL': signed({ ...known, jku: keys }, ownClaims),
      'a certificate at a URL': signed({ ...known, x5u: keys }, ownClaims),
      'an empty secret': signed(known, ownClaims, ''),
      'a longer digest': signed({ ...known, alg: 'HS512' }, ownClaims, 'my own secret', 'sha512'),
      'an asymmetric algorithm': signed({ ...known, alg: 'RS256' }, ownClaims),
      'a critical header': `${part({ ...known, crit: ['exp'] })}.${body}.${signature}`,
      'an unencoded payload': `${part({ ...known, b64: false, crit: ['b64'] })}.${body}.${signature}`,
      'another subject': `${head}.${part({ ...ownClaims, sub: 'root' })}.${signature}`,
      'a changed expiry': `${head}.${part({ ...ownClaims, exp: 1e300 })}.${signature}`,
      'one part': head,
      'five parts': `${token}.a.b`,
      'malformed JSON': `${Buffer.from('{').toString('base64url')}.${body}.${signature}`,
      'claims without a key id': signed({ alg: 'HS256' }, claims),
    };
    for (const [what, bad] of Object.entries(forged)) {
      const answer = await assay.client({ token: bad }).get('/api/tasks');
      expect(answer, what).toMatchObject({ status: 401, body: { ok: false, error: { code: 'UNAUTHORIZED' } } });
      const browser = assay.client();
      browser.cookies.set('bti_access_token', bad);
      expect((await browser.get('/health/deep')).status, what).toBe(401);
    }
    expect((await assay.client({ token }).get('/api/tasks')).status).toBe(200);
    const long = await assay.client({ token: `${head}.${'A'.repeat(20_000)}.x` }).get('/api/tasks');
    expect(long.status).toBe(431);
    expect(requestCount).toBe(0);
    server.close();
  });
});
