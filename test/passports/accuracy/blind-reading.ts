import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import type { ReadPage } from '../../../src/services/passports/page-geometry.ts';
import type { BlindDocument } from './blind-forms.ts';
import { type DocumentReader, type Kind, openDocumentReader } from './reading.ts';

export type Ocr = 'system' | 'registry';

/** Prints the documents of blind forms with Chromium, unless they are files, and reads them. Keeps PDFs and pages in the folder `cache`. */
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

  async function printed(form: string, number: number, html: string): Promise<string> {
    const pdf = join(cache, `${form}.${number}.pdf`);
    if (!existsSync(pdf)) await print(html, pdf);
    return pdf;
  }

  return {
    async read(form: string, { number, html, files }: BlindDocument, kind: string): Promise<ReadPage[]> {
      const suffix = ocr === 'registry' && kind !== 'pdf' ? `${kind}-registry` : kind;
      const path = join(cache, `${form}.${number}.${suffix}.json`);
      if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as ReadPage[];
      await mkdir(cache, { recursive: true });
      reader ??= openDocumentReader(ocr === 'registry' ? { tesseract: 'none' } : {});
      const pages = files
        ? await reader.readFiles(files.get(kind)!)
        : await reader.readPdf(await printed(form, number, html!), kind as Kind, number);
      await writeFile(path, JSON.stringify(pages));
      return pages;
    },
    async close(): Promise<void> {
      await Promise.all([reader?.close(), browser?.then((one) => one.close())]);
    },
  };
}
