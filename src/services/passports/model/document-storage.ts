import { isStorageUnavailable } from '../../../base/files/storage-unavailable.ts';
import type { Files } from '../../../base/files.ts';
import type { Log } from '../../../base/log.ts';
import { TaskFailure } from '../../../tasks/task.ts';
import { keepFilesIfCommitted } from '../../shared/keep-files-if-committed.ts';
import type { Extraction } from '../extraction.ts';
import { failure } from '../failures.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { ImageAttempt, Pictures } from '../store/pictures.ts';
import { decodePages, encodePages } from './page-storage.ts';
import { openPdf, type Pdf } from './pages/pdf.ts';
import type { PageResult } from './read-document.ts';

const PICTURE_MAX_BYTES = 16 * 2 ** 20;
/** Larger pages are read again by another attempt. */
const PAGE_MAX_BYTES = 2 ** 20;
/** Words and rules; more take long to encode on the worker's event loop. */
const MAX_ITEMS = 50_000;

/** Opens the PDF of an attempt. Throws a transient `STORAGE_ERROR` if it cannot be read. */
export async function openDocumentPdf(
  key: string,
  files: Files,
  options: { maxPages: number; signal: AbortSignal },
): Promise<Pdf> {
  const pdf = await files
    .withPath(key, (path) => openPdf(path, options), options)
    .catch((error: unknown) => {
      if (isStorageUnavailable(error)) storageFailed(error);
      throw error;
    });
  return pdf ?? storageFailed(new Error('The stored document is missing.'));
}

interface PageStorage {
  readonly files: Files;
  readonly pictures: Pictures;
  readonly log: Log;
  /** Identifies the engine and the OCR. */
  readonly reader: string;
}

/** The pages that earlier attempts read. Throws for an attempt that is not the latest. */
export async function loadPages(attempt: ImageAttempt, { pictures, reader, log }: PageStorage) {
  const stored = (await pictures.begin(attempt, reader)) ?? throwSuperseded();
  const pages = new Map<number, PageResult>();
  for (const { page, picture, isTimedOut, content } of stored) {
    const read = await decodePages(content).catch((err: unknown) => {
      log.warn({ err, page }, 'a stored page cannot be decoded and is read again');
      return [];
    });
    for (const each of read) pages.set(page, { page: each, picture, isTimedOut });
  }
  if (pages.size > 0) log.info({ pages: pages.size }, 'pages of an earlier attempt are not read again');
  return pages;
}

/**
 * Stores the picture of a page, and the page itself with `checkpoint`, and returns the key of the picture. Throws for an
 * attempt that is not the latest.
 */
export async function savePage(
  { page, isTimedOut }: Omit<PageResult, 'picture'>,
  jpeg: Buffer,
  attempt: ImageAttempt,
  { files, pictures, log, reader, checkpoint }: PageStorage & { checkpoint: boolean },
): Promise<string> {
  const isStored = checkpoint && page.words.length + page.rules.length <= MAX_ITEMS;
  const content = isStored ? await encodePages([page]) : undefined;
  const stored =
    content && content.length <= PAGE_MAX_BYTES ? { page: page.page, reader, content, isTimedOut } : undefined;
  const { key } = await files.put(jpeg, { maxBytes: PICTURE_MAX_BYTES }).catch(storageFailed);
  const kept = await keepFilesIfCommitted([key], { files, log }, () => pictures.add(attempt, key, stored));
  if (kept) return key;
  await files.remove(key);
  throwSuperseded();
}

/** Templates do not learn from larger documents. */
const READING_MAX_BYTES = 16 * 2 ** 20;

/** Whether the words of the pages are in the PDF: reading them again takes less time than storing them. */
const isDigital = (pages: readonly { readonly reader: string }[]) => pages.every(({ reader }) => reader === 'text');

/**
 * Stores the words and rules of a document with pages that OCR has read. Templates learn from them after a correction;
 * {@link openReading} reads those of other documents from the PDF.
 */
export async function saveReading(
  pages: readonly ReadPage[],
  attempt: ImageAttempt,
  { files, pictures, log }: PageStorage,
): Promise<void> {
  if (isDigital(pages)) return;
  if (pages.reduce((sum, { words, rules }) => sum + words.length + rules.length, 0) > 4 * MAX_ITEMS) return;
  const content = await encodePages(pages);
  if (content.length > READING_MAX_BYTES) return;
  const { key } = await files.put(content, { maxBytes: READING_MAX_BYTES }).catch(storageFailed);
  const kept = await keepFilesIfCommitted([key], { files, log }, () => pictures.addReading(attempt, key));
  if (kept) return;
  await files.remove(key);
  throwSuperseded();
}

/** The words and rules of a completed document; undefined if they were not stored or the file is gone. */
export async function openReading(
  { fileKey, sheets, readingKey }: { fileKey: string; sheets: Extraction['sheets']; readingKey: string | null },
  files: Files,
  signal: AbortSignal,
): Promise<readonly ReadPage[] | undefined> {
  if (readingKey !== null) {
    const stored = await files.get(readingKey, { maxBytes: READING_MAX_BYTES, signal });
    return stored && decodePages(stored);
  }
  if (!isDigital(sheets)) return undefined;
  const options = { maxPages: sheets.length, signal };
  const pdf = await files.withPath(fileKey, (path) => openPdf(path, options), options);
  if (!pdf) return undefined;
  try {
    const pages: ReadPage[] = [];
    for (let page = 1; page <= pdf.pages; page++) pages.push(await pdf.text(page, signal));
    return pages;
  } finally {
    await pdf.close();
  }
}

/** Ends an attempt whose document was deleted or whose lease was lost. */
function throwSuperseded(): never {
  throw new TaskFailure(failure('WORKER_LOST'), { transient: true });
}

function storageFailed(cause: unknown): never {
  throw new TaskFailure(failure('STORAGE_ERROR'), { transient: true, cause });
}
