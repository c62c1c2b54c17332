import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { stageFolders } from './staged-folders.ts';

const AS_ROOT = process.getuid?.() === 0;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'assay-staged-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await mkdir(join(dataDir, 'keys'));
  await writeFile(join(dataDir, 'keys', 'old.key'), 'old');
});

async function* bytes(text: string) {
  yield Buffer.from(text);
}

const listFolders = async () =>
  (await readdir(dataDir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1))
    .sort();

test('swapIn and finish replace the content of the folders with the added files', async () => {
  const folders = stageFolders(dataDir, ['files', 'keys', 'models/own']);
  await folders.add('keys/new.key', bytes('new'));
  await folders.add('files/XX/photo', bytes('photo'));
  expect(await readFile(join(dataDir, 'keys', 'old.key'), 'utf8')).toBe('old');
  await folders.swapIn();
  await folders.finish();
  expect(await listFolders()).toEqual(['files/XX/photo', 'keys/new.key']);
  expect((await stat(join(dataDir, 'keys', 'new.key'))).mode & 0o777).toBe(0o600);
});

test('undo restores the original content before and after swapIn', async () => {
  for (const swapped of [false, true]) {
    const folders = stageFolders(dataDir, ['files', 'keys']);
    await folders.add('keys/new.key', bytes('new'));
    await folders.add('files/XX/photo', bytes('photo'));
    if (swapped) await folders.swapIn();
    await folders.undo();
    expect(await listFolders()).toEqual(['keys/old.key']);
  }
});

test('finish deletes the remains of a killed restore', async () => {
  await stageFolders(dataDir, ['keys']).add('keys/half.key', bytes('half'));
  const folders = stageFolders(dataDir, ['keys']);
  await folders.add('keys/new.key', bytes('new'));
  await folders.swapIn();
  await folders.finish();
  expect(await listFolders()).toEqual(['keys/new.key']);
});

test.skipIf(!AS_ROOT)('files restored by root belong to the owner of DATA_DIR', async () => {
  await chown(dataDir, 4321, 4321);
  const folders = stageFolders(dataDir, ['files', 'keys']);
  await folders.add('files/XX/photo', bytes('photo'));
  await folders.swapIn();
  await folders.finish();
  for (const path of ['files', 'files/XX', 'files/XX/photo']) {
    expect((await stat(join(dataDir, path))).uid, path).toBe(4321);
  }
});
