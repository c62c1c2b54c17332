import { finished, type Readable, Transform } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, payloadTooLarge, validationError } from '../base/faults.ts';

/** What a multipart body may weigh beyond its file: boundaries, part headers, a few fields that nobody asked for. */
const MULTIPART_OVERHEAD_BYTES = 64 * 1024;

/**
 * Makes the routes of this scope receive files: their bodies arrive as streams and are not parsed. Call it in a scope of
 * its own (`app.register(async (scope) => { await acceptUploads(scope); scope.post('/files', …) })`).
 */
export async function acceptUploads(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  await scope.register(multipart);
}

/**
 * The one file of a request: its raw body, or its multipart part named `file`. Nothing is buffered. A declared length
 * beyond `maxBytes` is refused before a byte is read; an undeclared one ends the stream with the same refusal, so a
 * caller that awaits its own pipeline needs no check of its own. What was declared decides nothing: only the bytes can
 * tell what a file is.
 */
export async function readUpload(request: FastifyRequest, { maxBytes }: { maxBytes: number }): Promise<Readable> {
  const isMultipart = request.isMultipart();
  const limit = isMultipart ? maxBytes + MULTIPART_OVERHEAD_BYTES : maxBytes;
  if (Number(request.headers['content-length']) > limit) throw payloadTooLarge(maxBytes);
  return bounded(isMultipart ? await partNamedFile(request, maxBytes) : rawBody(request), maxBytes);
}

function rawBody(request: FastifyRequest): Readable {
  if (request.body === undefined) throw validationError('The body must be a file.');
  return request.raw;
}

async function partNamedFile(request: FastifyRequest, maxBytes: number): Promise<Readable> {
  const limits = { files: 1, fields: 16, fieldSize: 4096, fileSize: maxBytes + 1 };
  const part = await request.file({ limits, throwFileSizeLimit: false }).catch(() => {
    throw validationError('The multipart body is not well-formed.');
  });
  if (part?.fieldname !== 'file')
    throw validationError('The multipart body must have one file, in a part named `file`.');
  return part.file;
}

function bounded(source: Readable, maxBytes: number): Readable {
  let received = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      if (received > maxBytes) done(payloadTooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  // A client that breaks off is no fault of ours, and half a file must not pass for a whole one. It may be over before
  // anybody reads, who then hears of it: an error that nobody has listened to would end the process.
  meter.on('error', () => {});
  finished(source, { writable: false }, (error) => {
    if (error) meter.destroy(badRequest());
  });
  return source.pipe(meter);
}
