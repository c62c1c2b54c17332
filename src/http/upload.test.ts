import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { BEARER, rawConnection, testGateway } from '../../test/support/gateway.ts';
import { success } from './envelope.ts';
import type { Gateway } from './gateway.ts';
import { DEFAULT_TIMEOUTS } from './server-limits.ts';
import { acceptUploads, readUpload } from './upload.ts';

let app: Gateway;
afterEach(() => app?.close());

const MAX_BYTES = 200_000;

async function serving() {
  ({ app } = await testGateway({ timeouts: { ...DEFAULT_TIMEOUTS, lingerMs: 300 } }, async (gateway) => {
    await gateway.register(async (scope) => {
      await acceptUploads(scope);
      scope.post('/files', { config: { access: 'bearer' } }, async (request, answer) => {
        const bytes = await buffer((await readUpload(request, { maxBytes: MAX_BYTES })).bytes);
        return answer.code(201).send(success({ size: bytes.length, sha256: sha256(bytes) }));
      });
    });
  }));
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, i) => (i * 7) % 256));
const whole = { size: bytes.length, sha256: sha256(bytes) };

function form(parts: [name: string, type: string | undefined, content: Buffer | string][]) {
  const body = parts.flatMap(([name, type, content]) => [
    `--edge\r\nContent-Disposition: form-data; name="${name}"${type ? `; filename="a"\r\nContent-Type: ${type}` : ''}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  const payload = Buffer.concat([...body, '--edge--\r\n'].map((part) => Buffer.from(part)));
  return { headers: { ...BEARER, 'content-type': 'multipart/form-data; boundary=edge' }, payload };
}
const send = (options: { headers: Record<string, string>; payload: Buffer | string }) =>
  app.inject({ method: 'POST', url: '/files', ...options });
const raw = (type: string | undefined, payload: Buffer | string) =>
  send({ headers: { ...BEARER, ...(type !== undefined && { 'content-type': type }) }, payload });
const result = (answer: Awaited<ReturnType<typeof send>>) => [answer.statusCode, answer.json().error?.code];

describe('POST /files', () => {
  it('accepts a raw body of any declared type', async () => {
    await serving();
    for (const type of ['image/png', 'Audio/WAV; rate=8000', 'application/json', 'text/html', undefined]) {
      expect((await raw(type, bytes)).json(), type).toEqual({ ok: true, data: whole });
    }
  });

  it('accepts one multipart part named file among other fields, also long ones', async () => {
    await serving();
    const answer = await send(
      form([
        ['note', undefined, 'hello'.repeat(1000)],
        ['file', 'image/png', bytes],
        ['more', undefined, 'x'],
      ]),
    );
    expect(answer.json()).toEqual({ ok: true, data: whole });
  });

  it.each(['file', 'other'])('rejects a form whose second file has the name %s', async (name) => {
    await serving();
    const answer = await send(
      form([
        ['file', 'image/png', bytes],
        ['note', undefined, 'x'],
        [name, 'image/png', 'second'],
      ]),
    );
    expect(result(answer)).toEqual([422, 'VALIDATION_ERROR']);
    expect(answer.json().error.message).toContain('must contain one file');
  });

  it.each(['before', 'after'])('names the limit to a form with 17 fields %s its file', async (place) => {
    await serving();
    const file: Parameters<typeof form>[0] = [['file', 'image/png', bytes]];
    const fields = (count: number): typeof file => Array.from({ length: count }, (_, i) => [`f${i}`, undefined, 'x']);
    const sendWith = (count: number) =>
      send(form(place === 'before' ? [...fields(count), ...file] : [...file, ...fields(count)]));
    expect((await sendWith(16)).statusCode).toBe(201);
    const answer = await sendWith(17);
    expect(result(answer)).toEqual([422, 'VALIDATION_ERROR']);
    expect(answer.json().error.message).toContain('A form has at most 16 fields');
  });

  it('rejects a form without a file and an incomplete form', async () => {
    await serving();
    expect(result(await send(form([['note', undefined, 'x']])))).toEqual([422, 'VALIDATION_ERROR']);
    expect(result(await send(form([['picture', 'image/png', 'x']])))).toEqual([422, 'VALIDATION_ERROR']);
    const incomplete = form([['file', 'image/png', bytes]]);
    expect((await send({ ...incomplete, payload: incomplete.payload.subarray(0, 90_000) })).statusCode).toBe(400);
    const noBoundary = { headers: { ...BEARER, 'content-type': 'multipart/form-data' }, payload: 'x' };
    expect(result(await send(noBoundary))).toEqual([422, 'VALIDATION_ERROR']);
    expect(result(await send({ headers: BEARER, payload: '' }))).toEqual([422, 'VALIDATION_ERROR']);
  });

  it('rejects a form that ends before its file is read, without crashing', async () => {
    ({ app } = await testGateway({}, async (gateway) => {
      await gateway.register(async (scope) => {
        await acceptUploads(scope);
        scope.post('/files', { config: { access: 'bearer' } }, async (request) => {
          const { bytes: upload } = await readUpload(request, { maxBytes: MAX_BYTES });
          await new Promise(setImmediate); // like a store that creates a folder first
          return success({ size: (await buffer(upload)).length });
        });
      });
    }));
    const { headers, payload } = form([['file', 'image/png', 'short']]);
    const complete = payload.length - '\r\n--edge--\r\n'.length;
    for (let length = payload.indexOf('\r\n\r\n') + 4; length <= complete; length++) {
      const { statusCode } = await send({ headers, payload: payload.subarray(0, length) });
      expect([400, 422], `${length} bytes`).toContain(statusCode);
    }
  });

  it('returns 413 for one byte more than the limit', async () => {
    await serving();
    expect((await raw('image/png', Buffer.alloc(MAX_BYTES))).statusCode).toBe(201);
    expect(result(await raw('image/png', Buffer.alloc(MAX_BYTES + 1)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await send(form([['file', 'image/png', Buffer.alloc(MAX_BYTES)]]))).statusCode).toBe(201);
    expect(result(await send(form([['file', 'image/png', Buffer.alloc(MAX_BYTES + 1)]])))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
  });

  it.each([
    ['a declared length', 'Content-Type: image/png\r\nContent-Length: 1000000000\r\n', (bytes: string) => bytes],
    [
      'chunks',
      'Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n',
      (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`,
    ],
  ])('returns 413 while a body with %s is still being sent', async (_name, headers, framed) => {
    await serving();
    const { socket, received } = await rawConnection(app);
    socket.write(`POST /files HTTP/1.1\r\nHost: a\r\nAuthorization: ${BEARER.authorization}\r\n${headers}\r\n`);
    const sending = setInterval(() => socket.writable && socket.write(framed('x'.repeat(20_000))), 5);
    const answer = await received(6000);
    clearInterval(sending);
    expect(answer).toContain('HTTP/1.1 413');
    expect(answer).toContain('PAYLOAD_TOO_LARGE');
  });

  it('checks the token before it reads the file', async () => {
    await serving();
    expect(result(await send({ headers: { 'content-type': 'image/png' }, payload: bytes }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
  });
});
