import { randomUUID } from 'node:crypto';

/** Encodes a multipart form (RFC 7578). Names and values must not contain quotes or line ends. */
export function multipart(
  fields: readonly (readonly [name: string, value: string])[],
  file: { readonly name: string; readonly filename: string; readonly type: string; readonly bytes: Buffer },
): { readonly type: string; readonly bytes: Buffer } {
  const boundary = `assay-${randomUUID()}`;
  const head = fields.map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const disposition = `content-disposition: form-data; name="${file.name}"; filename="${file.filename}"`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([
      Buffer.from(`${head.join('')}--${boundary}\r\n${disposition}\r\ncontent-type: ${file.type}\r\n\r\n`),
      file.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}
