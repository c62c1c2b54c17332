import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { createLog } from '../../../src/base/log.ts';
import { assemblePdf } from '../../../src/services/passports/images/assemble-pdf.ts';
import {
  openScanReader,
  type ScanReader,
  type ScanReaderOptions,
} from '../../../src/services/passports/model/ocr/read-scan.ts';
import { openPdf, type Pdf } from '../../../src/services/passports/model/pages/pdf.ts';
import { readDocument } from '../../../src/services/passports/model/read-document.ts';
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
  /** A PDF, or images that become one as in the product. */
  readFiles(paths: readonly string[]): Promise<ReadPage[]>;
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

  async function withPdf<T>(pdf: Buffer, read: (path: string) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), 'document-'));
    try {
      const path = join(folder, 'made.pdf');
      await writeFile(path, pdf);
      return await read(path);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async function readFiles(paths: readonly string[]): Promise<ReadPage[]> {
    if (paths[0]!.endsWith('.pdf')) return readPdf(paths[0]!, 'pdf', 1);
    const images = paths.map((path) => ({ rotation: 0 as const, read: () => readFile(path) }));
    scans ??= openScanReader(options);
    const context = {
      ...{ reader: await scans, known: new Map<never, never>(), log: createLog('silent', 'test'), signal },
      ...{ savePage: async () => '', onPage: () => undefined },
    };
    return withPdf(await buffer(assemblePdf(images)), async (path) => {
      const pdf = await openPdf(path, { maxPages: 50, signal });
      try {
        return [...(await readDocument(pdf, context)).pages];
      } finally {
        await pdf.close();
      }
    });
  }

  return {
    readPdf,
    readFiles,
    read: (made, kind, seed) => withPdf(made.pdf, (path) => readPdf(path, kind, seed, made.layout.turned)),
    async close() {
      await (await scans)?.close();
    },
  };
}
