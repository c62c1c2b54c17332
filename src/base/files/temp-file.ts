import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { ifMissing } from '../file-system.ts';
import { withFreeSpace } from './free-space.ts';

export interface WrittenFile {
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The first 16 KiB, to detect the file type. */
  readonly head: Buffer;
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes.`);
    this.maxBytes = maxBytes;
  }
}

/**
 * Writes `source` to a new file, whose folder it creates if necessary; synced if `durable`. Throws `StorageUnavailable` before
 * a stream fills the disk. On errors the caller deletes the file and handles the source.
 */
export async function writeTempFile(
  path: string,
  source: Buffer | AsyncIterable<Buffer>,
  { maxBytes, signal, durable }: { maxBytes: number; signal: AbortSignal | undefined; durable: boolean },
): Promise<WrittenFile> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let sizeBytes = 0;
  // Until the source is read: without a listener its error would end the process.
  if (source instanceof Readable) source.on('error', () => {});
  const create = () => open(path, 'wx', 0o600);
  const handle = await create().catch(async (error: NodeJS.ErrnoException) => {
    ifMissing(error);
    await mkdir(dirname(path), { recursive: true });
    return create();
  });
  try {
    const pieces = piecesOf(source, signal);
    for await (const piece of Buffer.isBuffer(source) ? pieces : withFreeSpace(pieces, dirname(path))) {
      signal?.throwIfAborted();
      if (sizeBytes + piece.length > maxBytes) throw new FileTooLarge(maxBytes);
      if (sizeBytes < HEAD_BYTES) head.push(piece.subarray(0, HEAD_BYTES - sizeBytes));
      sizeBytes += piece.length;
      hash.update(piece);
      await handle.writeFile(piece);
    }
    signal?.throwIfAborted();
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: hash.digest('hex'), head: Buffer.concat(head) };
}

/** A running upload writes more often than once per hour. */
export const STALE_UPLOAD_MS = 3_600_000;
const HEAD_BYTES = 16_384;

function piecesOf(source: Buffer | AsyncIterable<Buffer>, signal: AbortSignal | undefined): AsyncIterable<Buffer> {
  if (Buffer.isBuffer(source)) return Readable.from([source]);
  if (!(source instanceof Readable)) return source;
  if (signal) addAbortSignal(signal, source);
  return source.iterator({ destroyOnReturn: false });
}
