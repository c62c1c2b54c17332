import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Product, startProduct, TOKEN } from '../helpers/product.ts';

// Bytes as no client library would send them, to the real listener. A proxy in front may read them in another way: what it
// takes for the body of one request must never be answered here as a second one (RFC 9112 §11.2).
let product: Product;
beforeAll(async () => {
  product = await startProduct({ roles: [], env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
});
afterAll(() => product.stop());
beforeEach(() => product.database.db.query('delete from tasks'));

const SMUGGLED = 'https://storage-1.example.com/smuggled.jpg';
const body = JSON.stringify({ image_url: SMUGGLED });
const AUTHORIZED = `Host: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
/** A request that makes a task: there is one afterwards if anybody takes it for a request. */
const HIDDEN = `POST /predict HTTP/1.1\r\n${AUTHORIZED}Content-Length: ${body.length}\r\n\r\n${body}`;
/** The head of a request to an address that takes a body, with these lines about its length. */
const post = (...lines: string[]) => `POST /predict HTTP/1.1\r\n${AUTHORIZED}${lines.join('\r\n')}\r\n\r\n`;
const get = (...lines: string[]) => `GET /livez HTTP/1.1\r\n${['Host: a', ...lines].join('\r\n')}\r\n\r\n`;
const LAST = get('Connection: close');

/** The statuses of all that was answered until the connection was closed; the last request asks for that. */
async function answersTo(...said: (string | Buffer)[]): Promise<{ statuses: number[]; text: string }> {
  const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  socket.on('error', () => {});
  for (const part of [...said, LAST]) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
  await once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status)), text };
}

const smuggled = async () =>
  (await product.database.db.query('select from tasks where input::text like $1', ['%smuggled%'])).rowCount;

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const LENGTH = `Content-Length: ${HIDDEN.length}`;
const TWO_WAYS = `Content-Length: ${5 + HIDDEN.length}`;

describe('where two readers could disagree about the length, the connection ends with 400', () => {
  // One line each: what stands in the head, and what follows it.
  it.each<[string, string, string?]>([
    ['length first, then chunks (CL.TE)', post(TWO_WAYS, 'Transfer-Encoding: chunked')],
    ['chunks first, then length (TE.CL)', post('Transfer-Encoding: chunked', 'Content-Length: 4')],
    ['chunks in large letters beside a length', post('TRANSFER-ENCODING: CHUNKED', TWO_WAYS)],
    ['chunks behind a tab beside a length', post('Transfer-Encoding:\tchunked', TWO_WAYS)],
    ['a coding that only begins like chunks', post('Transfer-Encoding: chunkedx', TWO_WAYS)],
    ['a coding that only ends like chunks', post('Transfer-Encoding: xchunked', TWO_WAYS)],
    ['a coding nobody knows', post('Transfer-Encoding: cow')],
    ['a coding nobody knows behind chunks', post('Transfer-Encoding: chunked, cow')],
    ['chunks twice', post('Transfer-Encoding: chunked, chunked', TWO_WAYS)],
    ['identity behind chunks', post('Transfer-Encoding: chunked, identity')],
    ['identity beside a length', post('Transfer-Encoding: identity', TWO_WAYS)],
    ['two codings in two lines', post('Transfer-Encoding: chunked', 'Transfer-Encoding: cow')],
    ['two codings in two lines, turned', post('Transfer-Encoding: cow', 'Transfer-Encoding: chunked', TWO_WAYS)],
    ['a coding in quotes', post('Transfer-Encoding: "chunked"', TWO_WAYS)],
    ['no coding at all', post('Transfer-Encoding:', TWO_WAYS)],
    ['a space before the colon', post('Transfer-Encoding : chunked', TWO_WAYS)],
    ['a tab before the colon', post('Transfer-Encoding\t: chunked', TWO_WAYS)],
    ['a space before the name', post(' Transfer-Encoding: chunked', TWO_WAYS)],
    ['the name on one line and its value on the next', post('Transfer-Encoding:', ' chunked', TWO_WAYS)],
    ['a folded value', post('Transfer-Encoding: cow,', '\tchunked', TWO_WAYS)],
    ['a bare line feed before it', post('X: y\nTransfer-Encoding: chunked', TWO_WAYS)],
    ['a bare carriage return before it', post('X: y\rTransfer-Encoding: chunked', TWO_WAYS)],
    ['a nought byte in it', post('Transfer-Encoding: chun\0ked', TWO_WAYS)],
    ['a nought byte in its name', post('Transfer-Encoding\0: chunked', TWO_WAYS)],
    ['a vertical tab in it', post('Transfer-Encoding: \vchunked', TWO_WAYS)],
    ['a no-break space in it', post('Transfer-Encoding: \xa0chunked', TWO_WAYS)],
    ['two lengths', post(LENGTH, 'Content-Length: 0')],
    ['two lengths in one line', post(`${LENGTH}, 0`)],
    ['the same length twice', post(LENGTH, LENGTH)],
    ['the same length twice in one line', post(`Content-Length: ${HIDDEN.length}, ${HIDDEN.length}`)],
    ['a length with a plus', post(`Content-Length: +${HIDDEN.length}`)],
    ['a length below nought', post('Content-Length: -1')],
    ['a hexadecimal length', post('Content-Length: 0x10')],
    ['a length with an underscore', post('Content-Length: 1_0')],
    ['a length with a space inside', post('Content-Length: 1 0')],
    ['a length with a point', post('Content-Length: 5.0')],
    ['a length in other digits', post('Content-Length: \xb2')],
    ['no length where one is announced', post('Content-Length:')],
    ['a length beyond 64 bits', post('Content-Length: 18446744073709551621')],
    ['a folded length', post('Content-Length:', ` ${HIDDEN.length}`)],
    ['a chunk size with a sign', post('Transfer-Encoding: chunked'), '+5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size below nought', post('Transfer-Encoding: chunked'), '-1\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size with 0x', post('Transfer-Encoding: chunked'), '0x5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size with a space before', post('Transfer-Encoding: chunked'), ' 5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size beyond 64 bits', post('Transfer-Encoding: chunked'), '10000000000000005\r\nhello\r\n0\r\n\r\n'],
    ['no chunk size', post('Transfer-Encoding: chunked'), '\r\nhello\r\n0\r\n\r\n'],
    ['a bare line feed behind a chunk size', post('Transfer-Encoding: chunked'), '5\nhello\r\n0\r\n\r\n'],
    ['a bare line feed behind a chunk', post('Transfer-Encoding: chunked'), '5\r\nhello\n0\r\n\r\n'],
    ['nothing behind a chunk', post('Transfer-Encoding: chunked'), '5\r\nhello0\r\n\r\n'],
    ['a bare line feed behind the last chunk', post('Transfer-Encoding: chunked'), '5\r\nhello\r\n0\n\n'],
    ['a chunk longer than it says', post('Transfer-Encoding: chunked'), `5\r\nhello, more\r\n0\r\n\r\n`],
    ['a nought byte in what extends a chunk', post('Transfer-Encoding: chunked'), '5;a\0b\r\nhello\r\n0\r\n\r\n'],
    ['a length behind the last chunk', post('Transfer-Encoding: chunked'), '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n'],
    [
      'a coding behind the last chunk',
      post('Transfer-Encoding: chunked'),
      '2\r\n{}\r\n0\r\nTransfer-Encoding: cow\r\n\r\n',
    ],
    ['a line feed in what extends a chunk', post('Transfer-Encoding: chunked'), '5;a\nb\r\nhello\r\n0\r\n\r\n'],
  ])('%s', async (_, head, follows = '0\r\n\r\n') => {
    const { statuses, text } = await answersTo(head, follows, HIDDEN);
    expect(statuses, text).toEqual([400]);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(text).toContain('"code":"BAD_REQUEST"');
    expect(await smuggled()).toBe(0);
  });
});

describe('what is no request ends the connection', () => {
  it.each<[string, string, number]>([
    ['HTTP/0.9', 'GET /livez\r\n', 400],
    ['HTTP/0.9, said aloud', 'GET /livez HTTP/0.9\r\n\r\n', 400],
    ['HTTP/1.2', 'GET /livez HTTP/1.2\r\nHost: a\r\n\r\n', 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['HTTP/2 over a request line', 'GET /livez HTTP/2.0\r\nHost: a\r\n\r\n', 400],
    ['a version that goes on', 'GET /livez HTTP/1.1x\r\nHost: a\r\n\r\n', 400],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', 400],
    ['a method in small letters', 'get /livez HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a method nobody knows', 'SMUGGLE /livez HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a method with a tab behind', 'GET\t/livez HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a line feed in the address', 'GET /live\nz HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a nought byte in the address', 'GET /live\0z HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a space in the address', 'GET /live z HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    ['two hosts', 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['the same host twice', 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 400],
    ['a line without a colon', get('X-Header'), 400],
    ['a line without a name', get(': x'), 400],
    ['a space in a name', get('X Header: y'), 400],
    ['a nought byte in a name', get('X\0: y'), 400],
    ['a nought byte in a value', get('X: a\0b'), 400],
    ['a bell in a value', get('X: a\x07b'), 400],
    ['a carriage return in a value', get('X: a\rb'), 400],
    ['a line feed in a value', get('X: a\nY: b'), 400],
    ['a name that is no ASCII', get('\xdcber: x'), 400],
    ['a folded value', get('X: a', ' b'), 400],
    ['an authority', 'GET storage.example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['an address that begins with nothing', 'GET livez HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a flood of headers', get(...Array.from({ length: 3000 }, (_, i) => `X-${i}: ${i}`)), 431],
    ['one endless header', get(`X: ${'x'.repeat(20_000)}`), 431],
    ['an endless address', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['what extends a chunk, without end', `${post('Transfer-Encoding: chunked')}5;${'x'.repeat(20_000)}\r\n`, 400],
  ])('%s', async (_, said, status) => {
    const { statuses, text } = await answersTo(said, HIDDEN);
    expect(statuses, text).toEqual([status]);
    expect(await smuggled()).toBe(0);
  });

  it('a tunnel is not opened', async () => {
    const { statuses } = await answersTo('CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n', HIDDEN);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(await smuggled()).toBe(0);
  });
});

describe('a request inside the body of another is that body and nothing more', () => {
  const inside = (line: string, ...more: string[]) =>
    `${line} HTTP/1.1\r\n${['Host: a', 'Content-Type: application/json', LENGTH, ...more].join('\r\n')}\r\n\r\n${HIDDEN}`;
  const good = `Authorization: Bearer ${TOKEN}`;

  it.each<[string, string, number]>([
    ['behind a wrong token', inside('POST /predict', 'Authorization: Bearer wrong'), 401],
    ['behind no token', inside('POST /predict'), 401],
    ['behind an address that is not there', inside('POST /nothing', good), 404],
    ['behind a wrong method', inside('PUT /predict', good), 405],
    ['behind a wrong type', inside('POST /predict', good).replace('application/json', 'text/html'), 415],
    ['that is no JSON', inside('POST /predict', good), 422],
    ['behind GET', inside('GET /livez'), 200],
    ['behind HEAD', inside('HEAD /livez'), 200],
    ['behind DELETE', inside('DELETE /livez'), 405],
    ['behind OPTIONS', inside('OPTIONS /predict'), 204],
    ['of a route without a body', inside('POST /result/01J00000000000000000000000/cancel', good), 404],
    [
      'behind an offer of HTTP/2',
      inside('GET /livez', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
      200,
    ],
    [
      'behind an offer of WebSocket',
      inside(
        'GET /livez',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version: 13',
      ),
      200,
    ],
    ['in chunks', `${post('Transfer-Encoding: chunked')}${chunk(HIDDEN)}0\r\n\r\n`, 422],
    ['in trailers', `${post('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\nX-Smuggled: ${body}\r\n\r\n`, 422],
    ['in a query', `GET /livez?${encodeURIComponent(HIDDEN)} HTTP/1.1\r\nHost: a\r\n\r\n`, 200],
  ])('%s', async (_, said, status) => {
    const { statuses, text } = await answersTo(said);
    // The connection either goes on behind the body, to the last request, or ends with the refusal.
    expect([[status], [status, 200]], text).toContainEqual(statuses);
    expect(await smuggled()).toBe(0);
  });

  it('whatever method changes nothing by what a header says of it', async () => {
    const override = [
      'X-HTTP-Method-Override: DELETE',
      'X-Method-Override: DELETE',
      'X-Original-URL: /predict',
      'X-Rewrite-URL: /predict',
    ];
    expect((await answersTo(get(...override))).statuses).toEqual([200, 200]);
  });
});

