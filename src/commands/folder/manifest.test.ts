import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Manifest } from './manifest.ts';

it('keeps the lines of large results that are recorded at the same time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-manifest-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'progress');
  const items = Array.from({ length: 8 }, (_, i) => ({
    name: `${i}.pdf`,
    title: '',
    outputName: '',
    paths: [],
    version: '',
  }));
  const manifest = await Manifest.open<string>(path);
  await Promise.all(items.map((item) => manifest.record(item, { result: item.name.repeat(300_000) })));
  await manifest.close();
  const again = await Manifest.open<string>(path);
  expect(items.filter((item) => again.progressOf(item) === undefined)).toEqual([]);
  await again.close();
});
