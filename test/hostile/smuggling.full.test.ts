import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Product, startProduct, TOKEN } from '../support/product.ts';

// Sends raw bytes to the listener. Bytes that a proxy treats as a request body must never be executed as a second request
// (RFC 9112 §11.2).
let product: Product;
beforeAll(async () => {
  product = await startProduct({ roles: [], env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
});
afterAll(() => product.stop());
beforeEach(() => product.database.db.query('delete from tasks'));

const SMUGGLED = 'https://storage-1.example.com/smuggled.jpg';
const body = JSON.stringify({ image_url: SMUGGLED });
const AUTHORIZED = `Host: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
/** A request that creates a task, which reveals whether the server executed it. */
const HIDDEN = `POST /predict HTTP/1.1\r\n${AUTHORIZED}Content-Length: ${body.length}\r\n\r\n${body}`;
const post = (...lines: string[]) => `POST /predict HTTP/1.1\r\n${AUTHORIZED}${lines.join('\r\n')}\r\n\r\n`;
const get = (...lines: string[]) => `GET /livez HTTP/1.1\r\n${['Host: a', ...lines].join('\r\n')}\r\n\r\n`;
const LAST = get('Connection: close');

/** Sends the bytes and a last request that closes the connection; returns all response statuses. */
async function send(...bytes: (string | Buffer)[]): Promise<{ statuses: number[]; text: string }> {
  const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  socket.on('error', () => {});
  for (const part of [...bytes, LAST]) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
  await once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status)), text };
}

const smuggled = async () =>
  (await product.database.db.query('select from tasks where input::text like $1', ['%smuggled%'])).rowCount;

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const LENGTH = `Content-Length: ${HIDDEN.length}`;
const TWO_WAYS = `Content-Length: ${5 + HIDDEN.length}`;

describe('A request with an ambiguous length', () => {
  // Title, head, and the bytes after the head.
  it.each<[string, string, string?]>([
    ['Content-Length before Transfer-Encoding (CL.TE)', post(TWO_WAYS, 'Transfer-Encoding: chunked')],
    ['Transfer-Encoding before Content-Length (TE.CL)', post('Transfer-Encoding: chunked', 'Content-Length: 4')],
    ['upper-case Transfer-Encoding with a Content-Length', post('TRANSFER-ENCODING: CHUNKED', TWO_WAYS)],
    ['a tab before "chunked" with a Content-Length', post('Transfer-Encoding:\tchunked', TWO_WAYS)],
    ['a transfer coding that starts with "chunked"', post('Transfer-Encoding: chunkedx', TWO_WAYS)],
    ['a transfer coding that ends with "chunked"', post('Transfer-Encoding: xchunked', TWO_WAYS)],
    ['an unknown transfer coding', post('Transfer-Encoding: cow')],
    ['an unknown transfer coding after "chunked"', post('Transfer-Encoding: chunked, cow')],
    ['"chunked" twice', post('Transfer-Encoding: chunked, chunked', TWO_WAYS)],
    ['"identity" after "chunked"', post('Transfer-Encoding: chunked, identity')],
    ['"identity" with a Content-Length', post('Transfer-Encoding: identity', TWO_WAYS)],
    ['two Transfer-Encoding lines, "chunked" first', post('Transfer-Encoding: chunked', 'Transfer-Encoding: cow')],
    [
      'two Transfer-Encoding lines, "chunked" last',
      post('Transfer-Encoding: cow', 'Transfer-Encoding: chunked', TWO_WAYS),
    ],
    ['a quoted transfer coding', post('Transfer-Encoding: "chunked"', TWO_WAYS)],
    ['an empty Transfer-Encoding', post('Transfer-Encoding:', TWO_WAYS)],
    ['a space before the colon', post('Transfer-Encoding : chunked', TWO_WAYS)],
    ['a tab before the colon', post('Transfer-Encoding\t: chunked', TWO_WAYS)],
    ['a space before the name', post(' Transfer-Encoding: chunked', TWO_WAYS)],
    ['a Transfer-Encoding whose value is on the next line', post('Transfer-Encoding:', ' chunked', TWO_WAYS)],
    ['a folded Transfer-Encoding value', post('Transfer-Encoding: cow,', '\tchunked', TWO_WAYS)],
    ['a bare line feed before Transfer-Encoding', post('X: y\nTransfer-Encoding: chunked', TWO_WAYS)],
    ['a bare carriage return before Transfer-Encoding', post('X: y\rTransfer-Encoding: chunked', TWO_WAYS)],
    ['a NUL byte in the transfer coding', post('Transfer-Encoding: chun\0ked', TWO_WAYS)],
    ['a NUL byte in the name Transfer-Encoding', post('Transfer-Encoding\0: chunked', TWO_WAYS)],
    ['a vertical tab before the transfer coding', post('Transfer-Encoding: \vchunked', TWO_WAYS)],
    ['a no-break space before the transfer coding', post('Transfer-Encoding: \xa0chunked', TWO_WAYS)],
    ['two different Content-Length lines', post(LENGTH, 'Content-Length: 0')],
    ['two different lengths in one Content-Length', post(`${LENGTH}, 0`)],
    ['the same Content-Length twice', post(LENGTH, LENGTH)],
    ['the same length twice in one Content-Length', post(`Content-Length: ${HIDDEN.length}, ${HIDDEN.length}`)],
    ['a Content-Length with a plus sign', post(`Content-Length: +${HIDDEN.length}`)],
    ['a negative Content-Length', post('Content-Length: -1')],
    ['a hexadecimal Content-Length', post('Content-Length: 0x10')],
    ['a Content-Length with an underscore', post('Content-Length: 1_0')],
    ['a Content-Length with an inner space', post('Content-Length: 1 0')],
    ['a Content-Length with a decimal point', post('Content-Length: 5.0')],
    ['a Content-Length in non-ASCII digits', post('Content-Length: \xb2')],
    ['an empty Content-Length', post('Content-Length:')],
    ['a Content-Length above 64 bits', post('Content-Length: 18446744073709551621')],
    ['a folded Content-Length', post('Content-Length:', ` ${HIDDEN.length}`)],
    ['a chunk size with a sign', post('Transfer-Encoding: chunked'), '+5\r\nhello\r\n0\r\n\r\n'],
    ['a negative chunk size', post('Transfer-Encoding: chunked'), '-1\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size with 0x', post('Transfer-Encoding: chunked'), '0x5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size after a space', post('Transfer-Encoding: chunked'), ' 5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size above 64 bits', post('Transfer-Encoding: chunked'), '10000000000000005\r\nhello\r\n0\r\n\r\n'],
    ['an empty chunk size', post('Transfer-Encoding: chunked'), '\r\nhello\r\n0\r\n\r\n'],
    ['a bare line feed after a chunk size', post('Transfer-Encoding: chunked'), '5\nhello\r\n0\r\n\r\n'],
    ['a bare line feed after a chunk', post('Transfer-Encoding: chunked'), '5\r\nhello\n0\r\n\r\n'],
    ['a chunk without a line end', post('Transfer-Encoding: chunked'), '5\r\nhello0\r\n\r\n'],
    ['a bare line feed after the last chunk', post('Transfer-Encoding: chunked'), '5\r\nhello\r\n0\n\n'],
    ['a chunk longer than its declared size', post('Transfer-Encoding: chunked'), `5\r\nhello, more\r\n0\r\n\r\n`],
    ['a NUL byte in a chunk extension', post('Transfer-Encoding: chunked'), '5;a\0b\r\nhello\r\n0\r\n\r\n'],
    ['a Content-Length trailer', post('Transfer-Encoding: chunked'), '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n'],
    [
      'a Transfer-Encoding trailer',
      post('Transfer-Encoding: chunked'),
      '2\r\n{}\r\n0\r\nTransfer-Encoding: cow\r\n\r\n',
    ],
    ['a line feed in a chunk extension', post('Transfer-Encoding: chunked'), '5;a\nb\r\nhello\r\n0\r\n\r\n'],
  ])('is rejected with 400 and the connection is closed: %s', async (_, head, follows = '0\r\n\r\n') => {
    const { statuses, text } = await send(head, follows, HIDDEN);
    expect(statuses, text).toEqual([400]);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(text).toContain('"code":"BAD_REQUEST"');
    expect(await smuggled()).toBe(0);
  });
});

describe('A malformed request', () => {
  it.each<[string, string, number]>([
    ['HTTP/0.9', 'GET /livez\r\n', 400],
    ['HTTP/0.9 with a version', 'GET /livez HTTP/0.9\r\n\r\n', 400],
    ['HTTP/1.2', 'GET /livez HTTP/1.2\r\nHost: a\r\n\r\n', 400],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['HTTP/2.0 in the request line', 'GET /livez HTTP/2.0\r\nHost: a\r\n\r\n', 400],
    ['characters after the HTTP version', 'GET /livez HTTP/1.1x\r\nHost: a\r\n\r\n', 400],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['an SSH banner', 'SSH-2.0-OpenSSH_9.6\r\n', 400],
    ['a lower-case method', 'get /livez HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['an unknown method', 'SMUGGLE /livez HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a tab after the method', 'GET\t/livez HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a line feed in the path', 'GET /live\nz HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a NUL byte in the path', 'GET /live\0z HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a space in the path', 'GET /live z HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['no Host header', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    ['two different Host headers', 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['the same Host header twice', 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 400],
    ['a header line without a colon', get('X-Header'), 400],
    ['a header line without a name', get(': x'), 400],
    ['a space in a header name', get('X Header: y'), 400],
    ['a NUL byte in a header name', get('X\0: y'), 400],
    ['a NUL byte in a header value', get('X: a\0b'), 400],
    ['a BEL byte in a header value', get('X: a\x07b'), 400],
    ['a carriage return in a header value', get('X: a\rb'), 400],
    ['a line feed in a header value', get('X: a\nY: b'), 400],
    ['a non-ASCII header name', get('\xdcber: x'), 400],
    ['a folded header value', get('X: a', ' b'), 400],
    ['an authority-form target with GET', 'GET storage.example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a path without a leading slash', 'GET livez HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['3000 headers', get(...Array.from({ length: 3000 }, (_, i) => `X-${i}: ${i}`)), 431],
    ['a header of 20 000 characters', get(`X: ${'x'.repeat(20_000)}`), 431],
    ['a path of 20 000 characters', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['a chunk extension of 20 000 characters', `${post('Transfer-Encoding: chunked')}5;${'x'.repeat(20_000)}\r\n`, 400],
  ])('is rejected and the connection is closed: %s', async (_, bytes, status) => {
    const { statuses, text } = await send(bytes, HIDDEN);
    expect(statuses, text).toEqual([status]);
    expect(await smuggled()).toBe(0);
  });

  it('is not accepted as a tunnel: CONNECT', async () => {
    const { statuses } = await send('CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n', HIDDEN);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(await smuggled()).toBe(0);
  });
});

describe('A request hidden inside another request', () => {
  const withHiddenBody = (line: string, ...more: string[]) =>
    `${line} HTTP/1.1\r\n${['Host: a', 'Content-Type: application/json', LENGTH, ...more].join('\r\n')}\r\n\r\n${HIDDEN}`;
  const authorization = `Authorization: Bearer ${TOKEN}`;

  it.each<[string, string, number]>([
    [
      'in the body of a request with a wrong token',
      withHiddenBody('POST /predict', 'Authorization: Bearer wrong'),
      401,
    ],
    ['in the body of a request without a token', withHiddenBody('POST /predict'), 401],
    ['in the body of a request to an unknown path', withHiddenBody('POST /nothing', authorization), 404],
    ['in the body of a request with a wrong method', withHiddenBody('PUT /predict', authorization), 405],
    [
      'in the body of a request with a wrong content type',
      withHiddenBody('POST /predict', authorization).replace('application/json', 'text/html'),
      415,
    ],
    ['in a body that is not JSON', withHiddenBody('POST /predict', authorization), 422],
    ['in the body of GET', withHiddenBody('GET /livez'), 200],
    ['in the body of HEAD', withHiddenBody('HEAD /livez'), 200],
    ['in the body of DELETE', withHiddenBody('DELETE /livez'), 405],
    ['in the body of OPTIONS', withHiddenBody('OPTIONS /predict'), 204],
    [
      'in the body of a route that takes no body',
      withHiddenBody('POST /result/01J00000000000000000000000/cancel', authorization),
      404,
    ],
    [
      'in the body of an upgrade to HTTP/2',
      withHiddenBody(
        'GET /livez',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQAAP__',
      ),
      200,
    ],
    [
      'in the body of an upgrade to WebSocket',
      withHiddenBody(
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
  ])('is not executed %s', async (_, bytes, status) => {
    const { statuses, text } = await send(bytes);
    // The connection either continues with the last request or closes after the error.
    expect([[status], [status, 200]], text).toContainEqual(statuses);
    expect(await smuggled()).toBe(0);
  });

  it('is not executed through method or path override headers', async () => {
    const override = [
      'X-HTTP-Method-Override: DELETE',
      'X-Method-Override: DELETE',
      'X-Original-URL: /predict',
      'X-Rewrite-URL: /predict',
    ];
    expect((await send(get(...override))).statuses).toEqual([200, 200]);
  });
});

describe('On a keep-alive connection, the server', () => {
  it('answers nothing after a malformed request', async () => {
    const bad = get('Transfer-Encoding : chunked');
    const { statuses } = await send(get(), get(), bad, HIDDEN, get());
    // The error may close the connection before earlier responses are sent.
    expect([[200, 200, 400], [200, 200], [200], []]).toContainEqual(statuses);
    expect(await smuggled()).toBe(0);
  });

  it('answers pipelined requests in order', async () => {
    const { text } = await send(get('X-Request-ID: first'), get('X-Request-ID: second'));
    expect([...text.matchAll(/^x-request-id: (\S+)\r$/gim)].map(([, id]) => id).slice(0, 2)).toEqual([
      'first',
      'second',
    ]);
  });

  it('rejects an unauthorized request with Expect: 100-continue, and unknown expectations with 417', async () => {
    const bytes = `POST /predict HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n${LENGTH}\r\n\r\n`;
    const { statuses } = await send(bytes, HIDDEN);
    expect(statuses.filter((status) => status !== 100)).toContain(401);
    expect(await smuggled()).toBe(0);
    expect((await send(get('Expect: the-unexpected'))).statuses[0]).toBe(417);
  });

  it('handles an absolute-form target without an internal error', async () => {
    const { statuses } = await send('GET http://evil.example.com/livez HTTP/1.1\r\nHost: a\r\n\r\n');
    expect([200, 400, 404]).toContain(statuses[0]);
    expect(statuses).not.toContain(500);
  });
});
