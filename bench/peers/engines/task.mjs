// The task of all contenders: the same input and result, no work.
import { RESULT } from '../../result.mjs';

export { RESULT };

/** Input of a task; holding workers never finish a task with `hold`. */
export const taskInput = ({ hold = false } = {}) => ({
  image_url: `https://files.assay.internal/${hold ? 'HOLD' : '01KAF3M9WZ7Y5T2Q8C4N6B1D0E'}`,
  priority: 'realtime',
});

/** Concurrent tasks per worker. */
export const CONCURRENCY = 50;

/** Runs a task. Reports the start of a `hold` task; a worker with `HOLDS` never finishes it. */
export async function work(id, { image_url }) {
  if (image_url.endsWith('/HOLD')) {
    process.send({ started: String(id) });
    if (process.env.HOLDS) await new Promise(() => {});
  }
  return RESULT;
}
