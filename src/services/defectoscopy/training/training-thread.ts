import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { Queryable, QueryResult } from '../../../base/db.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { fitCorrections } from './train-from-corrections.ts';
import { TrainingError } from './training-error.ts';
import { reportOf } from './training-report.ts';
import type { ThreadMessage, ThreadTraining } from './training-worker.ts';

const port = parentPort!;
const post = (message: ThreadMessage) => port.postMessage(message);

/** The connections belong to the parent. One statement at a time. */
const db: Queryable = {
  async query<Row>(sql: Parameters<Queryable['query']>[0], params: readonly unknown[] = []) {
    post({ sql, params });
    const [{ rows, rowCount }] = (await once(port, 'message')) as [QueryResult<Record<string, unknown>>];
    return { rows: rows.map(withBuffers) as Row[], rowCount };
  },
};

/** Messages turn a Buffer into a Uint8Array. */
const withBuffers = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
  );

/** Reading the photos is the first step, each head is another one. */
const reportProgress = (step: number, done: number, total: number) => {
  const progress = Math.floor((100 * (step + done / total)) / 4) / 100;
  if (progress > shown) post({ progress });
  shown = Math.max(shown, progress);
};
let shown = 0;

try {
  const fitted = await fitCorrections({
    ...{ ...(workerData as ThreadTraining), db },
    log: (line) => post({ line }),
    onProgress: (done, total) => reportProgress(0, done, total),
    onHead: (done, total) => reportProgress(1, (3 * done) / total, 1),
  });
  post({ outcome: { report: reportOf(fitted), files: fitted.files } });
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  const code = error instanceof TrainingError ? error.code : 'TRAINING_FAILED';
  post({ outcome: { failure: { code, message: error.message } } });
}
