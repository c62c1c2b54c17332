import type { ReadPage } from '../../page-geometry.ts';
import { acquirePdfProcess, PdfRejected } from './pdf-process-pool.ts';
import type { PdfProblem } from './pdfium-document.ts';
import type { Scan } from './pdfium-process.ts';
import type { Raster, RasterSize } from './pdfium-render.ts';

export { type PdfProblem, PdfRejected, type Raster, type RasterSize };

/** An open PDF; pages start at 1. Any error closes it: {@link PdfRejected}, the signal's reason or a transient error. */
export interface Pdf {
  readonly pages: number;
  /** Requested pages that cannot be opened: they have no words and are white. */
  readonly damaged: ReadonlySet<number>;
  /** The text layer and rules. Pages without words need OCR. */
  text(page: number, signal: AbortSignal): Promise<ReadPage>;
  render(page: number, size: RasterSize, signal: AbortSignal): Promise<Raster>;
  /** A JPEG for display. */
  picture(page: number, signal: AbortSignal): Promise<Buffer>;
  /** A grayscale raster for OCR and a JPEG for display. */
  scan(page: number, size: RasterSize, signal: AbortSignal): Promise<Scan>;
  /** Cancels pending requests. Idempotent; never throws. */
  close(): Promise<void>;
}

/** Opens a file, which must exist until the PDF is closed. `cpuSeconds` limits each request. Throws {@link PdfRejected}. */
export async function openPdf(
  path: string,
  { maxPages, signal, cpuSeconds = MAX_CPU_SECONDS }: { maxPages: number; signal: AbortSignal; cpuSeconds?: number },
): Promise<Pdf> {
  signal.throwIfAborted();
  const reader = acquirePdfProcess();
  try {
    const { opened } = (await reader.send({ type: 'open', path, maxPages, cpuSeconds }, signal)) as { opened: number };
    const damaged = new Set<number>();
    const note = (page: number, answer: { damaged: boolean }) => void (answer.damaged && damaged.add(page));
    return {
      pages: opened,
      damaged,
      async text(page, signal) {
        const answer = (await reader.send({ type: 'text', page }, signal)) as { text: ReadPage; damaged: boolean };
        note(page, answer);
        return answer.text;
      },
      async render(page, size, signal) {
        const answer = (await reader.send({ type: 'render', page, size }, signal)) as {
          raster: Raster;
          damaged: boolean;
        };
        note(page, answer);
        return answer.raster;
      },
      async picture(page, signal) {
        const answer = (await reader.send({ type: 'picture', page }, signal)) as { picture: Buffer; damaged: boolean };
        note(page, answer);
        return answer.picture;
      },
      async scan(page, size, signal) {
        const answer = (await reader.send({ type: 'scan', page, size }, signal)) as { scan: Scan; damaged: boolean };
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
