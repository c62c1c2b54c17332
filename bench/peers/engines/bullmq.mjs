// BullMQ as documented: one Queue per process that fails fast, old jobs removed by age, workers with concurrency and
// persistent blocking connections.
import { Queue, Worker } from 'bullmq';
import { CONCURRENCY, work } from './task.mjs';

const DAY_SECONDS = 86_400;

export async function openQueue({ url, queue: name }) {
  const connection = { ...addressOf(url), enableOfflineQueue: false };
  const retention = { age: DAY_SECONDS };
  const defaultJobOptions = { attempts: 3, removeOnComplete: retention, removeOnFail: retention };
  const queue = new Queue(name, { connection, defaultJobOptions });
  queue.on('error', () => {});
  await queue.waitUntilReady();
  return {
    // Priorities cost time (documentation), so the default has none.
    async add(input) {
      const { id } = await queue.add('predict', input, input.priority === 'batch' ? { priority: 10 } : {});
      return id;
    },
    async addAll(inputs) {
      const jobs = await queue.addBulk(inputs.map((data) => ({ name: 'predict', data })));
      return jobs.map(({ id }) => id);
    },
    async read(id) {
      const job = await queue.getJob(id);
      if (!job) return undefined;
      if (!job.finishedOn) return { status: job.processedOn ? 'processing' : 'queued' };
      if (job.failedReason) return { status: 'failed', error: job.failedReason };
      const { returnvalue: result, processedOn, finishedOn } = job;
      return { status: 'done', result, processingMs: finishedOn - processedOn, finishedMs: finishedOn };
    },
    close: () => queue.close(),
  };
}

/** `tuned` detects a dead worker as fast as Assay: lock of 6 s, checked every second. */
export async function openWorker({ url, queue, holds, tuned }) {
  const worker = new Worker(queue, (job) => work(job.id, job.data), {
    connection: { ...addressOf(url), maxRetriesPerRequest: null },
    concurrency: holds ? 1 : CONCURRENCY,
    autorun: false,
    ...(tuned && { lockDuration: 6000, stalledInterval: 1000 }),
  });
  worker.on('error', () => {});
  await worker.waitUntilReady();
  let isStarted = false;
  return {
    async start() {
      if (isStarted) return worker.resume();
      isStarted = true;
      void worker.run();
    },
    stop: () => worker.pause(),
  };
}

const addressOf = (url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });
