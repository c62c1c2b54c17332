import type { ReadPage } from '../../page.ts';
import { takeReader } from './pdf-reader.ts';
import { PdfRefused } from './pdf-refused.ts';
import type { PdfProblem } from './pdfium-document.ts';
import type { Scan } from './pdfium-process.ts';
import type { Raster, RasterSize } from './pdfium-render.ts';

export { type PdfProblem, PdfRefused, type Raster, type RasterSize };

/**
 * An open PDF, read by a process of its own; pages are counted from 1. Questions wait for each other. Whatever is thrown
 * ends the document: {@link PdfRefused} for good, the signal's reason, or an error that another attempt may not meet.
 */
export interface Pdf {
  readonly pages: number;
  /** Pages, of those asked for so far, that cannot be opened though others can: without words, and white. */
  readonly damaged: ReadonlySet<number>;
  /**
   * The words and rules that the PDF itself carries. No words: the page is a scan (perhaps with a stamp), or what it
   * carries is not what it shows (invisible text of some scanner, characters without names), and is read by its looks.
   */
  text(page: number, signal: AbortSignal): Promise<ReadPage>;
  /** The page as it is shown, on white, its own turn applied, smaller where `maxPixels` says so. */
  render(page: number, size: RasterSize, signal: AbortSignal): Promise<Raster>;
  /** The page's picture for people: a JPEG. */
  picture(page: number, signal: AbortSignal): Promise<Buffer>;
  /** The page for who reads it by its looks: the lightness of {@link render}'s pixels, and the picture that they make. */
  scan(page: number, size: RasterSize, signal: AbortSignal): Promise<Scan>;
  /** Ends the document, and with it what is asked now. Never throws, and may be called twice. */
  close(): Promise<void>;
}

/**
 * Opens the PDF at `path`. Throws {@link PdfRefused} for a file that needs a password, has no page that can be opened
 * even after repair, has more than `maxPages`, or none. `cpuSeconds` is for opening it, and for each question after
 * that: more is `too_complex`. The file is to stay until the document is closed.
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
