import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Files } from '../../../base/files.ts';
import type { Log } from '../../../base/log.ts';
import { TaskFailure } from '../../../tasks/task.ts';
import { writeDown } from '../../write-down.ts';
import { failure } from '../failures.ts';
import type { Drawn, Pictures } from '../store/pictures.ts';
import { openPdf, type Pdf } from './pages/pdf.ts';

/** A picture of at most 1600 × 1600 pixels stays far below. */
const PICTURE_MAX_BYTES = 16 * 2 ** 20;

/** Opens a stored PDF by a file of its own, which is gone again as soon as the reader has it. */
export async function openStored(
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

/** Puts the picture of a page into the file store and answers its key; nothing is kept of an attempt that is not the latest. */
export async function keepPicture(
  jpeg: Buffer,
  drawn: Drawn,
  { files, pictures, log }: { files: Files; pictures: Pictures; log: Log },
): Promise<string> {
  const { key } = await files.put(jpeg, { maxBytes: PICTURE_MAX_BYTES }).catch(storageFailed);
  const kept = await writeDown([key], { files, log }, () => pictures.keep(drawn, key));
  if (kept) return key;
  await files.remove(key);
  superseded();
}

/** Nobody will hear it: the document was deleted, or the lease was lost. */
export function superseded(): never {
  throw new TaskFailure(failure('WORKER_LOST'), { transient: true });
}

/** A disk or a storage that failed may work next time. */
function storageFailed(cause: unknown): never {
  throw new TaskFailure(failure('STORAGE_ERROR'), { transient: true, cause });
}
