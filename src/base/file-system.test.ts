import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from './file-system.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'folders-'));
});
afterAll(() => rm(dir, { recursive: true }));

describe('createFolder', () => {
  it('creates a folder with those above it, once for concurrent calls', async () => {
    const path = join(dir, 'a', 'b', 'c');
    await Promise.all([1, 2, 3].map(() => createFolder(path, 0o700)));
    await createFolder(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it('fails at a file and below one', async () => {
    const file = join(dir, 'file');
    await writeFile(file, '');
    await expect(createFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(createFolder(join(file, 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.runIf(process.platform === 'linux')('fails where no folder can be created', async () => {
    await expect(createFolder('/proc/no-such-process/data')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
