import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../src/base/testing/database.ts';
import { lossyWayTo } from '../src/base/testing/lost-answer.ts';
import { startPassports } from './helpers/passports.ts';
import { startProduct } from './helpers/product.ts';

async function lossyDatabase() {
  const { db, url, drop } = await testDatabase();
  onTestFinished(drop);
  const lossy = await lossyWayTo(url);
  onTestFinished(() => lossy.close());
  return { db, lossy };
}

const picture = () =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: '#808080' } })
    .jpeg()
    .toBuffer();

it('an upload whose commit nobody has heard of keeps its bytes, and its client hears 503', async () => {
  const { db, lossy } = await lossyDatabase();
  const product = await startProduct({ env: { DATABASE_URL: lossy.url } });
  onTestFinished(() => product.stop());
  const send = async () => product.call('/files', { method: 'POST', body: await picture() });
  expect((await send()).status).toBe(201);
  lossy.losesCommits = true;
  expect(await send()).toMatchObject({ status: 503, body: { error: { code: 'QUEUE_UNAVAILABLE' } } });
  lossy.losesCommits = false;
  const { rows } = await db.query<{ key: string }>('select key from files');
  expect(rows).toHaveLength(2);
  for (const { key } of rows) expect(await product.house.files.get(key)).toEqual(await picture());
});

it('images of a session whose commit nobody has heard of keep their bytes; those after them leave none', async () => {
  const { db, lossy } = await lossyDatabase();
  const house = await startPassports({ DATABASE_URL: lossy.url });
  onTestFinished(() => house.stop());
  const put: string[] = [];
  const { files } = house.house;
  const { put: store } = files;
  files.put = async (...given) => {
    const stored = await store.call(files, ...given);
    put.push(stored.key);
    return stored;
  };
  const client = house.client();
  const upload = async (count: number) => {
    const bytes = await picture();
    return client.post('/api/v1/upload-images', { files: Array(count).fill({ name: 'a.jpg', bytes }) });
  };
  expect((await upload(1)).status).toBe(201);
  lossy.losesCommits = true;
  expect((await upload(3)).status).toBe(503);
  lossy.losesCommits = false;
  const { rows } = await db.query<{ file_key: string }>('select file_key from passport_images');
  const kept = rows.map(({ file_key }) => file_key);
  expect(kept.sort()).toEqual(put.slice(0, 2).sort());
  const there = await Promise.all(put.map(async (key) => (await files.get(key)) !== undefined));
  expect(there).toEqual([true, true, false, false]);
});
