import type { GrayImage } from './grayscale.ts';
import type { LineWord } from './ocr-engine.ts';
import { startTesseract, type TesseractCommand, type TesseractProcess } from './tesseract-process.ts';
import { parseTsv } from './tsv.ts';

/** An idle process takes about 100 MB. */
const MAX_IDLE_MS = 60_000;
/** A machine under load starts a process in a few seconds. */
const START_TIMEOUT_MS = 30_000;

/**
 * Tesseract processes that read many pages, because loading the models takes 0.2 s and more. Rejects if `command` cannot read a
 * stream of images: without `stdbuf`, `/dev/fd` or a folder for temporary files.
 *
 * `limit`: maximum number of processes while at most as many calls of `read` run.
 */
export async function openTesseractPool(command: TesseractCommand, limit: number) {
  const idle = new Map<TesseractProcess, { command: TesseractCommand; timer: NodeJS.Timeout }>();
  let reading = 0;
  let isClosed = false;

  const take = (wanted: TesseractCommand): TesseractProcess | undefined => {
    for (const [process, one] of idle) {
      if (one.command !== wanted && !process.hasExited) continue;
      clearTimeout(one.timer);
      idle.delete(process);
      if (!process.hasExited) return process;
    }
    return undefined;
  };
  const end = (process: TesseractProcess) => {
    clearTimeout(idle.get(process)?.timer);
    idle.delete(process);
    process.end();
  };
  const endOldest = (count: number) => [...idle.keys()].slice(0, Math.max(0, count)).forEach(end);
  const endExcess = () => endOldest(isClosed ? idle.size : reading + idle.size - limit);

  /** Rejects with the signal's reason if it is aborted, and with the exit code if the process ends. */
  const read = async (wanted: TesseractCommand, lines: readonly GrayImage[], signal: AbortSignal) => {
    reading++;
    try {
      const process = take(wanted) ?? (await startTesseract(wanted));
      endExcess();
      const words = await readWith(process, lines, signal);
      idle.set(process, { command: wanted, timer: setTimeout(() => end(process), MAX_IDLE_MS).unref() });
      return words;
    } finally {
      reading--;
      endExcess();
    }
  };
  await read(command, [], AbortSignal.timeout(START_TIMEOUT_MS));
  return {
    read,
    /** Processes that are reading end afterwards. */
    close: () => {
      isClosed = true;
      endExcess();
    },
  };
}

async function readWith(
  process: TesseractProcess,
  lines: readonly GrayImage[],
  signal: AbortSignal,
): Promise<LineWord[][]> {
  const kill = () => process.kill(signal.reason);
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill);
  try {
    const rounds = await process.read(lines);
    return rounds.flatMap(({ tsv, firstPage, images }) => parseTsv(tsv, images, firstPage));
  } catch (error) {
    process.kill(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}
