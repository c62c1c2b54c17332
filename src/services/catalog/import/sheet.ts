import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Said, SheetOptions } from './sheet-thread.ts';
import { type Cell, notATable } from './table.ts';

/** More than a workbook of a thousand records takes; what takes more is not read. */
const HEAP_MIB = 512;
const LIMIT_MS = 30_000;

// Built, the program lies beside this file as JavaScript; from sources it is TypeScript, which Node 20 cannot read.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const READS_TYPES = 'typescript' in process.features && process.features.typescript !== false;

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
  const thread = startThread({ bytes, most });
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

function startThread(options: SheetOptions): Worker {
  const program = new URL(`./sheet-thread.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url);
  const reader = new URL('../../../ml/testing/read-types.mjs', import.meta.url).href;
  return new Worker(program, {
    workerData: options,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    ...(FROM_SOURCE && !READS_TYPES && { execArgv: ['--import', reader] }),
  });
}
