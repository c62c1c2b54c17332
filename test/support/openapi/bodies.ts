import fc, { type Arbitrary } from 'fast-check';
import { hostileText, jsonText, percentEncode, toWellFormed } from './values.ts';

type Json = any;

export type Content = { readonly headers: Record<string, string>; readonly body?: Buffer };

/** Unexpected bodies for operations that take none. */
export const unexpectedBodies = (method: string): Arbitrary<Content> =>
  method === 'get'
    ? fc.constant({ headers: {} })
    : fc.constantFrom<Content>(
        { headers: {} },
        { headers: {}, body: Buffer.from('') },
        { headers: { 'content-type': 'application/json' }, body: Buffer.from('{') },
        { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"__proto__":null}') },
        { headers: { 'content-type': 'nonsense' }, body: Buffer.from('a=b') },
        { headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(100_000, 97) },
      );

const TYPES = [
  ...[
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=utf-16',
    'APPLICATION/JSON',
    'application/json;',
    'application/json; charset=x; charset=y',
  ],
  ...[
    'text/json',
    'application/jsonp',
    'application/problem+json',
    'text/plain',
    'text/html',
    '',
    ';',
    '/',
    'a',
    'application/',
    'multipart/form-data',
    'multipart/form-data; boundary=',
  ],
  ...[
    'multipart/mixed; boundary=x',
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=koi8-r',
    'application/octet-stream',
    'image/svg+xml',
    'text/csv',
    'text/csv; charset=utf-16le',
  ],
];

/** Bodies of an operation: valid, with a wrong type or encoding, or without bytes. */
export function requestBodies(content: Json, files: readonly Buffer[]): Arbitrary<Content> {
  const valid = Object.entries<Json>(content).map(([type, described]) => bodyOf(type, described, files));
  const either = fc.oneof(...valid);
  return fc.oneof(
    { weight: 8, arbitrary: either },
    {
      weight: 2,
      arbitrary: fc
        .tuple(either, fc.constantFrom(...TYPES))
        .map(([{ body }, type]) => ({ headers: { 'content-type': type }, ...(body && { body }) })),
    },
    {
      weight: 1,
      arbitrary: either.map(({ headers, body }) => ({
        headers: { ...headers, 'content-encoding': 'gzip' },
        ...(body && { body }),
      })),
    },
    { weight: 1, arbitrary: either.map(({ body }) => ({ headers: {}, ...(body && { body }) })) },
    { weight: 1, arbitrary: either.map(({ headers }) => ({ headers })) },
  );
}

function bodyOf(type: string, { schema, example, examples }: Json, files: readonly Buffer[]): Arbitrary<Content> {
  const good = example ?? Object.values<Json>(examples ?? {})[0]?.value;
  const file = fc.oneof(
    fc.constantFrom(...files),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  );
  const headers = { 'content-type': type };
  switch (type) {
    case 'application/json':
      return jsonText(schema, good).map((body) => ({ headers, body }));
    case 'application/x-www-form-urlencoded':
      return formText.map((body) => ({ headers, body }));
    case 'multipart/form-data':
      return multipart(Object.keys(schema.properties), file);
    default:
      return file.map((body) => ({ headers, body }));
  }
}

const formText: Arbitrary<Buffer> = fc.oneof(
  fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom('name', 'general:owner', 'rooms:1.name', 'areas:total_area', 'csrf', '__proto__'),
          hostileText,
        ),
        hostileText,
      ),
      { maxLength: 4 },
    )
    .map((all) => Buffer.from(all.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&'))),
  fc
    .constantFrom('', '=', '&&&', 'name', 'name=%', 'name=%ff%fe', 'name[]=a', 'name=a&name=b', 'a=1&'.repeat(5_000))
    .map((each) => Buffer.from(each)),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
);

/** Multipart forms, some of them truncated. */
function multipart(names: readonly string[], file: Arbitrary<Buffer>): Arbitrary<Content> {
  const fieldName = fc.constantFrom(...names, 'another', '__proto__', '', 'files[]');
  const fileName = fc.oneof(
    fc.constantFrom(
      '; filename="a.pdf"',
      '',
      '; filename=""',
      "; filename*=utf-8''%ff",
      '; filename="../../a.pdf"',
      '; filename="a\0.pdf"',
      '; filename=a.pdf; filename=b.pdf',
    ),
    hostileText.map(
      (text) =>
        `; filename="${toWellFormed(text)
          .slice(0, 500)
          .replace(/["\r\n]/g, '')}"`,
    ),
  );
  const part = fc
    .record({
      name: fieldName,
      fileName,
      type: fc.constantFrom(
        '',
        'content-type: application/pdf\r\n',
        'content-type: x\r\n',
        'content-transfer-encoding: base64\r\n',
        'bad header\r\n',
      ),
      bytes: file,
    })
    .map(({ name, fileName, type, bytes }) =>
      Buffer.concat([
        Buffer.from(`content-disposition: form-data; name="${name}"${fileName}\r\n${type}\r\n`),
        bytes,
        Buffer.from('\r\n'),
      ]),
    );
  return fc
    .record({
      parts: fc.array(part, { maxLength: 4 }),
      boundary: fc.constantFrom('x', 'x', 'x', '"x"', 'y', '', 'x; charset=utf-16', 'x'.repeat(300)),
      end: fc.constantFrom('--x--\r\n', '--x--\r\n', '--x--\r\n', '--x--', '', '--x', '--x\r\n\r\n\r\n'),
    })
    .map(({ parts, boundary, end }) => ({
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: Buffer.concat([...parts.flatMap((each) => [Buffer.from('--x\r\n'), each]), Buffer.from(end)]),
    }));
}
