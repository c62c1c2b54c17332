// Throughput of accept, poll and work, and the CPU time of store and process per operation, which is meaningful on busy
// machines too.
import { setTimeout as delay } from 'node:timers/promises';
import { taskInput } from '../engines/task.mjs';
import { command, cpuSeconds } from '../environment.mjs';
import { loadAccept, loadPoll } from '../wrk.mjs';

const QUEUED_TASKS = 20_000;
const POLLED_TASKS = 10_000;

export const accept = {
  title: 'accept, 64 clients',
  async warmUp({ url }) {
    await loadAccept(url, 2);
  },
  async measure({ contender, url, child, seconds }) {
    await contender.clear();
    return withCpuTime(contender, child, () => loadAccept(url, seconds));
  },
};

export const poll = {
  title: 'poll, 64 clients',
  skipsVariants: true,
  async warmUp({ contender, url, environment }) {
    await contender.clear();
    const worker = await contender.worker();
    const ids = await fill(contender, POLLED_TASKS);
    await command(worker, 'start');
    await untilDone(contender);
    worker.kill('SIGKILL');
    const file = `${environment.folder('ids')}/${contender.name}`;
    await loadPoll(url, 1, ids, file);
    return { ids, file };
  },
  measure: ({ contender, url, child, seconds, prepared: { ids, file } }) =>
    withCpuTime(contender, child, () => loadPoll(url, seconds, ids, file)),
};

/** 20 000 queued tasks, one worker: tasks per second from the first start to the last end. */
export const drain = {
  title: 'drain, one worker',
  skipsVariants: true,
  async warmUp({ contender }) {
    await contender.clear();
    const worker = await contender.worker();
    await runDrain(contender, worker, QUEUED_TASKS / 4);
    return { worker };
  },
  measure: ({ contender, prepared: { worker } }) => runDrain(contender, worker, QUEUED_TASKS),
  async after({ prepared: { worker } }) {
    worker.kill('SIGKILL');
  },
};

async function runDrain(contender, worker, count) {
  await contender.clear();
  await fill(contender, count);
  const measured = await withCpuTime(contender, worker, async () => {
    await command(worker, 'start');
    await untilDone(contender);
    return { count, perSecond: await contender.tasksPerSecond() };
  });
  await command(worker, 'stop');
  return measured;
}

async function withCpuTime(contender, child, run) {
  const pids = [contender.storePid(), child.pid];
  const before = cpuSeconds(pids);
  const { count, perSecond } = await run();
  return { perSecond, microseconds: ((cpuSeconds(pids) - before) * 1e6) / count };
}

async function fill(contender, count) {
  const ids = [];
  while (ids.length < count) ids.push(...(await contender.fill(Array.from({ length: 1000 }, () => taskInput()))));
  return ids;
}

async function untilDone(contender) {
  while ((await contender.unfinished()) > 0) await delay(200);
}
