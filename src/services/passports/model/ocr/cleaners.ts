import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../../base/programs.ts';
import { createGate } from '../../../../ml/gate.ts';
import { said } from '../../../../ml/kept-thread.ts';
import type { CleanPage } from './clean.ts';
import type { Cleaned } from './clean-thread.ts';
import type { Raster } from './grey.ts';

/** Threads that clean pages: half a second of arithmetic each, in which this process has to beat its heart. */
export interface Cleaners {
  clean(raster: Raster, signal: AbortSignal): Promise<CleanPage>;
  close(): Promise<void>;
}

/** `lanes` threads, each started when it is first needed. A thread that dies takes its page with it and no other. */
export function openCleaners(lanes: number): Cleaners {
  const lane = createGate(lanes);
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  return {
    clean: (raster, signal) =>
      lane(async () => {
        signal.throwIfAborted();
        const thread = idle.pop() ?? start(all);
        const cleaned = said<Cleaned>(thread, 'the cleaner');
        thread.postMessage(raster);
        const answer = await cleaned;
        if (all.has(thread)) idle.push(thread);
        signal.throwIfAborted();
        if ('error' in answer) throw new Error(`The page could not be cleaned: ${answer.error}`);
        return answer.page;
      }),
    async close() {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}

function start(all: Set<Worker>): Worker {
  const thread = startThread('./clean-thread', import.meta.url);
  all.add(thread);
  thread.once('exit', () => all.delete(thread));
  // Whoever waits for it is told by `said`; without a listener an idle one's death would be the process's.
  thread.on('error', () => {});
  return thread;
}
