import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findItems } from './find-items.ts';

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
