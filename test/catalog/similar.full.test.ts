import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { packVector } from '../../src/ml/compact-vector.ts';
import { lockRecords } from '../../src/services/catalog/records/write.ts';
import { createPicture } from '../../src/services/shared/images/picture.ts';
import { type Catalog, startCatalog } from '../support/catalog.ts';
import { finishTasks } from '../support/catalog-tasks.ts';

let catalog: Catalog;
let network: string;
beforeAll(async () => {
  catalog = await startCatalog();
  const manifest = new URL('../../models/defectoscopy/1.0.0/manifest.json', import.meta.url);
  network = JSON.parse(await readFile(manifest, 'utf8')).files['backbone.onnx'].sha256;
});
afterAll(() => catalog.stop());

const random = createRandom(11);
const randomFeatures = () => Float32Array.from({ length: 2048 }, () => 2 * random());
const mixed = (a: Float32Array, b: Float32Array, share: number) => a.map((value, d) => value + share * (b[d]! - value));

const RESULT = { surface: 'concrete_wall', masters: [], defects: [], model_version: '1.0.0' };

/** Indexes a photo with these features; returns its record id. */
async function indexPhoto(features: Float32Array, of = network): Promise<string> {
  const training = { network: of, features: packVector(features).toString('base64') };
  const attachment = { width: 1, height: 1, maps: {}, training };
  const input = { image_url: 'https://files.assay.internal/gone' };
  const [id] = await finishTasks(catalog.context.tasks, 'defectoscopy', [{ input, result: RESULT, attachment }]);
  await catalog.index();
  return `defectoscopy:${id}`;
}

const similarPath = (recordId: string, query = '') => `/row/${encodeURIComponent(recordId)}/similar${query}`;
const findSimilar = async (recordId: string, query = '') =>
  (await catalog.reader.get(similarPath(recordId, query))).body.items;
const idsOf = (items: readonly { record_id: string }[]) => items.map(({ record_id: id }) => id);

async function hide(recordId: string): Promise<void> {
  const { body } = await catalog.reader.post('/reports', { json: { record_id: recordId, action_type: 'hide' } });
  await catalog.moderator.request(`/reports/${body.id}`, { method: 'PATCH', json: { status: 'accepted' } });
}

describe('GET /row/{record_id}/similar', () => {
  it('returns the visible photos with features of the same network, the most similar ones first', async () => {
    const base = randomFeatures();
    const other = randomFeatures();
    const [first, near, far, hidden] = [
      await indexPhoto(base),
      await indexPhoto(mixed(base, other, 0.2)),
      await indexPhoto(mixed(base, other, 0.6)),
      await indexPhoto(mixed(base, other, 0.1)),
    ];
    const unknown = await indexPhoto(base, 'another network');
    await hide(hidden!);
    const items = await findSimilar(first!);
    expect(idsOf(items)).toEqual([near, far]);
    expect(items[0]).toMatchObject({ service: 'defectoscopy', same_photo: false, hidden: false });
    expect(items[0].similarity).toBeGreaterThan(items[1].similarity);
    expect(items[0].similarity).toBeLessThan(1);
    expect(idsOf(await findSimilar(first!, '?limit=1'))).toEqual([near]);
    expect(await findSimilar(unknown)).toEqual([]);
    expect((await catalog.reader.get(similarPath(hidden!))).status).toBe(404);
    expect(idsOf((await catalog.moderator.get(similarPath(hidden!))).body.items)).toEqual([first, near, far]);
  });

  it('returns 404 for an unknown record and 422 for a wrong limit', async () => {
    expect((await catalog.reader.get(similarPath('nothing'))).status).toBe(404);
    expect((await catalog.reader.get(similarPath('nothing', '?limit=51'))).status).toBe(422);
  });

  it('returns one record of each photo with `group`', async () => {
    const [base, other] = [randomFeatures(), randomFeatures()];
    const ids: string[] = [];
    for (const share of [0, 0.2, 0.4, 0.6, 0.9]) ids.push(await indexPhoto(mixed(base, other, share)));
    const copies = ids.slice(1, 4);
    await catalog.context.db.query(
      'insert into catalog_photos (number, photo) select number, -1 from catalog_records where record_id = any($1)',
      [copies],
    );
    expect(idsOf(await findSimilar(ids[0]!, '?limit=3'))).toEqual(copies);
    const grouped = await findSimilar(ids[0]!, '?limit=2&group=true');
    expect(grouped).toMatchObject([
      { record_id: copies[0], same_photo: false, copies: 2 },
      { record_id: ids[4], copies: 0 },
    ]);
    await hide(copies[0]!);
    expect((await findSimilar(ids[0]!, '?limit=1&group=true'))[0]).toMatchObject({ record_id: copies[1], copies: 1 });
    const ofCopy = await findSimilar(copies[1]!, '?limit=2&group=true');
    expect(ofCopy).toMatchObject([{ record_id: copies[2], same_photo: true, copies: 0 }, { same_photo: false }]);
  });

  it('does not return deleted records, whose signatures are deleted', async () => {
    const base = randomFeatures();
    const [kept, deleted] = [await indexPhoto(base), await indexPhoto(base)];
    expect(idsOf(await findSimilar(kept!))[0]).toBe(deleted);
    const { db } = catalog.context;
    await db.query('delete from catalog_records where record_id = $1', [deleted]);
    expect(idsOf(await findSimilar(kept!))).not.toContain(deleted);
    const orphans = `select from (select number from catalog_signatures union select number from catalog_codes) s
        where not exists (select from catalog_records r where r.number = s.number)`;
    expect((await db.query(orphans)).rowCount).toBe(0);
  });
});

