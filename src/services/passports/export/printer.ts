import type { Opened } from '../documents.ts';
import { reportTooLong } from '../refusals.ts';
import { type Press, startPress } from './press.ts';
import { type ReportOptions, reportOf } from './report.ts';
import { openTurns } from './turns.ts';

/** Makes the printed reports of a gateway, beside everything else that it does. */
export interface Printer {
  /**
   * The PDF of a document, in its turn. Throws the signal's reason once that aborts, and `REPORT_UNAVAILABLE` where too
   * many wait already, or where the report would take more time or memory than any may.
   */
  print(opened: Opened, options: ReportOptions, signal: AbortSignal): Promise<Buffer>;
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

// The longest table there can be, of 9999 rows, takes some 10 s and 350 MiB; a machine with other work is slower by much.
const LIMITS: PrintLimits = { atOnce: 2, waiting: 32, ms: 120_000, heapMiB: 768, idleMs: 60_000 };

/** Opens one; it starts no thread before somebody wants a report. */
export function openPrinter(limits: PrintLimits = LIMITS): Printer {
  const turns = openTurns(limits);
  const resting: { press: Press; timer: NodeJS.Timeout }[] = [];
  const presses = new Set<Press>();
  const closing = new AbortController();

  function take(): Press {
    for (let next = resting.pop(); next !== undefined; next = resting.pop()) {
      clearTimeout(next.timer);
      if (next.press.alive) return next.press;
      presses.delete(next.press);
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
      resting.splice(
        resting.findIndex((one) => one.press === press),
        1,
      );
      void end(press);
    }, limits.idleMs);
    resting.push({ press, timer: timer.unref() });
  }

  /** Puts the press back, or ends it where it failed: what it was doing, it would go on doing. */
  async function printed(report: Parameters<Press['print']>[0], signal: AbortSignal): Promise<Buffer> {
    const press = take();
    try {
      const pdf = await press.print(report, signal);
      rest(press);
      return pdf;
    } catch (error) {
      await end(press);
      throw error;
    }
  }

  return {
    async print(opened, options, given) {
      const signal = AbortSignal.any([given, closing.signal]);
      const leave = await turns.take(signal);
      const tooLong = AbortSignal.timeout(limits.ms);
      try {
        return await printed(await reportOf(opened, options), AbortSignal.any([signal, tooLong]));
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
      for (const { timer } of resting) clearTimeout(timer);
      await Promise.all([...presses].map(end));
    },
  };
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
