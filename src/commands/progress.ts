import { statusLine } from './terminal.ts';

export interface TaskProgress {
  readonly status: string;
  /** 0..1 */
  readonly progress?: number;
}

const EVERY_MS = 250;
const WIDTH = 30;

/** Shows elapsed time and progress on a terminal while `run` waits; `run` reports each task state. */
export async function withProgress<T>(
  run: (onState: (state: TaskProgress) => void) => Promise<T>,
  { estimateSeconds, out = process.stderr }: { estimateSeconds?: number; out?: NodeJS.WriteStream } = {},
): Promise<T> {
  const begun = performance.now();
  const line = statusLine(out);
  let state: TaskProgress = { status: 'queued' };
  const show = () => line.show(formatProgress(state, (performance.now() - begun) / 1000, estimateSeconds));
  const ticking = setInterval(show, EVERY_MS);
  try {
    return await run((latest) => {
      state = latest;
      show();
    });
  } finally {
    clearInterval(ticking);
    line.clear();
  }
}

export function formatProgress({ status, progress }: TaskProgress, seconds: number, estimateSeconds?: number): string {
  const state = status.toLowerCase();
  if (progress === undefined) {
    const estimate = estimateSeconds === undefined ? '' : ` (estimated ${estimateSeconds} s)`;
    return `${state}, ${Math.floor(seconds)} s${estimate}`;
  }
  return `${progressBar(progress)} ${Math.floor(progress * 100)} %, ${state}, ${Math.floor(seconds)} s`;
}

/** `share`: 0..1. */
export function progressBar(share: number): string {
  const filled = Math.round(WIDTH * share);
  return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}]`;
}
