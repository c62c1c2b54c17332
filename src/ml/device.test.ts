import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchDevice } from './device.ts';

/** Puts a fake `nvidia-smi` with this script on the PATH, or none. */
async function stubNvidiaSmi(script?: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-device-'));
  vi.stubEnv('PATH', folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  if (script === undefined) return;
  await writeFile(join(folder, 'nvidia-smi'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'nvidia-smi'), 0o755);
}

const currentDevice = async (provider: 'cpu' | 'cuda') => {
  const device = await watchDevice(provider);
  onTestFinished(() => device.close());
  return device.now();
};

test('watchDevice reports the first GPU of nvidia-smi', async () => {
  await stubNvidiaSmi(
    '[ "$2" = "--format=csv,noheader,nounits" ] && echo "NVIDIA L4, 412, 23034" && echo "NVIDIA T4, 1, 15360"',
  );
  expect(await currentDevice('cuda')).toEqual({ name: 'NVIDIA L4', usedMb: 412, totalMb: 23_034 });
});

test.each([
  ['is missing', undefined],
  ['fails', 'exit 9'],
  ['prints no numbers', 'echo "NVIDIA GB10, [N/A], [N/A]"'],
])('watchDevice reports the provider name when nvidia-smi %s', async (_, script) => {
  await stubNvidiaSmi(script);
  expect(await currentDevice('cuda')).toEqual({ name: 'cuda', usedMb: 0, totalMb: 0 });
});

test('watchDevice does not report an unused GPU for the CPU provider', async () => {
  await stubNvidiaSmi('echo "NVIDIA L4, 412, 23034"');
  expect(await currentDevice('cpu')).toEqual({ name: 'cpu', usedMb: 0, totalMb: 0 });
});
