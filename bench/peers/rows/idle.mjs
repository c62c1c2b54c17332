// A lone task on a machine with nothing else to do: from sending it to reading that it is done, asked every millisecond.
import { setTimeout as delay } from 'node:timers/promises';
import { finished } from '../check.mjs';
import { predict } from '../client.mjs';
import { asked } from '../engines/task.mjs';
import { tell } from '../house.mjs';

const TASKS = 30;
const WARM_UP = 5;

/** Milliseconds for each contender, sorted: a task of each in turn, so that all see the same machine. */
export async function idle(places) {
  const workers = [];
  for (const { contender } of places) {
    await contender.clear();
    const worker = await contender.worker();
    await tell(worker, 'begin');
    workers.push(worker);
  }
  const took = places.map(() => []);
  for (let i = -WARM_UP; i < TASKS; i++) {
    for (const [at, { url }] of places.entries()) {
      await delay(20 + Math.random() * 100); // in no step with anybody's clock
      const begun = performance.now();
      await finished(url, await predict(url, asked()));
      if (i >= 0) took[at].push(performance.now() - begun);
    }
  }
  for (const worker of workers) worker.kill('SIGKILL');
  return took.map((each) => each.sort((a, b) => a - b));
}
