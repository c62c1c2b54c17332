import { workerData } from 'node:worker_threads';
import { CPU_LIMIT_SIGNAL, type CpuLimit, cpuMicroseconds } from './pdfium-watch.ts';

const limit = workerData as CpuLimit;

setInterval(() => {
  const max = Atomics.load(limit, 0);
  if (max > 0n && cpuMicroseconds() > max) process.kill(process.pid, CPU_LIMIT_SIGNAL);
}, 250);
