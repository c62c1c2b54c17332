// The task that every contender carries: the same words in, the same result out, no work at all between them.
import { RESULT } from '../../result.mjs';

export { RESULT };

/** What a client asks for; `hold` makes it a task that a holding worker never ends. */
export const asked = ({ hold = false } = {}) => ({
  image_url: `https://files.assay.internal/${hold ? 'HOLD' : '01KAF3M9WZ7Y5T2Q8C4N6B1D0E'}`,
  priority: 'realtime',
});

/** How many tasks a worker has in hand at once, the same for all. */
export const IN_HAND = 50;

/**
 * What a worker does with a task. A worker with `HOLDS` set says which task it holds and stays with it for ever; every
 * other says when it begins one that was held, and ends it at once like all the rest.
 */
export async function work(id, { image_url }) {
  if (image_url.endsWith('/HOLD')) {
    process.send({ begun: String(id) });
    if (process.env.HOLDS) await new Promise(() => {});
  }
  return RESULT;
}
