import { workerData } from 'node:worker_threads';
import { cpuMicroseconds, type Limit, OVERRUN } from './pdfium-watch.ts';

const limit = workerData as Limit;

setInterval(() => {
  const max = Atomics.load(limit, 0);
  if (max > 0n && cpuMicroseconds() > max) process.kill(process.pid, OVERRUN);
}, 250);
