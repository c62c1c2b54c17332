import pLimit from 'p-limit';
import type { EngineFiles } from './engine.ts';
import { openEngineThread } from './engine-thread.ts';
import type { Segment } from './recognizer.ts';

type EngineThread = Awaited<ReturnType<typeof openEngineThread>>;

/** Opens an engine that recognizes up to `parallel` windows at once. The threads after the first start when needed. */
export async function openEngines(files: EngineFiles, { parallel, threads }: { parallel: number; threads: number }) {
  const all = [await openEngineThread(files, threads)];
  const free = [...all];
  const inParallel = pLimit(parallel);
  let closed = false;

  /** Undefined, for example for lack of memory: the window waits for the first engine. */
  async function openAnother(): Promise<EngineThread | undefined> {
    const engine = await openEngineThread(files, threads).catch(() => undefined);
    if (!engine) return undefined;
    all.push(engine);
    if (closed) await engine.close();
    return engine;
  }

  return {
    /** As `recognize` of an engine thread. */
    recognize: (...request: Parameters<EngineThread['recognize']>): Promise<readonly Segment[]> =>
      inParallel(async () => {
        const own = free.shift() ?? (await openAnother());
        try {
          return await (own ?? all[0]!).recognize(...request);
        } finally {
          if (own) free.push(own);
        }
      }),
    async close(): Promise<void> {
      closed = true;
      await Promise.all(all.map((engine) => engine.close()));
    },
  };
}
