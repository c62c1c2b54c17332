import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import type { ReadPage } from '../../../src/services/passports/page-geometry.ts';
import type { BlindDocument } from './blind-forms.ts';
import { type DocumentReader, type Kind, openDocumentReader } from './reading.ts';

export type Ocr = 'system' | 'registry';

/** Prints the documents of blind forms with Chromium and reads them. Keeps PDFs and pages in the folder `cache`. */
export function openBlindReader({ cache, ocr }: { cache: string; ocr: Ocr }) {
  let browser: Promise<Browser> | undefined;
  let reader: DocumentReader | undefined;

  async function print(html: string, pdf: string): Promise<void> {
    browser ??= chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    const page = await (await browser).newPage();
    await page.goto(pathToFileURL(html).href);
    await writeFile(pdf, await page.pdf({ preferCSSPageSize: true, printBackground: true }));
    await page.close();
  }

  return {
    async read(form: string, { number, html }: BlindDocument, kind: Kind): Promise<ReadPage[]> {
      const suffix = ocr === 'registry' && kind !== 'pdf' ? `${kind}-registry` : kind;
      const path = join(cache, `${form}.${number}.${suffix}.json`);
      if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as ReadPage[];
      await mkdir(cache, { recursive: true });
      const pdf = join(cache, `${form}.${number}.pdf`);
      if (!existsSync(pdf)) await print(html, pdf);
      reader ??= openDocumentReader(ocr === 'registry' ? { tesseract: 'none' } : {});
      const pages = await reader.readPdf(pdf, kind, number);
      await writeFile(path, JSON.stringify(pages));
      return pages;
    },
    async close(): Promise<void> {
      await Promise.all([reader?.close(), browser?.then((one) => one.close())]);
    },
  };
}
