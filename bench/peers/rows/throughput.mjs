// What goes through in a second: accepted, polled, worked on; and what one of them costs in processor time, of the store
// and of the process before it, which says something on a busy machine too.
import { setTimeout as delay } from 'node:timers/promises';
import { asked } from '../engines/task.mjs';
import { processorSeconds, tell } from '../house.mjs';
import { loadAccept, loadPoll } from '../wrk.mjs';

const WAITING = 20_000;
const POLLED = 10_000;

/** Accepts a second, 64 clients, no worker beside them. */
export const accept = {
  title: 'accept, 64 clients',
  async warmUp({ url }) {
    await loadAccept(url, 2);
  },
  async measure({ contender, url, child, seconds }) {
    await contender.clear();
    return costing(contender, child, () => loadAccept(url, seconds));
  },
};

/** Polls a second, 64 clients, each of one of 10 000 finished tasks. */
export const poll = {
  title: 'poll, 64 clients',
  skipsTwins: true,
  async warmUp({ contender, url, house }) {
    await contender.clear();
    const worker = await contender.worker();
    const ids = await fill(contender, POLLED);
    await tell(worker, 'begin');
    await untilDone(contender);
    worker.kill('SIGKILL');
    const file = `${house.folder('ids')}/${contender.name}`;
    await loadPoll(url, 1, ids, file);
    return { ids, file };
  },
  measure: ({ contender, url, child, seconds, prepared: { ids, file } }) =>
    costing(contender, child, () => loadPoll(url, seconds, ids, file)),
};

/** 20 000 waiting tasks and one worker process: tasks a second from the first beginning to the last end. */
export const drain = {
  title: 'drain, one worker',
  skipsTwins: true,
  async warmUp({ contender }) {
    await contender.clear();
    const worker = await contender.worker();
    await drained(contender, worker, WAITING / 4);
    return { worker };
  },
  measure: ({ contender, prepared: { worker } }) => drained(contender, worker, WAITING),
  async after({ prepared: { worker } }) {
    worker.kill('SIGKILL');
  },
};

async function drained(contender, worker, count) {
  await contender.clear();
  await fill(contender, count);
  const measured = await costing(contender, worker, async () => {
    await tell(worker, 'begin');
    await untilDone(contender);
    return { count, perSecond: await contender.pace() };
  });
  await tell(worker, 'rest');
  return measured;
}

/** What `run` measured, with the microseconds that one cost the store and `child`. */
async function costing(contender, child, run) {
  const pids = [contender.storePid(), child.pid];
  const before = processorSeconds(pids);
  const { count, perSecond } = await run();
  return { perSecond, microseconds: ((processorSeconds(pids) - before) * 1e6) / count };
}

async function fill(contender, count) {
  const ids = [];
  while (ids.length < count) ids.push(...(await contender.fill(Array.from({ length: 1000 }, () => asked()))));
  return ids;
}

async function untilDone(contender) {
  while ((await contender.unfinished()) > 0) await delay(200);
}
