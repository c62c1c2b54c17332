import type { ReadPage } from '../../page-geometry.ts';
import { acquirePdfProcess, PdfRejected } from './pdf-process-pool.ts';
import type { PdfProblem } from './pdfium-document.ts';
import type { PageRequest, Scan } from './pdfium-process.ts';
import type { Raster, RasterSize } from './pdfium-render.ts';

export { type PdfProblem, PdfRejected, type Raster, type RasterSize };

/** An open PDF; pages start at 1. Any error closes it: {@link PdfRejected}, the signal's reason or a transient error. */
export type Pdf = Awaited<ReturnType<typeof openPdf>>;

/** Opens a file, which must exist until then: the process keeps it open. `cpuSeconds` limits each request. Throws {@link PdfRejected}. */
export async function openPdf(
  path: string,
  { maxPages, signal, cpuSeconds = MAX_CPU_SECONDS }: { maxPages: number; signal: AbortSignal; cpuSeconds?: number },
) {
  signal.throwIfAborted();
  const reader = acquirePdfProcess();
  try {
    const { value: pages } = await reader.send({ type: 'open', path, maxPages, cpuSeconds }, signal);
    const damaged = new Set<number>();
    const read = async <Value>(request: PageRequest, signal: AbortSignal) => {
      const result = await reader.send(request, signal);
      if (result.damaged) damaged.add(request.page);
      return result.value as Value;
    };
    return {
      pages: pages as number,
      /** Requested pages that cannot be opened: they have no words and are white. */
      damaged: damaged as ReadonlySet<number>,
      /** The text layer and rules. Pages without words need OCR. */
      text: (page: number, signal: AbortSignal) => read<ReadPage>({ type: 'text', page }, signal),
      render: (page: number, size: RasterSize, signal: AbortSignal) =>
        read<Raster>({ type: 'render', page, size }, signal),
      /** A JPEG for display. */
      picture: (page: number, signal: AbortSignal) => read<Buffer>({ type: 'picture', page }, signal),
      /** A grayscale raster for OCR and a JPEG for display. */
      scan: (page: number, size: RasterSize, signal: AbortSignal) => read<Scan>({ type: 'scan', page, size }, signal),
      /** Cancels pending requests. Idempotent; never throws. */
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

const MAX_CPU_SECONDS = 60;