describe('on a connection that was good before', () => {
  it('what came before an error is answered, the error too, and nothing after it', async () => {
    const bad = get('Transfer-Encoding : chunked');
    const { statuses } = await answersTo(get(), get(), bad, HIDDEN, get());
    // Sent at one go, the error may end the connection before the answers are out.
    expect([[200, 200, 400], [200, 200], [200], []]).toContainEqual(statuses);
    expect(await smuggled()).toBe(0);
  });

  it('an answer belongs to its request, in their order', async () => {
    const { text } = await answersTo(get('X-Request-ID: first'), get('X-Request-ID: second'));
    expect([...text.matchAll(/^x-request-id: (\S+)\r$/gim)].map(([, id]) => id).slice(0, 2)).toEqual([
      'first',
      'second',
    ]);
  });

  it('nobody is promised to go on with what will be refused', async () => {
    const said = `POST /predict HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n${LENGTH}\r\n\r\n`;
    const { statuses } = await answersTo(said, HIDDEN);
    expect(statuses.filter((status) => status !== 100)).toContain(401);
    expect(await smuggled()).toBe(0);
    expect((await answersTo(get('Expect: the-unexpected'))).statuses[0]).toBe(417);
  });

  it('an absolute address names a path here, whatever host it says', async () => {
    const { statuses } = await answersTo('GET http://evil.example.com/livez HTTP/1.1\r\nHost: a\r\n\r\n');
    expect([200, 400, 404]).toContain(statuses[0]);
    expect(statuses).not.toContain(500);
  });
});
