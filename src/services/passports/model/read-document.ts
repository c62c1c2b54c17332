import pLimit from 'p-limit';
import type { Log } from '../../../base/log.ts';
import { DRAWN_ON_REQUEST, type Extraction } from '../extraction.ts';
import { type ReadPage, uprightFrame } from '../page-geometry.ts';
import { OcrTimeout, type ScanReader, type ScanResult } from './ocr/read-scan.ts';
import type { Pdf } from './pages/pdf.ts';

/** Tesseract is trained on 300 dpi. A3 then has 17 million pixels; larger pages are scaled down. */
const SCAN = { dpi: 300, maxPixels: 20_000_000 };

export interface ReadDocument {
  readonly pages: readonly ReadPage[];
  readonly sheets: Extraction['sheets'];
  /** Page numbers; the `words` of these pages are empty. */
  readonly timedOutPages: readonly number[];
}

export interface ReadDocumentOptions {
  readonly reader: ScanReader;
  /** Pages of an earlier attempt by number; not read again. */
  readonly known: ReadonlyMap<number, PageResult>;
  /** Stores the JPEG of a page that OCR reads, and returns its key. */
  readonly savePage: (page: Omit<PageResult, 'picture'>, jpeg: Buffer) => Promise<string>;
  readonly onPage: (done: number) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Reads the text layer of each page, or its image by OCR. Memory is bounded by the reader's concurrency. */
export async function readDocument(pdf: Pdf, options: ReadDocumentOptions): Promise<ReadDocument> {
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const limit = pLimit(options.reader.concurrency);
  let done = 0;
  const pages = Array.from({ length: pdf.pages }, (_, i) =>
    limit(async () => {
      signal.throwIfAborted();
      const result = options.known.get(i + 1) ?? (await readPage(pdf, i + 1, { ...options, signal }));
      options.onPage(++done);
      return result;
    }).catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  // No work continues after this function returns.
  await Promise.allSettled(pages);
  if (failed.signal.aborted) throw failed.signal.reason;
  const read = await Promise.all(pages);
  return {
    timedOutPages: read.flatMap(({ page, isTimedOut }) => (isTimedOut ? [page.page] : [])),
    pages: read.map(({ page }) => page),
    sheets: read.map(({ page: { reader, width, height, turn }, picture }) => ({
      reader,
      width,
      height,
      turn,
      picture,
    })),
  };
}

export interface PageResult {
  readonly page: ReadPage;
  /** Of the image: a key of the file store or {@link DRAWN_ON_REQUEST}. */
  readonly picture: string;
  readonly isTimedOut: boolean;
}

async function readPage(
  pdf: Pdf,
  pageNumber: number,
  { reader, savePage, log, signal }: Omit<ReadDocumentOptions, 'onPage' | 'known'>,
): Promise<PageResult> {
  log.debug({ page: pageNumber }, 'reading a page');
  const text = await pdf.text(pageNumber, signal);
  const size = { width: text.width, height: text.height };
  // Reading it again takes less time than storing it.
  if (text.words.length > 0) return { page: text, picture: DRAWN_ON_REQUEST, isTimedOut: false };
  const { raster, picture } = await pdf.scan(pageNumber, SCAN, signal);
  let isTimedOut = false;
  const scan = await reader.read(raster, { size, signal }).catch((error: unknown): ScanResult => {
    // A timeout affects this page only.
    if (!(error instanceof OcrTimeout)) throw error;
    isTimedOut = true;
    return { words: [], rules: [], turn: 0, reading: uprightFrame(size.width, size.height, 0) };
  });
  const read = { page: { page: pageNumber, ...size, ...scan, reader: reader.name }, isTimedOut };
  return { ...read, picture: await savePage(read, picture) };
}
