import type { ReadPage } from '../../page.ts';
import { PdfRefused, takeReader } from './pdf-reader.ts';
import type { PdfProblem } from './pdfium-document.ts';
import type { Scan } from './pdfium-process.ts';
import type { Raster, RasterSize } from './pdfium-render.ts';

export { type PdfProblem, PdfRefused, type Raster, type RasterSize };

/**
 * An open PDF, read by a separate process, one request at a time. Page numbers start at 1. An error closes the document:
 * {@link PdfRejected} (permanent), the signal's reason, or a transient error.
 */
export interface Pdf {
  readonly pages: number;
  /** The requested pages that cannot be opened; they have no words and are drawn white. */
  readonly damaged: ReadonlySet<number>;
  /**
   * The text layer and rules. Without words, the page needs OCR: it is a scan (possibly with a stamp), or its text is
   * invisible or garbled.
   */
  text(page: number, signal: AbortSignal): Promise<ReadPage>;
  /** Draws the page as displayed, on white. */
  render(page: number, size: RasterSize, signal: AbortSignal): Promise<Raster>;
  /** The page as a JPEG for display. */
  picture(page: number, signal: AbortSignal): Promise<Buffer>;
  /** The page for OCR, in grayscale, with its picture for display. */
  scan(page: number, size: RasterSize, signal: AbortSignal): Promise<Scan>;
  /** Closes the document and cancels pending requests. Idempotent; never throws. */
  close(): Promise<void>;
}

/**
 * Opens the PDF at `path`, which must exist until the document is closed. Throws {@link PdfRejected}. `cpuSeconds` limits
 * opening and each request.
 */
export async function openPdf(
  path: string,
  { maxPages, signal, cpuSeconds = MAX_CPU_SECONDS }: { maxPages: number; signal: AbortSignal; cpuSeconds?: number },
): Promise<Pdf> {
  signal.throwIfAborted();
  const reader = takeReader();
  try {
    const { opened } = (await reader.ask({ ask: 'open', path, maxPages, cpuSeconds }, signal)) as { opened: number };
    const damaged = new Set<number>();
    const note = (page: number, answer: { damaged: boolean }) => void (answer.damaged && damaged.add(page));
    return {
      pages: opened,
      damaged,
      async text(page, signal) {
        const answer = (await reader.ask({ ask: 'text', page }, signal)) as { text: ReadPage; damaged: boolean };
        note(page, answer);
        return answer.text;
      },
      async render(page, size, signal) {
        const answer = (await reader.ask({ ask: 'render', page, size }, signal)) as {
          raster: Raster;
          damaged: boolean;
        };
        note(page, answer);
        return answer.raster;
      },
      async picture(page, signal) {
        const answer = (await reader.ask({ ask: 'picture', page }, signal)) as { picture: Buffer; damaged: boolean };
        note(page, answer);
        return answer.picture;
      },
      async scan(page, size, signal) {
        const answer = (await reader.ask({ ask: 'scan', page, size }, signal)) as { scan: Scan; damaged: boolean };
        note(page, answer);
        return answer.scan;
      },
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

const MAX_CPU_SECONDS = 60;
