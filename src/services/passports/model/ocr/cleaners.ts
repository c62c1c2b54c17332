import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../../base/programs.ts';
import { createGate } from '../../../../ml/gate.ts';
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
        const answer = await ask(thread, raster);
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
  // Whoever waits for it is told by `ask`; without a listener an idle one's death would be the process's.
  thread.on('error', () => {});
  return thread;
}

async function ask(thread: Worker, raster: Raster): Promise<Cleaned> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    thread.postMessage(raster);
    // `once` rejects with the error that ends a thread.
    const answer = once(thread, 'message', { signal }) as Promise<[Cleaned]>;
    const ended = once(thread, 'exit', { signal }).then((): never => {
      throw new Error('The thread that cleans pages has ended.');
    });
    return (await Promise.race([answer, ended]))[0];
  } finally {
    settled.abort();
  }
}
