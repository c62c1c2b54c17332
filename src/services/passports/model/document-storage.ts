import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Files } from '../../../base/files.ts';
import type { Log } from '../../../base/log.ts';
import { TaskFailure } from '../../../tasks/task.ts';
import { keepFilesIfCommitted } from '../../shared/keep-files-if-committed.ts';
import { failure } from '../failures.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { ImageAttempt, Pictures } from '../store/pictures.ts';
import { openPdf, type Pdf } from './pages/pdf.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip) as (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const PICTURE_MAX_BYTES = 16 * 2 ** 20;

/** Opens a stored PDF through a temporary file. */
export async function openStoredPdf(
  key: string,
  { files, scratchDir, maxPages, signal }: { files: Files; scratchDir: string; maxPages: number; signal: AbortSignal },
): Promise<Pdf> {
  const dir = await mkdtemp(join(scratchDir, 'pdf-')).catch(storageFailed);
  try {
    const path = join(dir, 'document.pdf');
    const stored = await files.stream(key).catch(storageFailed);
    if (!stored) storageFailed(new Error('The stored document is missing.'));
    await pipeline(stored.stream, createWriteStream(path, { mode: 0o600 }), { signal }).catch((error) => {
      signal.throwIfAborted();
      storageFailed(error);
    });
    return await openPdf(path, { maxPages, signal });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Stores the picture of a page and returns its key. Throws for an attempt that is not the latest. */
export async function savePicture(
  jpeg: Buffer,
  drawn: ImageAttempt,
  { files, pictures, log }: { files: Files; pictures: Pictures; log: Log },
): Promise<string> {
  const { key } = await files.put(jpeg, { maxBytes: PICTURE_MAX_BYTES }).catch(storageFailed);
  const kept = await keepFilesIfCommitted([key], { files, log }, () => pictures.add(drawn, key));
  if (kept) return key;
  await files.remove(key);
  throwSuperseded();
}

/** Bounds the memory of a stored reading. Templates do not learn from larger documents. */
const READING_MAX_BYTES = 64 * 2 ** 20;

/** Stores the words and rules of the pages, from which templates learn after a correction. */
export async function saveReading(
  pages: readonly ReadPage[],
  attempt: ImageAttempt,
  { files, pictures, log }: { files: Files; pictures: Pictures; log: Log },
): Promise<void> {
  const text = JSON.stringify(pages, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(6)) : value,
  );
  if (text.length > READING_MAX_BYTES) return;
  const { key } = await files.put(await gzipAsync(text), { maxBytes: READING_MAX_BYTES }).catch(storageFailed);
  const kept = await keepFilesIfCommitted([key], { files, log }, () => pictures.addReading(attempt, key));
  if (kept) return;
  await files.remove(key);
  throwSuperseded();
}

/** Undefined if the file is gone. */
export async function openReading(key: string, files: Files): Promise<readonly ReadPage[] | undefined> {
  const stored = await files.get(key, { maxBytes: READING_MAX_BYTES });
  if (!stored) return undefined;
  const text = await gunzipAsync(stored, { maxOutputLength: 2 * READING_MAX_BYTES });
  return JSON.parse(text.toString()) as readonly ReadPage[];
}

/** Ends an attempt whose document was deleted or whose lease was lost. */
export function throwSuperseded(): never {
  throw new TaskFailure(failure('WORKER_LOST'), { transient: true });
}

function storageFailed(cause: unknown): never {
  throw new TaskFailure(failure('STORAGE_ERROR'), { transient: true, cause });
}
