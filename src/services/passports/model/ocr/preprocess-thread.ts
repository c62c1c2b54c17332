import { parentPort } from 'node:worker_threads';
import { type Raster, toGrayscale } from './grayscale.ts';
import { type PreprocessedPage, preprocessPage } from './preprocess.ts';

export type PreprocessResponse = { readonly page: PreprocessedPage } | { readonly error: string };

parentPort!.on('message', (raster: Raster) => {
  try {
    const page = preprocessPage(toGrayscale(raster));
    parentPort!.postMessage({ page } satisfies PreprocessResponse, buffersOf(page));
  } catch (error) {
    parentPort!.postMessage({
      error: error instanceof Error ? error.message : String(error),
    } satisfies PreprocessResponse);
  }
});

/** Transferred, not copied. */
const buffersOf = ({ images }: PreprocessedPage) => images.map(({ data }) => data.buffer as ArrayBuffer);
