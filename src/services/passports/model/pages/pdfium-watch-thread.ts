import { workerData } from 'node:worker_threads';
import { cpuMicroseconds, type Limit, OVERRUN } from './pdfium-watch.ts';

const limit = workerData as Limit;

setInterval(() => {
  const most = Atomics.load(limit, 0);
  if (most > 0n && cpuMicroseconds() > most) process.kill(process.pid, OVERRUN);
}, 250);
