import { startThread } from '../../../../base/programs.ts';
import { createGate } from '../../../../ml/gate.ts';
import { openThreads } from '../../../../ml/threads.ts';
import type { CleanPage } from './clean.ts';
import type { Cleaned } from './clean-thread.ts';
import type { Raster } from './grey.ts';

/** Threads that clean pages: half a second of arithmetic each, in which this process has to beat its heart. */
export interface Cleaners {
  clean(raster: Raster, signal: AbortSignal): Promise<CleanPage>;
  close(): Promise<void>;
}

/** At most `lanes` threads. A thread that dies takes its page with it and no other. */
export function openCleaners(lanes: number): Cleaners {
  const lane = createGate(lanes);
  const threads = openThreads(() => startThread('./clean-thread', import.meta.url), 'the cleaner');
  return {
    async clean(raster, signal) {
      const answer = await lane(() => threads.ask<Cleaned>(raster, signal));
      if ('error' in answer) throw new Error(`The page could not be cleaned: ${answer.error}`);
      return answer.page;
    },
    close: () => threads.close(),
  };
}
