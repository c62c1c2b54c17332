import { startThread } from '../../../../base/programs.ts';
import { createGate } from '../../../../ml/gate.ts';
import { openThreads } from '../../../../ml/threads.ts';
import type { CleanPage } from './clean.ts';
import type { Raster } from './grey.ts';
import type { PreprocessResponse } from './preprocess-thread.ts';

/** Preprocesses pages in threads: half a second of CPU time each. */
export interface Cleaners {
  clean(raster: Raster, signal: AbortSignal): Promise<CleanPage>;
  close(): Promise<void>;
}

/** A thread that crashes fails only its own page. */
export function openCleaners(concurrency: number): Cleaners {
  const semaphore = createGate(concurrency);
  const threads = openThreads(() => startThread('./preprocess-thread', import.meta.url), 'OCR preprocessing');
  return {
    async clean(raster, signal) {
      const response = await semaphore(() => threads.ask<PreprocessResponse>(raster, signal));
      if ('error' in response) throw new Error(`Preprocessing of the page failed: ${response.error}`);
      return response.page;
    },
    close: () => threads.close(),
  };
}
