import { finished, PassThrough, type Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { badRequest, Fault, payloadTooLarge, unsupportedMediaType } from '../base/faults.ts';
import { InvalidInput } from './details.ts';

/** A file in a multipart body, to be read to its end or destroyed before the next part comes. */
export interface FilePart {
  readonly kind: 'file';
  /** The field's name. */
  readonly name: string;
  /** As it was sent: anything at all. */
  readonly filename: string;
  /** Of a file that is larger than `maxFileBytes` one byte more than that. */
  readonly bytes: Readable;
}

export interface FieldPart {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

/** What one request may bring. */
export interface UploadLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

/** What a multipart body may weigh beyond its files. */
const OVERHEAD_BYTES = 256 * 1024;
const MOST_FIELDS = 64;

/**
 * The parts of a multipart body in their order; nothing is buffered. A body of another type is 415; more files, or more
 * bytes in all, than the limits allow end the iteration with 413; a body that is not well-formed with 422. Where nobody
 * chose a file, a browser sends a part with neither a name nor bytes.
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
      // A file that is too large is cut and not an end of the others; its type does not know of this option.
      throwFileSizeLimit: false,
      limits: { fileSize: maxFileBytes + 1, files: maxFiles + 1, fields: MOST_FIELDS, fieldSize: 64 * 1024 },
    };
    for await (const part of request.parts(options)) {
      if (part.type === 'field') {
        yield { kind: 'field', name: part.fieldname, value: String(part.value ?? '') };
        continue;
      }
      files++;
      if (files > maxFiles) throw tooManyFiles(maxFiles);
      const bytes = toldInWords(part.file, (error) => understood(error, request, maxFiles));
      current = bytes;
      // Of a file that was read to its limit the parser throws the rest away; what nobody read at all it waits for.
      yield { kind: 'file', name: part.fieldname, filename: part.filename ?? '', bytes };
      part.file.unpipe(bytes).resume();
    }
    if (bounded.exceeded()) throw payloadTooLarge(maxTotalBytes);
  } catch (error) {
    throw bounded.exceeded() ? payloadTooLarge(maxTotalBytes) : understood(error, request, maxFiles);
  }
}

/** A file's bytes; that its body breaks off or is not well-formed, whoever reads them meets before the parts do. */
function toldInWords(file: Readable, inWords: (error: Error) => Error): PassThrough {
  const bytes = new PassThrough();
  // A part that nobody reads may break too.
  bytes.on('error', () => {});
  // Also where the parser gives it up without a word, which ends no pipe.
  finished(file, { writable: false }, (error) => {
    if (error) bytes.destroy(inWords(error));
  });
  return file.pipe(bytes);
}

const tooManyFiles = (maxFiles: number) =>
  new Fault('PAYLOAD_TOO_LARGE', 413, `One request brings at most ${maxFiles} files.`);

/** Counts what comes in, whoever reads it, and says once that it is too much. */
function meter(request: FastifyRequest, maxBytes: number, onExceeded: () => void): { exceeded(): boolean } {
  let received = 0;
  let exceeded = false;
  request.raw.on('data', (piece: Buffer) => {
    received += piece.length;
    if (received <= maxBytes || exceeded) return;
    exceeded = true;
    onExceeded();
  });
  return { exceeded: () => exceeded };
}

/** The errors of the parser in our words. */
function understood<Thrown>(error: Thrown, request: FastifyRequest, maxFiles: number): Thrown | Error {
  if (!(error instanceof Error) || error instanceof Fault || error instanceof InvalidInput) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'FST_FILES_LIMIT') return tooManyFiles(maxFiles);
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return new Fault('PAYLOAD_TOO_LARGE', 413, `One request brings at most ${MOST_FIELDS} fields beside its files.`);
  const brokenOff = request.raw.destroyed && !request.raw.complete;
  if (code === 'FST_MP_PREMATURE_CLOSE' || brokenOff) return badRequest();
  if (code.startsWith('FST_') || MALFORMED.test(error.message)) {
    return new InvalidInput([
      { loc: ['body'], msg: 'The multipart body is not well-formed', type: 'multipart_invalid' },
    ]);
  }
  return error;
}

// The parser has no codes for these; a needle is what it makes of a boundary.
const MALFORMED = /multipart|boundary|needle|terminated early|premature close|malformed|unexpected end/i;
