import { expect, it, onTestFinished } from 'vitest';
import type { ReadPage, Word } from '../page.ts';
import { loadSchema } from '../schema/load-schema.ts';
import { openFieldFinder } from './find-fields.ts';

const { signal } = new AbortController();
const page = (words: readonly Word[]): ReadPage => ({
  ...{ page: 1, width: 600, height: 800, turn: 0, reader: 'text', rules: [] },
  words: [...words],
});
/** Words in rows and columns, without an end in sight. */
const crowd = (columns: number, rows: number) =>
  Array.from({ length: columns * rows }, (_, i): Word => {
    const [x, y] = [(i % columns) / columns, Math.floor(i / columns) / rows];
    return { text: 'площадь', box: [x, y, x + 0.8 / columns, y + 0.8 / rows], confidence: null };
  });

function finder(limit?: { ms: number; msPerPage: number }) {
  const opened = openFieldFinder(loadSchema(), limit);
  onTestFinished(() => opened.close());
  return opened;
}

it('a page with more words than any form has is too complex, and is not waited for', async () => {
  const finding = finder({ ms: 300, msPerPage: 0 }).find([page(crowd(200, 200))], signal);
  await expect(finding).rejects.toMatchObject({ problem: 'too_complex' });
});

it('an attempt that is given up ends the search with the reason', async () => {
  const stop = new AbortController();
  const finding = finder().find([page(crowd(200, 200))], stop.signal);
  stop.abort(new Error('deleted'));
  await expect(finding).rejects.toThrow('deleted');
});

it('an empty page has no fields', async () => {
  expect(await finder().find([page([])], signal)).toMatchObject({ fields: {} });
});