describe('The same photo', () => {
  /** A photo of random spots. */
  async function createPhoto(): Promise<Buffer> {
    const pixels = Uint8Array.from({ length: 20 * 15 * 3 }, () => 256 * random());
    const raw = { width: 20, height: 15, channels: 3 } as const;
    return sharp(pixels, { raw }).resize(640, 480, { kernel: 'cubic' }).png().toBuffer();
  }

  /** Imports a record with this photo as its stored picture. */
  async function seedPhoto(recordId: string, photo: Buffer, service = 'import'): Promise<void> {
    await catalog.seed([{ recordId }]);
    await catalog.context.db.query('update catalog_records set service = $2 where record_id = $1', [recordId, service]);
    await catalog.seedPicture(recordId, (await createPicture(photo, new AbortController().signal))!);
  }

  async function untilCompared(): Promise<void> {
    await catalog.index();
    const due = async () =>
      (await catalog.context.db.query('select from catalog_photos where due_at is not null')).rowCount;
    await expect.poll(due, { timeout: 60_000 }).toBe(0);
  }

  const findDuplicates = async (value: boolean) =>
    idsOf((await catalog.reader.get(`/search?service=import&sort=oldest&duplicates=${value}`)).body.items);

  it('is found after compression, resizing, a small crop and a turn by EXIF, and not in other photos', async () => {
    const photo = await createPhoto();
    const copies = {
      original: photo,
      compressed: await sharp(photo).jpeg({ quality: 40 }).toBuffer(),
      small: await sharp(photo).resize(200).jpeg().toBuffer(),
      cropped: await sharp(photo).extract({ left: 20, top: 15, width: 605, height: 450 }).jpeg().toBuffer(),
      turned: await sharp(photo).rotate(270).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    };
    for (const [name, bytes] of Object.entries(copies)) await seedPhoto(name, bytes);
    await seedPhoto('other', await createPhoto());
    const flat = { create: { width: 300, height: 200, channels: 3, background: '#808080' } } as const;
    for (const name of ['flat', 'also flat']) await seedPhoto(name, await sharp(flat).png().toBuffer());
    await untilCompared();

    const names = Object.keys(copies);
    const items = await findSimilar('original');
    expect(idsOf(items).sort()).toEqual(names.filter((name) => name !== 'original').sort());
    expect(items[0]).toMatchObject({ same_photo: true, similarity: null });
    expect((await findDuplicates(true)).sort()).toEqual(names.sort());
    expect(await findDuplicates(false)).toEqual(expect.arrayContaining(['other', 'flat', 'also flat']));
    expect(await findDuplicates(false)).not.toContain('original');

    const grouped = await findSimilar('original', '?group=true');
    expect(grouped).toMatchObject([{ record_id: 'turned', same_photo: true, copies: 3 }]);

    const page = await catalog.reader.request('/row/original', { headers: { accept: 'text/html' } });
    for (const part of ['Similar pictures', 'href="../row/turned"', 'Same photo', '+3 copies'])
      expect(page.text).toContain(part);
    const other = await catalog.reader.request('/row/other', { headers: { accept: 'text/html' } });
    expect(other.text).not.toContain('Similar pictures');
  });

  it('is missing on the record page while the signatures cannot be read', async () => {
    await seedPhoto('page', await createPhoto());
    await catalog.context.db.transaction(async (tx) => {
      await tx.query('lock table catalog_codes in access exclusive mode');
      const page = await catalog.reader.request('/row/page', { headers: { accept: 'text/html' } });
      expect(page.status).toBe(200);
      expect(page.text).toContain('Similar pictures could not be loaded.');
    });
  });

  it('is listed as a duplicate only while another visible record has it', async () => {
    const photo = await createPhoto();
    for (const name of ['first copy', 'second copy']) await seedPhoto(name, photo);
    await untilCompared();
    expect(await findDuplicates(true)).toEqual(expect.arrayContaining(['first copy', 'second copy']));
    await hide('second copy');
    expect(await findDuplicates(true)).not.toContain('first copy');
    expect(await findSimilar('first copy')).toEqual([]);
  });

  it('is compared after a concurrent decision on its copy', async () => {
    const photo = await createPhoto();
    await seedPhoto('being hidden', photo);
    await catalog.seed([{ recordId: 'being compared' }]);
    await untilCompared();
    const picture = (await createPicture(photo, new AbortController().signal))!;
    const { db } = catalog.context;
    await db.transaction(async (tx) => {
      await lockRecords(tx);
      await tx.query(`update catalog_records set hidden = true where record_id = 'being hidden'`);
      await catalog.seedPicture('being compared', picture);
      const waiting = `select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`;
      await expect.poll(async () => (await db.query(waiting)).rowCount, { timeout: 20_000 }).toBeGreaterThan(0);
    });
    await untilCompared();
    expect(await findDuplicates(true)).not.toContain('being compared');
    const hidden = await catalog.moderator.get('/search?hidden=true&duplicates=true');
    expect(idsOf(hidden.body.items)).toContain('being hidden');
  });

  it('is compared again when a record gets another picture', async () => {
    const photo = await createPhoto();
    for (const name of ['replaced', 'kept']) await seedPhoto(name, photo);
    await untilCompared();
    expect(idsOf(await findSimilar('kept'))).toEqual(['replaced']);
    await seedPhoto('replaced', await createPhoto());
    await untilCompared();
    expect(await findSimilar('kept')).toEqual([]);
  });

  it('is not that of copies of a replaced picture', async () => {
    const [photo, other] = [await createPhoto(), await createPhoto()];
    for (const name of ['changed', 'unchanged']) await seedPhoto(name, photo);
    await untilCompared();
    await seedPhoto('changed', other);
    await untilCompared();
    await seedPhoto('copy of changed', other);
    await untilCompared();
    expect(idsOf(await findSimilar('changed'))).toEqual(['copy of changed']);
    expect(await findSimilar('unchanged')).toEqual([]);
  });

  it('is not searched for pages of documents, which look alike', async () => {
    const page = await createPhoto();
    for (const name of ['document 1', 'document 2']) await seedPhoto(name, page, 'passports');
    await untilCompared();
    expect(await findSimilar('document 1')).toEqual([]);
  });
});
