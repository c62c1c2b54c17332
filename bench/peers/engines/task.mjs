import { RESULT } from '../../result.mjs';

export { RESULT };

export const taskInput = ({ hold = false } = {}) => ({
  image_url: `https://files.assay.internal/${hold ? 'HOLD' : '01KAF3M9WZ7Y5T2Q8C4N6B1D0E'}`,
  priority: 'realtime',
});

export const CONCURRENCY = 50;

/** Runs a task. Reports the start of a `hold` task; a worker with `HOLDS` never finishes it. */
export async function work(id, { image_url }) {
  if (image_url.endsWith('/HOLD')) {
    process.send({ started: String(id) });
    if (process.env.HOLDS) await new Promise(() => {});
  }
  return RESULT;
}
