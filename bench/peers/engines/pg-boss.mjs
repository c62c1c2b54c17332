// pg-boss as documented: retries, retention, batches with a result per job, the next batch at once after a full one;
// `notify` wakes workers instead of polling.
import { PgBoss } from 'pg-boss';
import { CONCURRENCY, work } from './task.mjs';

const DAY_SECONDS = 86_400;

export async function openQueue({ url, queue, notify, tuned }) {
  const boss = new PgBoss({ connectionString: url });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(queue, {
    retryLimit: 3,
    deleteAfterSeconds: DAY_SECONDS,
    notify,
    ...(tuned && { heartbeatSeconds: 10 }),
  });
  return {
    add: (input) => boss.send(queue, input, { priority: input.priority === 'batch' ? 0 : 1 }),
    async addAll(inputs) {
      const jobs = inputs.map((data) => ({ data, priority: 1 }));
      return boss.insert(queue, jobs, { returnId: true });
    },
    async read(id) {
      if (!UUID.test(id)) return undefined;
      const [job] = await boss.findJobs(queue, { id });
      switch (job?.state) {
        case undefined:
          return undefined;
        case 'completed': {
          const { output, startedOn, completedOn } = job;
          return { status: 'done', result: output, processingMs: completedOn - startedOn, finishedMs: +completedOn };
        }
        case 'active':
          return { status: 'processing' };
        case 'created':
        case 'retry':
          return { status: 'queued' };
        default:
          return { status: 'failed', error: String(job.output?.message ?? job.state) };
      }
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** `tuned`: heartbeats of 10 s (the minimum), checked every second. */
export async function openWorker({ url, queue, notify, holds, tuned }) {
  const boss = new PgBoss({
    connectionString: url,
    useListenNotify: notify,
    ...(tuned && { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 }),
  });
  boss.on('error', () => {});
  await boss.start();
  const options = {
    batchSize: holds ? 1 : CONCURRENCY,
    perJobResults: true,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
  };
  const complete = async ({ id, data }) => ({ id, status: 'completed', output: await work(id, data) });
  return {
    start: () => boss.work(queue, options, (jobs) => Promise.all(jobs.map(complete))),
    stop: () => boss.offWork(queue),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
