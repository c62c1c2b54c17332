import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { FetchFailed } from './fetch-failed.ts';
import type { RequestTimeouts } from './request-timeouts.ts';

type Response = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** The decoded body; throws `FetchFailed` after `maxBytes` decoded bytes. */
export async function* readChunks(
  response: Response,
  bounds: { maxBytes: number; idleMs: number; time: RequestTimeouts },
): AsyncGenerator<Buffer, void, void> {
  const { maxBytes, idleMs, time } = bounds;
  const tooLarge = () => new FetchFailed('too_large', { status: response.statusCode });
  const encoding = String(response.headers['content-encoding'] ?? '').toLowerCase();
  if (isPlain(encoding) && Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  let count = 0;
  try {
    time.startStep(idleMs);
    for await (const piece of decoded(response.body, encoding)) {
      count += piece.length;
      if (count > maxBytes) throw tooLarge();
      // The consumer's time does not count against the host.
      time.endStep();
      yield piece;
      time.startStep(idleMs);
    }
  } catch (error) {
    throw bodyFailure(error);
  }
}

/** Only for small bodies. */
export async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** Reads a short body to its end to reuse the connection; closes the connection of a long or slow one. */
export async function discardBody(response: Response): Promise<void> {
  const { body } = response;
  body.on('error', () => {});
  const late = setTimeout(() => body.destroy(), 1_000);
  await body.dump({ limit: 64 * 1024 }).catch(() => {});
  clearTimeout(late);
}

// Requests ask for `identity`, but a storage may return an object that was uploaded compressed.
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const isPlain = (encoding: string) => encoding === '' || encoding === 'identity';

function decoded(body: Readable, encoding: string): AsyncIterable<Buffer> {
  if (isPlain(encoding)) return body;
  const decoder = DECODERS[encoding]?.();
  if (!decoder) throw new FetchFailed('unreadable');
  // The consumer gets errors of both streams from the decoder.
  pipeline(body, decoder, () => {});
  return decoder as unknown as AsyncIterable<Buffer>;
}

function bodyFailure(error: unknown): FetchFailed {
  if (error instanceof FetchFailed) return error;
  // Codes of zlib's decoders; all other errors are connection errors.
  const garbled = /^(Z_|ERR_?_?(BROTLI|ERROR|PADDING|ZLIB))/.test(String((error as { code?: unknown })?.code));
  return new FetchFailed(garbled ? 'unreadable' : 'connect_error', { cause: error });
}
