import type { Extraction } from '../extraction.ts';
import { type ReadPage, uprightFrame } from '../page.ts';
import { type ScanRead, type ScanReader, TooMuchToRead } from './ocr/read-scan.ts';
import type { Pdf } from './pages/pdf.ts';

/** What Tesseract is trained on. A3 has 17 million pixels then; a larger page is drawn smaller, so that lanes stay small. */
const SCAN = { dpi: 300, maxPixels: 20_000_000 };

/** All pages of a document: their words for the fields, their looks for people. */
export interface ReadDocument {
  readonly pages: readonly ReadPage[];
  readonly sheets: Extraction['sheets'];
  /** Numbers of pages that took too long: a grain, a pattern of dots. They are here without words. */
  readonly unread: readonly number[];
}

/**
 * Reads every page: the text that it carries, or, where it carries none, its picture. As many pages at once as the reader
 * reads, so memory is bounded by that number and not by the document. `keepPicture` gets a JPEG and answers its key.
 */
export async function readDocument(
  pdf: Pdf,
  needs: {
    reader: ScanReader;
    keepPicture: (jpeg: Buffer) => Promise<string>;
    onPage: (done: number) => void;
    signal: AbortSignal;
  },
): Promise<ReadDocument> {
  const read: Looked[] = [];
  const numbers = Array.from({ length: pdf.pages }, (_, i) => i + 1).values();
  const failed = new AbortController();
  const signal = AbortSignal.any([needs.signal, failed.signal]);
  let done = 0;
  const lane = async () => {
    for (const number of numbers) {
      signal.throwIfAborted();
      read[number - 1] = await readPage(pdf, number, { ...needs, signal });
      needs.onPage(++done);
    }
  };
  const lanes = Array.from({ length: Math.min(needs.reader.lanes, pdf.pages) }, () =>
    lane().catch((error) => {
      // The first failure is the document's; the other lanes only have to stop.
      failed.abort(error);
      throw error;
    }),
  );
  // All of them, so that nothing of this document goes on after it has ended.
  const ends = await Promise.allSettled(lanes);
  if (ends.some(({ status }) => status === 'rejected')) throw failed.signal.reason;
  return {
    unread: read.flatMap(({ page, unread }) => (unread ? [page.page] : [])),
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

interface Looked {
  readonly page: ReadPage;
  readonly picture: string;
  readonly unread?: boolean;
}

async function readPage(
  pdf: Pdf,
  number: number,
  needs: { reader: ScanReader; keepPicture: (jpeg: Buffer) => Promise<string>; signal: AbortSignal },
): Promise<Looked> {
  const { reader, keepPicture, signal } = needs;
  const text = await pdf.text(number, signal);
  const size = { width: text.width, height: text.height };
  if (text.words.length > 0) return { page: text, picture: await keepPicture(await pdf.picture(number, signal)) };
  const { raster, picture } = await pdf.scan(number, SCAN, signal);
  let unread = false;
  const scan = await reader.read(raster, { size, signal }).catch((error: unknown): ScanRead => {
    // The other pages may well be text.
    if (!(error instanceof TooMuchToRead)) throw error;
    unread = true;
    return { words: [], rules: [], turn: 0, reading: uprightFrame(size.width, size.height, 0) };
  });
  return {
    unread,
    page: { page: number, ...size, ...scan, reader: reader.name },
    picture: await keepPicture(picture),
  };
}
