import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEntry } from '../../src/services/catalog/records/entry.ts';
import { writeRecords } from '../../src/services/catalog/records/write.ts';
import { type Catalog, startCatalog } from '../support/catalog.ts';

const MESSAGE = 'The image is damaged or incomplete.';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await startCatalog();
  const failed = (taskId: string, code: string) =>
    createEntry('defectoscopy', {
      ...{ taskId, status: 'failed', createdAt: new Date(), title: `${taskId}.jpg`, text: MESSAGE },
      result: { error: MESSAGE, error_code: code },
    } as const);
  await catalog.context.db.transaction((tx) =>
    writeRecords(tx, [failed('known', 'IMAGE_CORRUPT'), failed('new', 'NEW_CODE')]),
  );
});
afterAll(() => catalog.stop());

it.each(['/', '/?view=table'])(
  "The page %s shows the error of a failed task in the user's language if a translation exists",
  async (path) => {
    const page = async (language: string) =>
      (await catalog.reader.get(path, { accept: 'text/html', 'accept-language': language })).text;
    const russian = await page('ru');
    expect(russian).toContain('Файл повреждён или загружен не полностью.');
    // For an unknown code, the message as indexed.
    expect(russian.split(MESSAGE).length - 1).toBe(path === '/' ? 1 : 2);
    const english = await page('en');
    expect(english).toContain(MESSAGE);
    expect(english).not.toContain('Фото');
  },
);

it('The JSON search results contain the text as indexed', async () => {
  const { body } = await catalog.reader.get('/search?service=defectoscopy', { 'accept-language': 'ru' });
  expect(body.items.map(({ snippet }: { snippet: string }) => snippet)).toEqual([MESSAGE, MESSAGE]);
  expect(body.items[0]).not.toHaveProperty('failure');
});
