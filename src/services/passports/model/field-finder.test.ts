import { expect, it, onTestFinished } from 'vitest';
import type { ReadPage, Word } from '../page-geometry.ts';
import { loadSchema } from '../schema/load-schema.ts';
import { bundledFile } from './bundled-file.ts';
import { openFieldFinder } from './field-finder.ts';

const { signal } = new AbortController();
const page = (words: readonly Word[]): ReadPage => ({
  ...{ page: 1, width: 600, height: 800, turn: 0, reader: 'text', rules: [] },
  words: [...words],
});
/** A grid of `columns` × `rows` words. */
const wordGrid = (columns: number, rows: number) =>
  Array.from({ length: columns * rows }, (_, i): Word => {
    const [x, y] = [(i % columns) / columns, Math.floor(i / columns) / rows];
    return { text: 'площадь', box: [x, y, x + 0.8 / columns, y + 0.8 / rows], confidence: null };
  });

async function finder(limit = { ms: 60_000, msPerPage: 5000 }) {
  const opened = await openFieldFinder(loadSchema(), { network: await bundledFile('fields.onnx'), limit });
  onTestFinished(() => opened.close());
  return opened;
}

it('find() rejects a page of 40,000 words as too_complex when the time limit expires', async () => {
  const finding = (await finder({ ms: 300, msPerPage: 0 })).find([page(wordGrid(200, 200))], signal);
  await expect(finding).rejects.toMatchObject({ problem: 'too_complex' });
});

it("find() rejects with the signal's reason when it is aborted", async () => {
  const stop = new AbortController();
  const finding = (await finder()).find([page(wordGrid(200, 200))], stop.signal);
  stop.abort(new Error('deleted'));
  await expect(finding).rejects.toThrow('deleted');
});

it('find() can be aborted at any time, also during a run of the network', { tags: ['full'] }, async () => {
  const opened = await finder();
  const dense = Array.from({ length: 4 }, () => page(wordGrid(25, 28)));
  for (const ms of [50, 150, 250, 350, 450, 550]) {
    const stop = AbortSignal.timeout(ms);
    await opened.find(dense, stop).catch(() => {});
  }
  expect(await opened.find([page([])], signal)).toMatchObject({ fields: {} });
});

it('openFieldFinder() rejects a file that is no network', async () => {
  const opening = openFieldFinder(loadSchema(), { network: import.meta.filename });
  await expect(opening).rejects.toThrow('The network could not be opened');
});

it('find() returns no fields for an empty page', async () => {
  expect(await (await finder()).find([page([])], signal)).toMatchObject({ fields: {} });
});
