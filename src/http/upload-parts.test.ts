import { afterAll, beforeAll, expect, it } from 'vitest';
import { testGateway } from '../../test/support/gateway.ts';
import { success } from './envelope.ts';
import type { Gateway } from './gateway.ts';
import { acceptUploads } from './upload.ts';
import { uploadParts } from './upload-parts.ts';

const LIMITS = { maxFiles: 2, maxFileBytes: 1000, maxTotalBytes: 1500 };

let app: Gateway;
beforeAll(async () => {
  const started = await testGateway({}, async (gateway) => {
    await gateway.register(async (scope) => {
      await acceptUploads(scope);
      scope.post<{ Querystring: { read?: string } }>('/parts', { config: { access: 'public' } }, async (request) => {
        let bytes = 0;
        for await (const part of uploadParts(request, LIMITS)) {
          if (part.kind === 'field' || request.query.read === 'nothing') continue;
          for await (const piece of part.bytes) bytes += (piece as Buffer).length;
        }
        return success(bytes);
      });
    });
  });
  app = started.app;
});
afterAll(() => app.close());

const PART = '--x\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\n';
const post = (payload: string, { boundary = 'x', read = 'all' } = {}) =>
  app.inject({
    method: 'POST',
    url: `/parts?read=${read}`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload,
  });

it('multipart files can be read completely or skipped', async () => {
  const body = `${PART}abc\r\n${PART}de\r\n--x--\r\n`;
  expect((await post(body)).json()).toMatchObject({ data: 5 });
  expect((await post(body, { read: 'nothing' })).json()).toMatchObject({ data: 0 });
});

it.each<[string, string, string?]>([
  ['that ends in the middle of a file', `${PART}abc`],
  ['that ends in the middle of the second file', `${PART}abc\r\n${PART}de`],
  ['that ends in the middle of a boundary', `${PART}abc\r\n--`],
  ['that ends in the middle of a head', '--x\r\ncontent-disposition: form-'],
  ['with a boundary that is too long', `${PART}abc\r\n--x--\r\n`, 'x'.repeat(300)],
  ['with another boundary', `${PART}abc\r\n--x--\r\n`, 'y'],
])('a multipart body %s is malformed, whether its files are read or not', async (_, body, boundary = 'x') => {
  for (const read of ['all', 'nothing']) expect((await post(body, { boundary, read })).statusCode).toBe(422);
});
