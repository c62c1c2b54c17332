import { gzipSync } from 'node:zlib';
import { TOKEN } from '../support/processes/client.ts';
import type { Bomb } from './bombs.ts';

/** Raw bytes and the service that receives them. {@link TOKEN} is valid everywhere; in the catalog it is a moderator's. */
export interface RawRequest {
  readonly to: 'defectoscopy' | 'stt' | 'passports' | 'catalog';
  readonly bytes: Buffer;
}
type HostileRequest = Bomb<RawRequest>;

const MIB = 2 ** 20;
const TOO_LARGE = '413 PAYLOAD_TOO_LARGE';
const INVALID = '422 VALIDATION_ERROR';

function request(
  to: RawRequest['to'],
  line: string,
  headers: readonly string[] = [],
  body: Buffer | string = '',
): RawRequest {
  // Passports creates an anonymous session for a request without a token.
  const auth = to === 'passports' ? [] : [`Authorization: Bearer ${TOKEN}`];
  const head = [`${line} HTTP/1.1`, 'Host: a', 'Connection: close', ...auth, ...headers];
  return { to, bytes: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]) };
}
function post(
  to: RawRequest['to'],
  path: string,
  type: string,
  body: Buffer | string,
  ...headers: string[]
): RawRequest {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return request(to, `POST ${path}`, [`Content-Type: ${type}`, length, ...headers], body);
}
const json = (to: RawRequest['to'], path: string, body: Buffer | string) => post(to, path, 'application/json', body);
const predict = (body: Buffer | string) => json('defectoscopy', '/predict', body);
const index = (records: Buffer | string) => json('catalog', '/index', records);
const csv = (table: Buffer | string) => post('catalog', '/index', 'text/csv', table);

const filled = (bytes: number, text: string) => Buffer.alloc(bytes, text);
const joined = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join('');
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const record = (more: string) => `{"records":[{"record_id":"bomb",${more}}]}`;

const BODIES: readonly HostileRequest[] = [
  { name: '30 MiB of opening brackets', make: () => index(filled(30 * MIB, '[')), ends: TOO_LARGE },
  { name: '30 MiB of empty lists', make: () => index(`[${filled(30 * MIB, '[],')}[]]`), ends: TOO_LARGE },
  { name: '30 MiB of empty objects', make: () => index(`[${filled(30 * MIB, '{},')}{}]`), ends: TOO_LARGE },
  { name: '30 MiB of zeros', make: () => index(`[${filled(30 * MIB, '0,')}0]`), ends: TOO_LARGE },
  {
    name: 'two million member names',
    make: () => index(`{${joined(2_000_000, (n) => `"k${n}":0,`)}"k":0}`),
    ends: TOO_LARGE,
  },
  {
    name: 'two million members with the same name',
    make: () => index(`{${'"k":0,'.repeat(2_000_000)}"k":0}`),
    ends: TOO_LARGE,
  },
  {
    name: '200 000 attributes of a record',
    make: () => index(record(`"attributes":{${joined(200_000, (n) => `"k${n}":0,`)}"k":0}`)),
    ends: '200 failed',
  },
  { name: 'JSON nested 30 000 deep', make: () => predict(nested(30_000)), ends: TOO_LARGE },
  {
    name: 'a record nested 90 deep',
    make: () => index(record(`"attributes":{"a":${nested(90)}}`)),
    ends: '200 failed',
  },
  {
    name: 'metadata nested 30 000 deep',
    make: () => speech(`"metadata":{"a":${nested(30_000)}}`),
    ends: TOO_LARGE,
  },
  {
    name: 'a number of ten million digits',
    make: () => index(record(`"attributes":{"a":${filled(10 * MIB, '9')}}`)),
    ends: '200 indexed',
  },
  {
    name: 'five million Unicode escapes',
    make: () => index(record(`"text":"${filled(30 * MIB, '\\u0041')}"`)),
    ends: '200 failed',
  },
  { name: 'a member named __proto__', make: () => predict('{"__proto__":{"image_url":"x"}}'), ends: INVALID },
  { name: 'a webhook address of 60 000 characters', make: () => predict(webhook(60_000)), ends: INVALID },
  { name: 'a declared body length of 1 GiB', make: () => declaredGigabyte(), ends: TOO_LARGE },
  {
    name: 'a gzipped body of 60 KB that inflates to 60 MB',
    make: () =>
      post('defectoscopy', '/predict', 'application/json', gzipSync(filled(60 * MIB, ' ')), 'Content-Encoding: gzip'),
    ends: INVALID,
  },
];

