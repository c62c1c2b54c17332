import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import {
  openScanReader,
  type ScanReader,
  type ScanReaderOptions,
} from '../../../src/services/passports/model/ocr/read-scan.ts';
import { openPdf, type Pdf } from '../../../src/services/passports/model/pages/pdf.ts';
import type { ReadPage } from '../../../src/services/passports/page-geometry.ts';
import { simulatePhoto, simulateScan } from './degrade.ts';
import type { GeneratedDocument } from './documents.ts';
import { createRandom } from './random.ts';

export type Kind = 'pdf' | 'scan' | 'photo';
type Rotation = 0 | 90 | 180 | 270;

/** Reads generated documents like the product: the text layer of PDFs, and scans and photos by OCR. */
export interface DocumentReader {
  read(made: GeneratedDocument, kind: Kind, seed: number): Promise<ReadPage[]>;
  /** `turned` rotates photos. */
  readPdf(path: string, kind: Kind, seed: number, turned?: Rotation): Promise<ReadPage[]>;
  close(): Promise<void>;
}

const DPI = 200;
const MAX_PIXELS = 20_000_000;

/** Uses the installed Tesseract, or with `tesseract: 'none'` the bundled Tesseract.js. */
export function openDocumentReader(options: ScanReaderOptions = {}): DocumentReader {
  let scans: Promise<ScanReader> | undefined;
  const signal = new AbortController().signal;

  async function readPicture(jpeg: Buffer, page: number): Promise<ReadPage> {
    scans ??= openScanReader(options);
    const reader = await scans;
    const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    const size = { width: (info.width * 72) / DPI, height: (info.height * 72) / DPI };
    const raster = { width: info.width, height: info.height, channels: info.channels as 1 | 3, data };
    return { page, ...size, ...(await reader.read(raster, { size, signal })), reader: reader.name };
  }

  async function pageOf(pdf: Pdf, pageNumber: number, kind: Kind, seed: number, turned: Rotation): Promise<ReadPage> {
    if (kind === 'pdf') return pdf.text(pageNumber, signal);
    const page = await pdf.render(pageNumber, { dpi: DPI, maxPixels: MAX_PIXELS }, signal);
    const random = createRandom(seed * 1000 + pageNumber);
    return readPicture(
      kind === 'scan' ? await simulateScan(page, random) : await simulatePhoto(page, random, turned),
      pageNumber,
    );
  }

  async function readPdf(path: string, kind: Kind, seed: number, turned: Rotation = 0): Promise<ReadPage[]> {
    const pdf = await openPdf(path, { maxPages: 50, signal });
    try {
      const pages: ReadPage[] = [];
      for (let number = 1; number <= pdf.pages; number++) pages.push(await pageOf(pdf, number, kind, seed, turned));
      return pages;
    } finally {
      await pdf.close();
    }
  }

  return {
    readPdf,
    async read(made, kind, seed) {
      const folder = await mkdtemp(join(tmpdir(), 'document-'));
      try {
        const path = join(folder, 'made.pdf');
        await writeFile(path, made.pdf);
        return await readPdf(path, kind, seed, made.layout.turned);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    async close() {
      await (await scans)?.close();
    },
  };
}
