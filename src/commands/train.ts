import { loadConfig } from '../config.ts';
import { train } from '../services/defectoscopy/training/train.ts';
import { trainAnomaly } from '../services/defectoscopy/training/train-anomaly.ts';

export interface TrainOptions {
  readonly name?: string;
  /** The folder has photos of one surface without defects, and no labels. */
  readonly anomaly?: boolean;
}

/** `assay train FOLDER`: trains the heads of the defectoscopy model on labelled images, or a detector on sound ones. */
export async function trainCommand(folder: string, { name, anomaly = false }: TrainOptions = {}): Promise<void> {
  const { shared } = await loadConfig(process.env, 'train');
  const bar = progressBar(process.stdout);
  await (anomaly ? trainAnomaly : train)({
    folder,
    name,
    dataDir: shared.dataDir,
    log: (line) => console.log(line),
    onProgress: (done, total) => bar(done, total, performance.now()),
  });
}

const WIDTH = 30;
const EVERY_MS = 200;

/** A bar on a terminal, one line per tenth in a log. */
export function progressBar(out: { isTTY?: boolean; write(text: string): unknown }) {
  let begunMs: number | undefined;
  let shownMs = Number.NEGATIVE_INFINITY;
  let tenths = 0;
  return (done: number, total: number, nowMs: number): void => {
    begunMs ??= nowMs;
    const isLast = done === total;
    const left = Math.ceil((((nowMs - begunMs) / done) * (total - done)) / 1000);
    const text = `${done} of ${total} images${isLast ? '' : `, ${clock(left)} left`}`;
    if (out.isTTY) {
      if (!isLast && nowMs - shownMs < EVERY_MS) return;
      shownMs = nowMs;
      const filled = Math.round((WIDTH * done) / total);
      out.write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${text}        ${isLast ? '\n' : ''}`);
    } else if (isLast || Math.floor((10 * done) / total) > tenths) {
      tenths = Math.floor((10 * done) / total);
      out.write(`${text}\n`);
    }
  };
}

const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
