import { once } from 'node:events';
import { withTimeLimit } from '../../../base/time-limit.ts';
import { startThread } from '../../../base/worker-entry.ts';
import { type Cell, tableError } from './table-records.ts';
import type { SheetOptions, SheetResult } from './xlsx-thread.ts';

/** More than a workbook of 1000 records needs. */
const HEAP_MIB = 512;
const LIMIT_MS = 30_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Reads at most `most` rows; formulas yield their stored values. One workbook at a time, in a thread with limited
 * memory and time. Throws {@link InvalidInput}.
 */
export function readFirstSheet(bytes: Buffer, most: number, signal: AbortSignal): Promise<Cell[][]> {
  const reading = last.then(() => readInThread(bytes, most, signal));
  last = reading.catch(() => {});
  return reading;
}

async function readInThread(bytes: Buffer, most: number, signal: AbortSignal): Promise<Cell[][]> {
  signal.throwIfAborted();
  const thread = startThread('./xlsx-thread', import.meta.url, {
    workerData: { bytes, most } satisfies SheetOptions,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  try {
    const [result] = (await Promise.race([
      withTimeLimit(LIMIT_MS, signal, (limited) => once(thread, 'message', { signal: limited })),
      once(thread, 'exit').then(() => [TOO_LARGE]),
    ])) as [SheetResult];
    if ('problem' in result) throw tableError(result.problem);
    return result.rows;
  } catch (error) {
    signal.throwIfAborted();
    // The thread's code reports all other errors as errors of the file.
    if ((error as Error).name === 'AbortError' || (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw tableError(TOO_LARGE.problem);
    }
    throw error;
  } finally {
    await thread.terminate();
  }
}

const TOO_LARGE: Extract<SheetResult, { problem: string }> = {
  problem: 'The workbook needs too much memory or time to read',
};
