// BullMQ as its documentation advises: one Queue for the process, failing fast where an HTTP client waits, old jobs
// removed by age, workers with a concurrency and blocking connections that never give up.
import { Queue, Worker } from 'bullmq';
import { IN_HAND, work } from './task.mjs';

const A_DAY_S = 86_400;

export async function openQueue({ url, queue: name }) {
  const connection = { ...addressOf(url), enableOfflineQueue: false };
  const kept = { age: A_DAY_S };
  const defaultJobOptions = { attempts: 3, removeOnComplete: kept, removeOnFail: kept };
  const queue = new Queue(name, { connection, defaultJobOptions });
  queue.on('error', () => {}); // it connects again by itself
  await queue.waitUntilReady();
  return {
    // A priority has its price, the documentation says; so the usual one is none.
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

/** `tuned`: a dead worker is found as soon as Assay finds one: a lock for 6 s, looked at every second. */
export async function openWorker({ url, queue, holds, tuned }) {
  const worker = new Worker(queue, (job) => work(job.id, job.data), {
    connection: { ...addressOf(url), maxRetriesPerRequest: null },
    concurrency: holds ? 1 : IN_HAND,
    autorun: false,
    ...(tuned && { lockDuration: 6000, stalledInterval: 1000 }),
  });
  worker.on('error', () => {});
  await worker.waitUntilReady();
  let begun = false;
  return {
    async begin() {
      if (begun) return worker.resume();
      begun = true;
      void worker.run();
    },
    rest: () => worker.pause(),
  };
}

const addressOf = (url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });
