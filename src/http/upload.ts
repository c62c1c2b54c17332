import { finished, type Readable, Transform } from 'node:stream';
import multipart, { type MultipartFields } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, payloadTooLarge } from '../base/api-error.ts';
import { InvalidInput } from './validation-details.ts';

/** Maximum size of a multipart body without its file: boundaries, part headers, ignored fields. */
const MULTIPART_OVERHEAD_BYTES = 64 * 1024;
/** Of a text field. */
const MAX_FIELD_BYTES = 4096;
const MAX_FIELDS = 16;

/** Makes the routes of a dedicated scope receive their bodies as unparsed streams. */
export async function acceptUploads(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  await scope.register(multipart);
}

export interface Upload {
  readonly bytes: Readable;
  /** Untrusted; absent for a raw body. */
  readonly filename?: string;
  /** The text fields before the file. */
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * Streams the file of a request: its raw body, or its multipart part `file`. Above `maxBytes`, throws 413 for a declared
 * length; otherwise the stream fails with the same error. A stream whose form has a second file fails with 422. Ignores the
 * declared media type.
 */
export async function readUpload(
  request: FastifyRequest,
  { maxBytes, maxFieldBytes = MAX_FIELD_BYTES }: { maxBytes: number; maxFieldBytes?: number },
): Promise<Upload> {
  const isMultipart = request.isMultipart();
  const limit = isMultipart ? maxBytes + maxFieldBytes + MULTIPART_OVERHEAD_BYTES : maxBytes;
  if (Number(request.headers['content-length']) > limit) throw payloadTooLarge(maxBytes);
  if (!isMultipart) return { bytes: bounded(rawBody(request), maxBytes) };
  const { file, filename, fields, complete } = await partNamedFile(request, maxBytes, maxFieldBytes);
  return {
    bytes: bounded(file, maxBytes, complete),
    filename,
    // A route that ignores the fields accepts long ones.
    get fields() {
      return textsOf(fields);
    },
  };
}

function rawBody(request: FastifyRequest): Readable {
  if (request.body === undefined) throw invalidFile('The body must be a file');
  return request.raw;
}

async function partNamedFile(request: FastifyRequest, maxBytes: number, maxFieldBytes: number) {
  const limits = { files: 1, fields: MAX_FIELDS, fieldSize: maxFieldBytes, fileSize: maxBytes + 1 };
  const files = request.files({ limits, throwFileSizeLimit: false });
  const next = () =>
    files.next().catch((error) => {
      throw invalidFile(LIMIT_MESSAGES[error.code as string] ?? 'The multipart body is malformed');
    });
  const { value: part } = await next();
  if (part?.fieldname !== 'file') throw invalidFile(ONE_FILE);
  return { ...part, complete: next };
}

const ONE_FILE = 'The multipart body must contain one file, in a part named `file`';
const LIMIT_MESSAGES: Readonly<Record<string, string>> = {
  FST_FILES_LIMIT: ONE_FILE,
  FST_FIELDS_LIMIT: `A form has at most ${MAX_FIELDS} fields in addition to its file`,
};
const invalidFile = (msg: string) => new InvalidInput([{ loc: ['body', 'file'], msg, type: 'value_error' }]);

function textsOf(fields: MultipartFields): Record<string, string> {
  const parts = Object.values(fields).flatMap((part) => part ?? []);
  const cut = parts.find((part) => part.type === 'field' && part.valueTruncated);
  if (cut)
    throw new InvalidInput([
      { loc: ['body', cut.fieldname], msg: `The field ${cut.fieldname} is too long`, type: 'value_error' },
    ]);
  return Object.fromEntries(
    parts.flatMap((part) => (part.type === 'field' ? [[part.fieldname, String(part.value)]] : [])),
  );
}

function bounded(source: Readable, maxBytes: number, complete: () => Promise<unknown> = async () => {}): Readable {
  let received = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      if (received > maxBytes) done(payloadTooLarge(maxBytes));
      else done(null, chunk);
    },
    flush: (done) => void complete().then(() => done(), done),
  });
  // A disconnect must fail the stream with a client error. Without a listener, an error before the first read would end the
  // process.
  meter.on('error', () => {});
  finished(source, { writable: false }, (error) => {
    if (error) meter.destroy(badRequest());
  });
  return source.pipe(meter);
}
