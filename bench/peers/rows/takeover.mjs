import { setTimeout as delay } from 'node:timers/promises';
import { taskInput } from '../engines/task.mjs';
import { command } from '../environment.mjs';

/** Spreads the kills over the phases of internal timers. */
const KILLS = 3;
const SPREAD_MS = 1700;

/**
 * Seconds per killed worker; `undefined` after `timeoutMs`. Throws if a task was taken from a live worker, because the
 * machine is too busy.
 */
export async function takeover({ contender, queue, timeoutMs }) {
  const holders = [];
  for (let i = 0; i < KILLS; i++) holders.push(await contender.worker({ queue, holds: true }));
  const held = holders.map((holder) => new Promise((resolve) => onStarted(holder, resolve)));
  await Promise.all(holders.map((holder) => command(holder, 'start')));
  await contender.fill(
    holders.map(() => taskInput({ hold: true })),
    queue,
  );
  const ids = await Promise.all(held);
  const successor = await contender.worker({ queue });
  const startTimes = new Map();
  onStarted(successor, (id) => startTimes.set(id, performance.now()));
  await command(successor, 'start');
  await delay(2000);

  const took = async (holder, i) => {
    await delay(i * SPREAD_MS);
    const [id, killed] = [ids[i], performance.now()];
    if (startTimes.has(id)) throw new Error(`${contender.name}: a task was taken from a live worker`);
    holder.kill('SIGKILL');
    while (!startTimes.has(id) && performance.now() - killed < timeoutMs) await delay(20);
    return startTimes.has(id) ? (startTimes.get(id) - killed) / 1000 : undefined;
  };
  const all = await Promise.all(holders.map(took));
  successor.kill('SIGKILL');
  return all;
}

const onStarted = (worker, take) =>
  worker.on('message', ({ started }) => {
    if (started !== undefined) take(started);
  });
