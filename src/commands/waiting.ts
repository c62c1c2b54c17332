import { statusLine } from './telling.ts';

/** How a task stands, as far as its service tells. */
export interface Standing {
  readonly status: string;
  /** 0..1 */
  readonly progress?: number;
}

const EVERY_MS = 250;
const WIDTH = 30;

/**
 * While `run` waits, a line on a terminal's standard error that says how long already, and how far where the service tells
 * that; nothing elsewhere. `run` hands each state that it sees to what it is given.
 */
export async function whileWaiting<T>(
  run: (seen: (state: Standing) => void) => Promise<T>,
  { estimateSeconds, out = process.stderr }: { estimateSeconds?: number; out?: NodeJS.WriteStream } = {},
): Promise<T> {
  const begun = performance.now();
  const line = statusLine(out);
  let state: Standing = { status: 'queued' };
  const show = () => line.show(waitingLine(state, (performance.now() - begun) / 1000, estimateSeconds));
  const ticking = setInterval(show, EVERY_MS);
  try {
    return await run((seen) => {
      state = seen;
      show();
    });
  } finally {
    clearInterval(ticking);
    line.clear();
  }
}

export function waitingLine({ status, progress }: Standing, seconds: number, estimateSeconds?: number): string {
  const word = status.toLowerCase();
  if (progress === undefined) {
    const estimate = estimateSeconds === undefined ? '' : `; the service's estimate is ${estimateSeconds} s`;
    return `${word}, ${Math.floor(seconds)} s${estimate}`;
  }
  const filled = Math.round(WIDTH * progress);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}]`;
  return `${bar} ${Math.floor(progress * 100)} %, ${word}, ${Math.floor(seconds)} s`;
}
