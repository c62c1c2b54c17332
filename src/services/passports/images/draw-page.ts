import pLimit from 'p-limit';
import type { Files } from '../../../base/files.ts';
import { openPdf, PdfRejected } from '../model/pages/pdf.ts';

/** Processes that draw; each takes about 100 MB while it draws and for 30 s after. */
const MAX_PROCESSES = 2;
const limit = pLimit(MAX_PROCESSES);

/** Draws a page (from 1) of a stored PDF as JPEG; undefined if the file is gone or the page cannot be drawn. */
export function drawPage(
  { fileKey, page }: { fileKey: string; page: number },
  files: Files,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  return limit(async () => {
    signal.throwIfAborted();
    try {
      const options = { maxPages: MAX_PAGES, signal };
      const pdf = await files.withPath(fileKey, (path) => openPdf(path, options), options);
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
