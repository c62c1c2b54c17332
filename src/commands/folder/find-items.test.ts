import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findItems } from './find-items.ts';

it('leaves out the extension in the names of written files, unless two files would have the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-items-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'a.b'));
  const expected = {
    ...{ 'kitchen.ogg': 'kitchen', 'a.b/kitchen.mp3': 'a.b/kitchen' },
    ...{ 'hall.ogg': 'hall.ogg', 'Hall.mp3': 'Hall.mp3' },
    ...{ 'roof.mp3': 'roof', 'roof.mp3.wav': 'roof.mp3.wav' },
  };
  for (const name of Object.keys(expected)) await writeFile(join(folder, name), '');
  const items = await findItems(folder, 'recordings', join(folder, 'out'));
  expect(Object.fromEntries(items.map(({ name, outputName }) => [name, outputName]))).toEqual(expected);
});

it('keeps the name of a folder of page images that contains a dot', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-items-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'house 5.2'));
  for (const name of ['house 5.2/1.jpg', 'house 6.PDF']) await writeFile(join(folder, name), '');
  const items = await findItems(folder, 'documents', join(folder, 'out'));
  expect(items.map(({ outputName }) => outputName)).toEqual(['house 5.2', 'house 6']);
});

it('gives a file whose name contains a backslash another name than a file in a subfolder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-items-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'a'));
  for (const name of ['a/b.jpg', 'a\\b.jpg']) await writeFile(join(folder, name), '');
  const items = await findItems(folder, 'photos', join(folder, 'photos.csv'));
  expect(items.map(({ name }) => name).sort()).toEqual(['a/b.jpg', 'a\\b.jpg']);
  expect(items.map(({ title }) => title).sort()).toEqual(
    ['a/b.jpg', 'a\\b.jpg'].map((path) => `${basename(folder)}/${path}`),
  );
});
