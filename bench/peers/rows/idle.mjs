import { setTimeout as delay } from 'node:timers/promises';
import { finished } from '../check.mjs';
import { predict } from '../client.mjs';
import { taskInput } from '../engines/task.mjs';
import { command } from '../environment.mjs';

const TASKS = 30;
const WARM_UP = 5;

/** Sorted milliseconds per contender. Contenders alternate, so that all see the same machine state. */
export async function idle(places) {
  const workers = [];
  for (const { contender } of places) {
    await contender.clear();
    const worker = await contender.worker();
    await command(worker, 'start');
    workers.push(worker);
  }
  const durations = places.map(() => []);
  for (let i = -WARM_UP; i < TASKS; i++) {
    for (const [at, { url }] of places.entries()) {
      await delay(20 + Math.random() * 100);
      const startedAt = performance.now();
      await finished(url, await predict(url, taskInput()));
      if (i >= 0) durations[at].push(performance.now() - startedAt);
    }
  }
  for (const worker of workers) worker.kill('SIGKILL');
  return durations.map((each) => each.sort((a, b) => a - b));
}
