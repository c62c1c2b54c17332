import { once } from 'node:events';
import { startThread } from '../../../base/programs.ts';
import type { Said, SheetOptions } from './sheet-thread.ts';
import { type Cell, notATable } from './table.ts';

/** More than a workbook of a thousand records takes; what takes more is not read. */
const HEAP_MIB = 512;
const LIMIT_MS = 30_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * The rows of the first sheet of an XLSX workbook, at most `most` of them; formulas are the values that were computed,
 * and nothing is computed here. One workbook at a time, in a thread of its own with bounded memory and time. Throws
 * {@link InvalidInput} for what cannot be read within them.
 */
export function readFirstSheet(bytes: Buffer, most: number, signal: AbortSignal): Promise<Cell[][]> {
  const mine = last.then(() => readAlone(bytes, most, signal));
  last = mine.catch(() => {});
  return mine;
}

async function readAlone(bytes: Buffer, most: number, signal: AbortSignal): Promise<Cell[][]> {
  signal.throwIfAborted();
  const limit = AbortSignal.timeout(LIMIT_MS);
  const thread = startThread('./sheet-thread', import.meta.url, {
    workerData: { bytes, most } satisfies SheetOptions,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  try {
    const [said] = (await Promise.race([
      once(thread, 'message', { signal: AbortSignal.any([signal, limit]) }),
      once(thread, 'exit').then(() => [TOO_LARGE]),
    ])) as [Said];
    if ('problem' in said) throw notATable(said.problem);
    return said.rows;
  } catch (error) {
    signal.throwIfAborted();
    // What ends the thread is its memory; its code takes every other trouble for one of the file's.
    if (limit.aborted || (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw notATable(TOO_LARGE.problem);
    }
    throw error;
  } finally {
    await thread.terminate();
  }
}

const TOO_LARGE: Extract<Said, { problem: string }> = { problem: 'The workbook takes too much memory or time to read' };
