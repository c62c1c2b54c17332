import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { FetchFailed } from './fetch-failed.ts';
import type { RequestTime } from './request-time.ts';

type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** The body's bytes, decoded, at most `maxBytes` of them whatever the answer's headers claim. */
export async function* bodyPieces(
  answer: Answer,
  bounds: { maxBytes: number; idleMs: number; time: RequestTime },
): AsyncGenerator<Buffer, void, void> {
  const { maxBytes, idleMs, time } = bounds;
  const tooLarge = () => new FetchFailed('too_large', { status: answer.statusCode });
  const encoding = String(answer.headers['content-encoding'] ?? '').toLowerCase();
  if (isPlain(encoding) && Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  let count = 0;
  try {
    time.allow(idleMs);
    for await (const piece of decoded(answer.body, encoding)) {
      count += piece.length;
      if (count > maxBytes) throw tooLarge();
      // How long the reader takes over a piece is not the host's fault.
      time.pause();
      yield piece;
      time.allow(idleMs);
    }
  } catch (error) {
    throw bodyFailure(error);
  }
}

/** All pieces as one; only for what `maxBytes` keeps small. */
export async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** Reads a short body to its end, so that the connection can serve again; a long or slow one costs the connection. */
export async function dropBody(answer: Answer): Promise<void> {
  const { body } = answer;
  body.on('error', () => {});
  const late = setTimeout(() => body.destroy(), 1_000);
  await body.dump({ limit: 64 * 1024 }).catch(() => {});
  clearTimeout(late);
}

// We ask for `identity`, yet a storage may hold an object that was compressed when it was put there.
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
  // An error of either side reaches the reader through the decoder.
  pipeline(body, decoder, () => {});
  return decoder as unknown as AsyncIterable<Buffer>;
}

function bodyFailure(error: unknown): FetchFailed {
  if (error instanceof FetchFailed) return error;
  // zlib's errors carry an `errno` of zlib's own and a code of one of these forms; the rest is the connection's.
  const garbled = /^(Z_|ERR_?_?(BROTLI|ERROR|PADDING|ZLIB))/.test(String((error as { code?: unknown })?.code));
  return new FetchFailed(garbled ? 'unreadable' : 'connect_error', { cause: error });
}
