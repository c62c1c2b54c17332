import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScratch } from './scratch.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-scratch-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('a scratch file is deleted after use, also after an error', async () => {
  const scratch = await createScratch(dir);
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

it('createScratch deletes the files of killed processes and keeps those of running ones', async () => {
  const names: string[] = [];
  await (await createScratch(dir)).with(async (path) => void names.push(path.split('/').at(-1)!));
  const [kind, host] = names[0]!.split('.');
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  const abandoned = [`${kind}.${host}.${dead.pid}.AAAA`, `${kind}.${host}.${process.pid}.BBBB`];
  const others = [`${kind}.${host}.${process.ppid}.CCCC`, `${kind}.other-machine.1.DDDD`, 'pdf-x7Fa2', 'note.txt'];
  for (const name of [...abandoned, ...others]) await writeFile(join(dir, name), 'sound');
  await createScratch(dir);
  expect((await readdir(dir)).sort()).toEqual(others.sort());
});
