import { mkdir } from 'node:fs/promises';
import pLimit from 'p-limit';
import { PdfRejected } from '../model/pages/pdf.ts';
import { openStoredPdf, type PdfStorage } from '../model/pages/stored-pdf.ts';

/** Processes that draw; each takes about 100 MB while it draws and for 30 s after. */
const MAX_PROCESSES = 2;
const limit = pLimit(MAX_PROCESSES);

/** Draws a page (from 1) of a stored PDF as JPEG; undefined if the file is gone or the page cannot be drawn. */
export function drawPage(
  { fileKey, page }: { fileKey: string; page: number },
  storage: PdfStorage,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  return limit(async () => {
    signal.throwIfAborted();
    await mkdir(storage.scratchDir, { recursive: true, mode: 0o700 });
    try {
      const pdf = await openStoredPdf(fileKey, storage, { maxPages: MAX_PAGES, signal });
      try {
        return await pdf?.picture(page, signal);
      } finally {
        await pdf?.close();
      }
    } catch (error) {
      if (error instanceof PdfRejected) return undefined;
      throw error;
    }
  });
}

/** More than a document may have: the limit was checked when it was read. */
const MAX_PAGES = 1000;
