// `kill -9` of a worker that holds a task, and how long until another one begins it.
import { setTimeout as delay } from 'node:timers/promises';
import { asked } from '../engines/task.mjs';
import { tell } from '../house.mjs';

/** Kills come at different moments of whatever turns inside. */
const KILLS = 3;
const SPREAD_MS = 1700;

/**
 * Seconds for each of `KILLS` tasks of a queue that is empty before; `undefined` for one that nobody had begun after
 * `patienceMs`. Throws where a task was taken from a worker that lived: then the machine is too busy to say anything.
 */
export async function takeover({ contender, queue, patienceMs }) {
  const holders = [];
  for (let i = 0; i < KILLS; i++) holders.push(await contender.worker({ queue, holds: true }));
  const held = holders.map((holder) => new Promise((resolve) => onBegun(holder, resolve)));
  await Promise.all(holders.map((holder) => tell(holder, 'begin')));
  await contender.fill(
    holders.map(() => asked({ hold: true })),
    queue,
  );
  const ids = await Promise.all(held);
  const successor = await contender.worker({ queue });
  const begun = new Map();
  onBegun(successor, (id) => begun.set(id, performance.now()));
  await tell(successor, 'begin');
  await delay(2000);

  const took = async (holder, i) => {
    await delay(i * SPREAD_MS);
    const [id, killed] = [ids[i], performance.now()];
    if (begun.has(id)) throw new Error(`${contender.name}: a task was taken from a worker that lived`);
    holder.kill('SIGKILL');
    while (!begun.has(id) && performance.now() - killed < patienceMs) await delay(20);
    return begun.has(id) ? (begun.get(id) - killed) / 1000 : undefined;
  };
  const all = await Promise.all(holders.map(took));
  successor.kill('SIGKILL');
  return all;
}

const onBegun = (worker, take) =>
  worker.on('message', ({ begun }) => {
    if (begun !== undefined) take(begun);
  });
