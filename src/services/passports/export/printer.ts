import { reportTooLong } from '../refusals.ts';
import { type Press, startPress } from './press.ts';
import { type Picture, proofOf } from './proof.ts';
import type { ReportSource } from './report.ts';
import { openTurns } from './turns.ts';

/** Makes the printed reports of a gateway, beside everything else that it does. */
export interface Printer {
  /**
   * The PDF of a document, in its turn; `picture` fetches the pictures of its pages. Throws the signal's reason once that
   * aborts, and `REPORT_UNAVAILABLE` where too many wait already or the report needs more time or memory than any may.
   */
  print(source: ReportSource, picture: Picture, signal: AbortSignal): Promise<Buffer>;
  /** Ends what is being printed. */
  close(): Promise<void>;
}

export interface PrintLimits {
  /** Reports that are made at a time. */
  readonly atOnce: number;
  /** Reports that wait meanwhile. */
  readonly waiting: number;
  /** For one report, from its turn on. */
  readonly ms: number;
  readonly heapMiB: number;
  /** Loading what prints takes longer than printing most documents: a thread waits so long for the next one. */
  readonly idleMs: number;
}

// The longest table there can be, of 9999 rows, takes 4 to 12 s and less than 256 MiB.
const LIMITS: PrintLimits = { atOnce: 2, waiting: 16, ms: 120_000, heapMiB: 512, idleMs: 60_000 };

/** Opens one; it starts no thread before somebody wants a report. */
export function openPrinter(limits: PrintLimits = LIMITS): Printer {
  const turns = openTurns(limits);
  const presses = new Set<Press>();
  /** Those that have nothing to do, each with the clock of its end. */
  const resting = new Map<Press, NodeJS.Timeout>();
  const closing = new AbortController();

  function take(): Press {
    for (const [press, timer] of resting) {
      clearTimeout(timer);
      resting.delete(press);
      if (press.alive) return press;
      presses.delete(press);
    }
    const press = startPress(limits.heapMiB);
    presses.add(press);
    return press;
  }

  async function end(press: Press): Promise<void> {
    presses.delete(press);
    await press.end();
  }

  function rest(press: Press): void {
    const timer = setTimeout(() => {
      resting.delete(press);
      void end(press);
    }, limits.idleMs);
    resting.set(press, timer.unref());
  }

  /** Puts the press back, or ends it where it failed: what it was doing, it would go on doing. */
  async function printed(source: ReportSource, picture: Picture, signal: AbortSignal): Promise<Buffer> {
    const press = take();
    try {
      const pdf = await press.print(source, (places) => proofOf(source.opened, places, picture), signal);
      rest(press);
      return pdf;
    } catch (error) {
      await end(press);
      throw error;
    }
  }

  return {
    async print(source, picture, given) {
      const signal = AbortSignal.any([given, closing.signal]);
      const leave = await turns.take(signal);
      const tooLong = AbortSignal.timeout(limits.ms);
      try {
        return await printed(source, picture, AbortSignal.any([signal, tooLong]));
      } catch (error) {
        signal.throwIfAborted();
        if (tooLong.aborted || isOutOfMemory(error)) throw reportTooLong();
        throw error;
      } finally {
        leave();
      }
    },
    async close() {
      closing.abort();
      for (const timer of resting.values()) clearTimeout(timer);
      await Promise.all([...presses].map(end));
    },
  };
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
