import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchDevice } from './device.ts';

/** A machine whose `nvidia-smi` is this script; without one it has none. */
async function machine(script?: string): Promise<void> {
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

const seen = async (provider: 'cpu' | 'cuda') => {
  const device = await watchDevice(provider);
  onTestFinished(() => device.close());
  return device.now();
};

test('a GPU is described as the tool of its driver describes it; of several, the first', async () => {
  await machine(
    '[ "$2" = "--format=csv,noheader,nounits" ] && echo "NVIDIA L4, 412, 23034" && echo "NVIDIA T4, 1, 15360"',
  );
  expect(await seen('cuda')).toEqual({ name: 'NVIDIA L4', usedMb: 412, totalMb: 23_034 });
});

test.each([
  ['is not there', undefined],
  ['fails', 'exit 9'],
  ['knows no numbers', 'echo "NVIDIA GB10, [N/A], [N/A]"'],
])('where the tool %s, a GPU is called by its provider', async (_, script) => {
  await machine(script);
  expect(await seen('cuda')).toEqual({ name: 'cuda', usedMb: 0, totalMb: 0 });
});

test('a CPU is never taken for the GPU that the machine has and does not use', async () => {
  await machine('echo "NVIDIA L4, 412, 23034"');
  expect(await seen('cpu')).toEqual({ name: 'cpu', usedMb: 0, totalMb: 0 });
});
