import { startThread } from '../../../../base/worker-entry.ts';
import { createSemaphore } from '../../../../ml/semaphore.ts';
import { openThreadPool } from '../../../../ml/thread-pool.ts';
import type { Raster } from './grayscale.ts';
import type { PreprocessedPage } from './preprocess.ts';
import type { PreprocessResponse } from './preprocess-thread.ts';

/** Preprocesses pages in threads: half a second of CPU time each. */
export interface PreprocessPool {
  preprocess(raster: Raster, signal: AbortSignal): Promise<PreprocessedPage>;
  close(): Promise<void>;
}

/** A thread that crashes fails only its own page. */
export function openPreprocessPool(concurrency: number): PreprocessPool {
  const semaphore = createSemaphore(concurrency);
  const threads = openThreadPool(() => startThread('./preprocess-thread', import.meta.url), 'OCR preprocessing');
  return {
    async preprocess(raster, signal) {
      const response = await semaphore(() => threads.request<PreprocessResponse>(raster, signal));
      if ('error' in response) throw new Error(`Preprocessing of the page failed: ${response.error}`);
      return response.page;
    },
    close: () => threads.close(),
  };
}
