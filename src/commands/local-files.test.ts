import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findItems } from './folder/find-items.ts';
import { openInputFile } from './local-files.ts';

const isRoot = process.getuid?.() === 0;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'input-files-'));
  await chmod(dir, 0o755);
});
afterAll(() => rm(dir, { recursive: true }));

/** As an ordinary user, whom the mode of a file concerns. */
async function asUser<T>(run: () => Promise<T>): Promise<T> {
  if (isRoot) process.seteuid!(65_534);
  try {
    return await run();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}

describe.runIf(process.getuid)('Input files that the user may not read', () => {
  it('are named with the reason', async () => {
    const path = join(dir, 'photo.jpg');
    await writeFile(path, 'photo');
    expect((await openInputFile(path)).data.size).toBe(5);
    await chmod(path, 0o000);
    await expect(asUser(() => openInputFile(path))).rejects.toThrow(`${path} cannot be read: permission denied.`);
    await expect(openInputFile(join(dir, 'none'))).rejects.toThrow(`The file ${join(dir, 'none')} does not exist.`);
  });

  it('in a folder: a closed subfolder is named', async () => {
    const closed = join(dir, 'folder', 'closed');
    await mkdir(closed, { recursive: true });
    await writeFile(join(dir, 'folder', 'a.jpg'), 'a');
    await chmod(closed, 0o000);
    await expect(asUser(() => findItems(join(dir, 'folder'), 'photos', join(dir, 'out')))).rejects.toThrow(
      `${closed} cannot be read: permission denied.`,
    );
  });
});
