import { OperatorError } from '../base/operator-error.ts';
import { loadConfig, onDatabase } from '../config.ts';
import { train } from '../services/defectoscopy/training/train.ts';
import { trainAnomaly } from '../services/defectoscopy/training/train-anomaly.ts';
import { trainFromCorrections } from '../services/defectoscopy/training/train-from-corrections.ts';
import { databaseOf, withExistingDatabase } from './existing-database.ts';
import { notMigrated, quietOnTerminal, throwOperatorError } from './terminal.ts';

export interface TrainOptions {
  readonly name?: string;
  /** The folder has photos of one surface without defects, and no labels. */
  readonly anomaly?: boolean;
  /** Trains on the corrections of results instead of a folder. */
  readonly fromCorrections?: boolean;
}

/**
 * `assay train`: trains the heads of the defectoscopy model on labelled images or on corrections, or a detector on sound
 * images.
 */
export async function trainCommand(folder: string | undefined, options: TrainOptions = {}): Promise<void> {
  const { name, anomaly = false, fromCorrections = false } = options;
  if (fromCorrections && (folder !== undefined || anomaly))
    throw new OperatorError(
      '--from-corrections uses the corrections in the database: leave out the folder and --anomaly.',
    );
  if (!fromCorrections && folder === undefined)
    throw new OperatorError('State a folder of images, or use --from-corrections.');
  const config = await loadConfig(quietOnTerminal(), 'train');
  const planned = onDatabase(config, databaseOf(config, 'defectoscopy'));
  const { dataDir } = planned.shared;
  const bar = progressBar(process.stdout);
  const log = (line: string) => console.log(line);
  const onProgress = (done: number, total: number) => bar(done, total, performance.now());
  if (folder !== undefined) {
    await (anomaly ? trainAnomaly : train)({ folder, name, dataDir, log, onProgress });
    return;
  }
  const nothing = 'There are no corrections';
  await withExistingDatabase({ planned, applicationName: 'assay-train', nothing }, (db) =>
    trainFromCorrections({ db, name, dataDir, log, onProgress }),
  )
    .catch(notMigrated(nothing))
    .catch(throwOperatorError);
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