const speech = (more: string) => json('stt', '/transcribe/audio_url', `{"url":"https://a.example/a.mp3",${more}}`);
const webhook = (length: number) =>
  JSON.stringify({ image_url: 'https://a.example/a.jpg', webhook_url: `https://a.example/${'a'.repeat(length)}` });
const declaredGigabyte = () =>
  request('catalog', 'POST /index', ['Content-Type: application/json', `Content-Length: ${1024 * MIB}`]);

const TABLES: readonly HostileRequest[] = [
  {
    name: 'a table of eight million empty cells',
    make: () => csv(joined(8, () => `${','.repeat(MIB - 10)}\n`)),
    ends: '422 missing',
  },
  {
    name: 'a table of a million columns',
    make: () => csv(`record_id${',a'.repeat(MIB / 2 - 100)}\n`),
    ends: '422 value_error',
  },
  { name: 'a table of 30 MiB of line ends', make: () => csv(filled(30 * MIB, '\n')), ends: '422 missing' },
  { name: 'a table of 30 MiB of quotes', make: () => csv(filled(30 * MIB, '"')), ends: '422 value_error' },
  {
    name: 'a million empty lists in the cells of a table',
    make: () => csv(`record_id,attributes\n${joined(5, (n) => `${n},"[${'[],'.repeat(200_000)}0]"\n`)}`),
    ends: TOO_LARGE,
  },
];

const boundary = 'multipart/form-data; boundary=x';
const field = (n: number) => `--x\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\nv\r\n`;
const fileOf = (headers: string, body = '') =>
  `--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n${headers}\r\n${body}\r\n`;

const FORMS: readonly HostileRequest[] = [
  { name: 'a form of 100 000 fields', make: () => login(joined(100_000, (n) => `k${n}=v&`)), ends: '422 too_long' },
  {
    name: 'a form of a megabyte of percent signs',
    make: () => login(`token=${'%25'.repeat(300_000)}`),
    ends: '422 string_too_long',
  },
  {
    name: '100 000 multipart fields',
    make: () => post('passports', '/upload', boundary, `${joined(100_000, field)}--x--\r\n`),
    ends: TOO_LARGE,
  },
  {
    name: '100 000 multipart fields without a file',
    make: () => post('defectoscopy', '/files', boundary, `${joined(100_000, field)}--x--\r\n`),
    ends: INVALID,
  },
  {
    name: '10 000 files in one upload',
    make: () => post('passports', '/upload', boundary, `${fileOf('').repeat(10_000)}--x--\r\n`),
    ends: TOO_LARGE,
  },
  {
    name: 'a multipart part with 10 MiB of headers',
    make: () => post('passports', '/upload', boundary, `${fileOf(`X-A: ${filled(10 * MIB, 'a')}\r\n`)}--x--\r\n`),
    ends: '400 EMPTY_FILE',
  },
  {
    name: 'a multipart part with a million headers',
    make: () => post('passports', '/upload', boundary, `${fileOf('X-A: b\r\n'.repeat(1_000_000))}--x--\r\n`),
    ends: '400 EMPTY_FILE',
  },
  {
    name: 'a multipart body without a boundary',
    make: () => post('defectoscopy', '/files', boundary, filled(10 * MIB, '\r\n--')),
    ends: INVALID,
  },
  {
    name: 'a multipart body without an end',
    make: () => post('defectoscopy', '/files', boundary, fileOf('', '\r\n--'.repeat(MIB))),
    ends: '400 BAD_REQUEST',
  },
];

