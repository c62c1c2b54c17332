import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Provider } from './thread.ts';

/** What networks are computed on, and its memory in MiB; zeros where that is not known. */
export interface Device {
  readonly name: string;
  readonly usedMb: number;
  readonly totalMb: number;
}

const LOOK_MS = 10_000;
const TOOL = ['nvidia-smi', '--query-gpu=name,memory.used,memory.total', '--format=csv,noheader,nounits'] as const;

/** Watches what `provider` computes on: the first GPU, as the driver's own tool describes it, or the CPU. */
export async function watchDevice(provider: Provider): Promise<{ now(): Device; close(): void }> {
  let device: Device = { name: provider, usedMb: 0, totalMb: 0 };
  if (provider === 'cpu') return { now: () => device, close() {} };
  const look = async () => {
    device = (await askTool().catch(() => undefined)) ?? device;
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  return { now: () => device, close: () => clearInterval(timer) };
}

async function askTool(): Promise<Device | undefined> {
  const [tool, ...args] = TOOL;
  const { stdout } = await promisify(execFile)(tool, args, { timeout: 5000 });
  // One line for each GPU, and runs are sent to the first: "NVIDIA L4, 412, 23034".
  const [, name, used, total] = /^(.+), (\d+), (\d+)$/m.exec(stdout) ?? [];
  return name === undefined ? undefined : { name, usedMb: Number(used), totalMb: Number(total) };
}
