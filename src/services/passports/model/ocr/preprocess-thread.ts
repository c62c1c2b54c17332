import { parentPort } from 'node:worker_threads';
import { type CleanPage, cleanPage } from './clean.ts';
import { greyOf, type Raster } from './grey.ts';

export type PreprocessResponse = { readonly page: CleanPage } | { readonly error: string };

parentPort!.on('message', (raster: Raster) => {
  try {
    const page = cleanPage(greyOf(raster));
    parentPort!.postMessage({ page } satisfies PreprocessResponse, buffersOf(page));
  } catch (error) {
    parentPort!.postMessage({
      error: error instanceof Error ? error.message : String(error),
    } satisfies PreprocessResponse);
  }
});

/** Transferred, not copied. */
const buffersOf = ({ lines: images }: CleanPage) => images.map(({ data }) => data.buffer as ArrayBuffer);
