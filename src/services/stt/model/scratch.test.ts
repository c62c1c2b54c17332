import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openScratch } from './scratch.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-scratch-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('a scratch file is gone when its use is over, however that ended', async () => {
  const scratch = await openScratch(dir);
  let used = '';
  const use = async (path: string) => {
    used = path;
    await writeFile(path, 'sound');
    expect(existsSync(path)).toBe(true);
  };
  await scratch.with(use);
  expect(existsSync(used)).toBe(false);
  const failing = scratch.with(async (path) => {
    await use(path);
    throw new Error('torn');
  });
  await expect(failing).rejects.toThrow('torn');
  expect(await readdir(dir)).toEqual([]);
});

it('what a killed process has left is removed at the next start, and nothing of those that live', async () => {
  const names: string[] = [];
  await (await openScratch(dir)).with(async (path) => void names.push(path.split('/').at(-1)!));
  const [host] = names[0]!.split('.');
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  const living = `${host}.${process.ppid}.AAAA`;
  const elsewhere = `other-machine.1.BBBB`;
  const old = `other-machine.1.CCCC`;
  for (const name of [`${host}.${dead.pid}.DDDD`, `${host}.${process.pid}.EEEE`, living, elsewhere, old]) {
    await writeFile(join(dir, name), 'sound');
  }
  const yesterday = new Date(Date.now() - 27 * 3_600_000);
  await utimes(join(dir, old), yesterday, yesterday);
  await openScratch(dir);
  expect((await readdir(dir)).sort()).toEqual([elsewhere, living].sort());
});
