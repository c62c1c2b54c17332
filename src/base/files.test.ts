import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeFiles } from './files.contract.ts';
import { openFiles } from './files.ts';

async function inFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'assay-files-'));
  const kept = async () =>
    (await readdir(dir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  const close = () => rm(dir, { recursive: true });
  return { dir, files: openFiles({ dir }), drafts: join(dir, 'incoming'), kept, close };
}

describeFiles('files in a folder', inFolder);

it('a file is its owner’s alone, in a folder that its random end names', async () => {
  const { dir, files, close } = await inFolder();
  onTestFinished(close);
  const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
  expect((await stat(join(dir, key.slice(-2), key))).mode & 0o777).toBe(0o600);
});

it('no key leads to what lies beside the files', async () => {
  const { dir, files, kept, close } = await inFolder();
  onTestFinished(close);
  await writeFile(join(dir, 'secret'), 'x');
  for (const trick of ['secret', '../secret', './secret']) {
    expect(await files.get(trick)).toBeUndefined();
    await files.remove(trick);
  }
  expect(await kept()).toEqual(['secret']);
});
