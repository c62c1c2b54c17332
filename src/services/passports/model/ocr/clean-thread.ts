import { parentPort } from 'node:worker_threads';
import { type CleanPage, cleanPage } from './clean.ts';
import { greyOf, type Raster } from './grey.ts';

/** What the thread answers to each raster, in order. */
export type Cleaned = { readonly page: CleanPage } | { readonly error: string };

parentPort!.on('message', (raster: Raster) => {
  try {
    const page = cleanPage(greyOf(raster));
    parentPort!.postMessage({ page } satisfies Cleaned, memoryOf(page));
  } catch (error) {
    parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies Cleaned);
  }
});

/** Given away, not copied. */
const memoryOf = ({ lines }: CleanPage) => lines.map(({ data }) => data.buffer as ArrayBuffer);
