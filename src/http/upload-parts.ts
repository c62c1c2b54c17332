import { finished, PassThrough, type Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError, badRequest, payloadTooLarge, unsupportedMediaType } from '../base/api-error.ts';
import { InvalidInput } from './validation-details.ts';

/** A file in a multipart body; read or destroy it before the next part. */
export interface FilePart {
  readonly kind: 'file';
  readonly name: string;
  /** Untrusted. */
  readonly filename: string;
  /** Truncated to `maxFileBytes` + 1 bytes. */
  readonly bytes: Readable;
}

export interface FieldPart {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

export interface UploadLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

/** Maximum size of a multipart body without its files. */
const OVERHEAD_BYTES = 256 * 1024;
const MAX_FIELDS = 64;

/**
 * Streams the parts of a multipart body. Throws 415 for other bodies, 413 above the limits and 422 for a malformed body. For
 * a file input without a selection, browsers send a file part without a name and bytes.
 */
export async function* uploadParts(
  request: FastifyRequest,
  limits: UploadLimits,
): AsyncGenerator<FilePart | FieldPart> {
  const { maxFiles, maxFileBytes, maxTotalBytes } = limits;
  if (!request.isMultipart()) throw unsupportedMediaType('multipart/form-data');
  if (Number(request.headers['content-length']) > maxTotalBytes + OVERHEAD_BYTES) throw payloadTooLarge(maxTotalBytes);
  let files = 0;
  let current: Readable | undefined;
  const bounded = meter(request, maxTotalBytes + OVERHEAD_BYTES, () =>
    current?.destroy(payloadTooLarge(maxTotalBytes)),
  );
  try {
    const options = {
      // Truncates a file that is too large instead of failing. Missing in the option's type.
      throwFileSizeLimit: false,
      limits: { fileSize: maxFileBytes + 1, files: maxFiles + 1, fields: MAX_FIELDS, fieldSize: 64 * 1024 },
    };
    for await (const part of request.parts(options)) {
      if (part.type === 'field') {
        yield { kind: 'field', name: part.fieldname, value: String(part.value ?? '') };
        continue;
      }
      files++;
      if (files > maxFiles) throw tooManyFiles(maxFiles);
      const bytes = withMappedErrors(part.file, (error) => toApiError(error, request, maxFiles));
      current = bytes;
      // The parser waits for an unread file, so discard the rest.
      yield { kind: 'file', name: part.fieldname, filename: part.filename ?? '', bytes };
      part.file.unpipe(bytes).resume();
    }
    if (bounded.exceeded()) throw payloadTooLarge(maxTotalBytes);
  } catch (error) {
    throw bounded.exceeded() ? payloadTooLarge(maxTotalBytes) : toApiError(error, request, maxFiles);
  }
}

/** The file's bytes as a stream whose errors are mapped. */
function withMappedErrors(file: Readable, mapError: (error: Error) => Error): PassThrough {
  const bytes = new PassThrough();
  // An unread part may fail too.
  bytes.on('error', () => {});
  // `pipe` does not forward a premature close.
  finished(file, { writable: false }, (error) => {
    if (error) bytes.destroy(mapError(error));
  });
  return file.pipe(bytes);
}

const tooManyFiles = (maxFiles: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', 413, `A request may contain at most ${maxFiles} file${maxFiles === 1 ? '' : 's'}.`);

/** Counts received bytes; calls `onExceeded` once. */
function meter(request: FastifyRequest, maxBytes: number, onExceeded: () => void): { exceeded(): boolean } {
  let received = 0;
  let exceeded = false;
  request.raw.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received <= maxBytes || exceeded) return;
    exceeded = true;
    onExceeded();
  });
  return { exceeded: () => exceeded };
}

/** Maps the parser's errors. */
function toApiError<Thrown>(error: Thrown, request: FastifyRequest, maxFiles: number): Thrown | Error {
  if (!(error instanceof Error) || error instanceof ApiError || error instanceof InvalidInput) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'FST_FILES_LIMIT') return tooManyFiles(maxFiles);
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return new ApiError(
      'PAYLOAD_TOO_LARGE',
      413,
      `A request may contain at most ${MAX_FIELDS} fields in addition to its files.`,
    );
  const isAborted = request.raw.destroyed && !request.raw.complete;
  if (code === 'FST_MP_PREMATURE_CLOSE' || isAborted) return badRequest();
  if (code.startsWith('FST_') || MALFORMED.test(error.message)) {
    return new InvalidInput([
      { loc: ['body'], msg: 'The multipart body is not well-formed', type: 'multipart_invalid' },
    ]);
  }
  return error;
}

// The parser has no codes for these; it calls a boundary a needle.
const MALFORMED = /multipart|boundary|needle|terminated early|premature close|malformed|unexpected end/i;
