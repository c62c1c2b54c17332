import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Provider } from './network.ts';

const POLL_INTERVAL_MS = 10_000;
const COMMAND = ['nvidia-smi', '--query-gpu=name,memory.used,memory.total', '--format=csv,noheader,nounits'] as const;

export async function watchDevice(provider: Provider) {
  let device = { name: String(provider), usedMb: 0, totalMb: 0 };
  if (provider === 'cpu') return { now: () => device, close() {} };
  const poll = async () => {
    device = (await queryGpu().catch(() => undefined)) ?? device;
  };
  await poll();
  const timer = setInterval(() => void poll(), POLL_INTERVAL_MS).unref();
  return { now: () => device, close: () => clearInterval(timer) };
}

async function queryGpu() {
  const [tool, ...args] = COMMAND;
  const { stdout } = await promisify(execFile)(tool, args, { timeout: 5000 });
  // One line per GPU; inference uses the first: "NVIDIA L4, 412, 23034".
  const [, name, used, total] = /^(.+), (\d+), (\d+)$/m.exec(stdout) ?? [];
  return name === undefined ? undefined : { name, usedMb: Number(used), totalMb: Number(total) };
}