const login = (form: string) => post('catalog', '/login', 'application/x-www-form-urlencoded', form);

const get = (to: RawRequest['to'], path: string, ...headers: string[]) => request(to, `GET ${path}`, headers);
/** A header close to the limit of all headers together. */
const long = (name: string, text: string) => `${name}: ${text.repeat(Math.floor(15_000 / text.length))}`;

const HEADERS: readonly HostileRequest[] = [
  {
    name: 'a GET request with 1 MiB of headers',
    make: () => get('defectoscopy', '/livez', `X-A: ${filled(MIB, 'a')}`),
    ends: '431 HEADERS_TOO_LARGE',
  },
  {
    name: 'a HEAD request with 20 KB of headers',
    make: () => request('defectoscopy', 'HEAD /livez', [`X-A: ${filled(20_000, 'a')}`]),
    ends: '431',
  },
  { name: '3000 headers', make: () => get('defectoscopy', '/livez', ...Array<string>(3000).fill('a:b')), ends: '200' },
  {
    name: 'a URL of 10 000 characters',
    make: () => get('catalog', `/search?q=${'a'.repeat(10_000)}`),
    ends: '414 URI_TOO_LONG',
  },
  { name: '4000 query parameters', make: () => get('catalog', `/search?${'a&'.repeat(4000)}`), ends: '200' },
  {
    name: 'a search for 2600 words',
    make: () => get('catalog', `/search?q=${'ab+'.repeat(2600)}`),
    ends: '422 string_too_long',
  },
  {
    name: 'a search for brackets and stars',
    make: () => get('catalog', `/search?q=${'(a*)*'.repeat(40)}b`),
    ends: '200',
  },
  {
    name: 'thousands of ranges in Range',
    make: () => get('catalog', '/sound/none', long('Range', 'bytes=0-0,')),
    ends: '404 SOUND_NOT_FOUND',
  },
  {
    name: 'thousands of tags in If-None-Match',
    make: () => get('defectoscopy', '/openapi.json', long('If-None-Match', '"",')),
    ends: '200',
  },
  { name: 'thousands of cookies', make: () => get('catalog', '/', long('Cookie', 'a=;')), ends: '200' },
  {
    name: 'thousands of types in Accept',
    make: () => get('catalog', '/nothing', long('Accept', 'a/b;q,')),
    ends: '404 NOT_FOUND',
  },
  {
    name: 'thousands of preferences in Prefer',
    make: () => get('defectoscopy', '/result/01J00000000000000000000000', long('Prefer', ', wait= ')),
    ends: '404 TASK_NOT_FOUND',
  },
  {
    name: 'thousands of languages in Accept-Language',
    make: () => get('catalog', '/', long('Accept-Language', 'ru;q=0,')),
    ends: '200',
  },
  {
    name: 'a chunk extension of 1 MiB',
    make: () => chunked(`1;${'a'.repeat(MIB)}\r\n{\r\n`),
    ends: '400 BAD_REQUEST',
  },
  { name: '60 000 one-byte chunks with extensions', make: () => chunked('1;a\r\n \r\n'.repeat(60_000)), ends: INVALID },
  { name: '60 000 one-byte chunks', make: () => chunked('1\r\n \r\n'.repeat(60_000)), ends: INVALID },
  {
    name: 'a trailer of 1 MiB after the last chunk',
    make: () => chunked(`2\r\n{}\r\n0\r\nX-A: ${'a'.repeat(MIB)}`),
    ends: '431 HEADERS_TOO_LARGE',
  },
  { name: '20 000 pipelined requests', make: () => pipelined(20_000), ends: '200' },
];

const chunked = (body: string) =>
  request(
    'defectoscopy',
    'POST /predict',
    ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
    `${body}0\r\n\r\n`,
  );
const pipelined = (count: number) => {
  const one = Buffer.from('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
  const { to, bytes } = get('defectoscopy', '/livez');
  return { to, bytes: Buffer.concat([Buffer.alloc(count * one.length, one), bytes]) };
};

export const REQUESTS = [...BODIES, ...TABLES, ...FORMS, ...HEADERS];
