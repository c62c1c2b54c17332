import { mkdtemp, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeFiles } from '../../test/support/files-contract.ts';
import { createFolderFiles, FileTooLarge } from './files.ts';

async function inFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'assay-files-'));
  const kept = async () =>
    (await readdir(dir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  const close = () => rm(dir, { recursive: true });
  return { dir, files: createFolderFiles({ dir }), drafts: join(dir, 'incoming'), kept, close };
}

describeFiles('files in a folder', inFolder);

it('a file has mode 0600 and is in a folder named by the random end of its key', async () => {
  const { dir, files, close } = await inFolder();
  onTestFinished(close);
  const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
  expect((await stat(join(dir, key.slice(-2), key))).mode & 0o777).toBe(0o600);
});

it('an invalid key never reaches other files in the folder', async () => {
  const { dir, files, kept, close } = await inFolder();
  onTestFinished(close);
  await writeFile(join(dir, 'secret'), 'x');
  for (const trick of ['secret', '../secret', './secret']) {
    expect(await files.get(trick)).toBeUndefined();
    await files.remove(trick);
  }
  expect(await kept()).toEqual(['secret']);
});

it('get does not read a file larger than `maxBytes`', async () => {
  const { dir, files, close } = await inFolder();
  onTestFinished(close);
  const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
  await truncate(join(dir, key.slice(-2), key), 2 ** 42);
  await expect(files.get(key, { maxBytes: 2 ** 42 - 1 })).rejects.toThrow(FileTooLarge);
});

describe('a disk error is reported as unavailable storage, not as a missing file', () => {
  const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503 };
  const storeFile = async () => {
    const { dir, files, close } = await inFolder();
    onTestFinished(close);
    const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
    return { files, key, path: join(dir, key.slice(-2), key) };
  };

  it('if a file cannot be opened or removed', async () => {
    const { files, key, path } = await storeFile();
    await rm(dirname(path), { recursive: true });
    await writeFile(dirname(path), 'where its folder was');
    await expect(files.get(key)).rejects.toMatchObject(unavailable);
    await expect(files.stream(key)).rejects.toMatchObject(unavailable);
    await expect(files.remove(key)).rejects.toMatchObject(unavailable);
  });

  // Linux has a file that opens but fails with EIO on the first read.
  it.runIf(process.platform === 'linux')('if an open file cannot be read', async () => {
    const { files, key, path } = await storeFile();
    await rm(path);
    await symlink('/proc/self/mem', path);
    await expect(files.get(key)).rejects.toMatchObject({ ...unavailable, reason: 'disk error EIO' });
    const { stream } = (await files.stream(key))!;
    await expect(buffer(stream)).rejects.toMatchObject({ ...unavailable, reason: 'disk error EIO' });
  });
});
