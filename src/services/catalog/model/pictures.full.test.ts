import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import { phoneHeic } from '../../../../test/support/ml/heic.ts';
import { FetchFailed } from '../../../base/fetch-failed.ts';
import { createFolderFiles, type Files } from '../../../base/files.ts';
import type { GuardedFetch } from '../../../base/guarded-fetch.ts';
import { createLog } from '../../../base/log.ts';
import { createFileDeletionQueue } from '../../shared/file-deletion-queue.ts';
import { createPicture } from '../../shared/images/picture.ts';
import { createRecords } from '../records/records.ts';
import { importedPictureSource } from './imported-picture.ts';
import { createPictureWorker, type PictureWorker } from './pictures.ts';

const log = createLog('silent', 'test');
const { signal } = new AbortController();

/** Left half red, right half blue. */
const photo = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'blue' } }).composite([
    { input: { create: { width: width >> 1, height, channels: 3, background: 'red' } }, left: 0, top: 0 },
  ]);

describe('makePicture', () => {
  it('creates upright WebP of at most 1024 pixels without metadata', async () => {
    const jpeg = await photo(2000, 1000)
      .withExif({ IFD0: { Copyright: 'secret place' }, IFD3: { GPSLatitude: '51/1 0/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const picture = await createPicture(jpeg, signal);
    expect(picture).toMatchObject({ width: 512, height: 1024 });
    const metadata = await sharp(picture!.bytes).metadata();
    expect(metadata).toMatchObject({ format: 'webp', width: 512, height: 1024 });
    expect(metadata.exif ?? metadata.icc ?? metadata.xmp ?? metadata.orientation).toBeUndefined();
    // Rotated by 90°: the left half is on top.
    const { data } = await sharp(picture!.bytes).raw().toBuffer({ resolveWithObject: true });
    expect(data[0]).toBeGreaterThan(200);
    expect(data.at(-1)).toBeGreaterThan(200);
  });

  it('reads a phone’s HEIC', async () => {
    const picture = await createPicture(phoneHeic(), signal);
    expect(picture).toMatchObject({ width: 96, height: 128 });
  });

  it('does not enlarge an image', async () => {
    expect(await createPicture(await photo(30, 20).png().toBuffer(), signal)).toMatchObject({ width: 30, height: 20 });
  });

  it('returns undefined for bytes that are not an image, are truncated or have too many pixels', async () => {
    const jpeg = await photo(400, 400).jpeg().toBuffer();
    const tooLarge = await sharp({ create: { width: 8000, height: 8000, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    for (const bytes of [Buffer.from('<svg xmlns="…"/>'), jpeg.subarray(0, jpeg.length >> 1), tooLarge]) {
      expect(await createPicture(bytes, signal)).toBeUndefined();
    }
  });
});

describe('pictures of records', () => {
  let database: TestDatabase;
  let dir: string;
  let files: Files;
  let pictures: PictureWorker;
  /** Response of the image's host. */
  let answer: (url: string) => Promise<Buffer>;

  beforeEach(async () => {
    database = await testDatabase();
    dir = await mkdtemp(join(tmpdir(), 'assay-pictures-'));
    files = createFolderFiles({ dir });
    const { db } = database;
    const fetch = async (url: string | URL) => ({ body: await answer(String(url)) });
    pictures = createPictureWorker({
      ...{ db, log },
      context: { fetch: fetch as unknown as GuardedFetch, files },
      sources: [importedPictureSource({ filesHost: 'files.assay.internal', allowList: [] as never })],
      deletions: createFileDeletionQueue({ db, files, log }, { table: 'catalog_files_to_delete' }),
    });
  });
  afterEach(async () => {
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const seed = (recordId: string, url = 'https://example.com/a.jpg') =>
    createRecords({ db: database.db, files, log }).import([{ recordId, imageUrl: url }]);
  const row = async (recordId: string) =>
    (
      await database.db.query<Record<string, unknown>>(
        `select r.*, p.attempts, p.due_at > now() as later
           from catalog_records r left join catalog_picture_jobs p using (number) where record_id = $1`,
        [recordId],
      )
    ).rows[0]!;
  const makeDue = () => database.db.query('update catalog_picture_jobs set due_at = now()');

  it('are downloaded, resized and stored', async () => {
    answer = async () => photo(2048, 512).jpeg().toBuffer();
    await seed('a');
    expect(await pictures.processNext(signal)).toBe('made');
    const { picture_key, picture_width, picture_height, attempts } = await row('a');
    expect([picture_width, picture_height, attempts]).toEqual([1024, 256, null]);
    expect(await sharp((await files.get(picture_key as string))!).metadata()).toMatchObject({
      format: 'webp',
      width: 1024,
    });
    expect(await pictures.processNext(signal)).toBeUndefined();
  });

  it('have a thumbnail, which is deleted with its picture', async () => {
    answer = async () => photo(2048, 512).jpeg().toBuffer();
    await seed('a');
    await pictures.processNext(signal);
    const first = (await row('a'))['thumbnail_key'] as string;
    const { format, width, height } = await sharp((await files.get(first))!).metadata();
    expect({ format, width, height }).toEqual({ format: 'webp', width: 384, height: 96 });

    await seed('a', 'https://example.com/b.jpg');
    expect(await row('a')).toMatchObject({ picture_key: null, thumbnail_key: null });
    await pictures.processNext(signal);
    const second = (await row('a'))['thumbnail_key'] as string;
    expect([(await files.get(first)) !== undefined, (await files.get(second)) !== undefined]).toEqual([false, true]);

    answer = async () => photo(100, 100).jpeg().toBuffer();
    await seed('a', 'https://example.com/c.jpg');
    await pictures.processNext(signal);
    expect(await row('a')).toMatchObject({ picture_width: 100, thumbnail_key: null });
    expect(await files.get(second)).toBeUndefined();

    answer = async () => photo(2048, 512).jpeg().toBuffer();
    await seed('b');
    await pictures.processNext(signal);
    const third = (await row('b'))['thumbnail_key'] as string;
    await database.db.query('delete from catalog_records');
    const { rows } = await database.db.query<{ key: string }>('select key from catalog_files_to_delete');
    expect(rows.map(({ key }) => key)).toContain(third);
  });

  it('are read from Assay’s files for such a URL, and given up when the file has been deleted', async () => {
    answer = () => Promise.reject(new Error('unexpected download'));
    const { key } = await files.put(await photo(100, 50).png().toBuffer(), { maxBytes: 2 ** 20 });
    await seed('a', `https://files.assay.internal/${key}`);
    expect(await pictures.processNext(signal)).toBe('made');
    expect(await row('a')).toMatchObject({ picture_width: 100, picture_height: 50 });
    await files.remove(key);
    await seed('b', `https://files.assay.internal/${key}`);
    expect(await pictures.processNext(signal)).toBe('none');
  });

  it('are retried later when the host does not respond, and given up after the fifth attempt', async () => {
    answer = () => Promise.reject(new FetchFailed('timeout'));
    await seed('a');
    for (let attempt = 1; attempt < 5; attempt++) {
      expect(await pictures.processNext(signal)).toBe('again');
      expect(await row('a')).toMatchObject({ attempts: attempt, later: true });
      expect(await pictures.processNext(signal)).toBeUndefined();
      await makeDue();
    }
    expect(await pictures.processNext(signal)).toBe('none');
    expect(await row('a')).toMatchObject({ attempts: null, picture_key: null });
  });

  it.each([
    ['the URL returns 404', () => Promise.reject(new FetchFailed('http_status', { status: 404 }))],
    ['the address is blocked', () => Promise.reject(new FetchFailed('blocked_address'))],
    ['the response is not an image', async () => Buffer.from('hello')],
  ])('are given up at once when %s', async (_reason, response) => {
    answer = response;
    await seed('a');
    expect(await pictures.processNext(signal)).toBe('none');
    expect(await row('a')).toMatchObject({ attempts: null, picture_key: null });
  });

  it('are each created once by concurrent workers, and by another worker after the first has died', async () => {
    answer = async () => photo(10, 10).png().toBuffer();
    await Promise.all([seed('a'), seed('b', 'https://example.com/b.jpg')]);
    expect(await Promise.all([1, 2, 3].map(() => pictures.processNext(signal)))).toEqual(
      expect.arrayContaining(['made', 'made', undefined]),
    );
    await seed('c', 'https://example.com/c.jpg');
    const died = new AbortController();
    answer = () => new Promise((_, reject) => died.signal.addEventListener('abort', () => reject(died.signal.reason)));
    const dying = pictures.processNext(died.signal);
    await expect.poll(async () => (await row('c'))['attempts']).toBe(1);
    died.abort(new Error('killed'));
    await expect(dying).rejects.toThrow('killed');
    answer = async () => photo(10, 10).png().toBuffer();
    expect(await pictures.processNext(signal)).toBeUndefined();
    await makeDue();
    expect(await pictures.processNext(signal)).toBe('made');
  });

  it('do not deadlock with a concurrent write of their record', async () => {
    const { db } = database;
    answer = async () => photo(10, 10).png().toBuffer();
    await seed('a');
    let made: Promise<unknown> | undefined;
    // In the order of indexing: the record, then its picture.
    await db.transaction(async (tx) => {
      const { rows } = await tx.query<{ number: number }>(
        `select number from catalog_records where record_id = 'a' for update`,
      );
      made = pictures.processNext(signal);
      await expect
        .poll(
          async () =>
            (
              await db.query(
                `select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`,
              )
            ).rowCount,
          { timeout: 20_000 },
        )
        .toBeGreaterThan(0);
      await tx.query('update catalog_picture_jobs set due_at = now() where number = $1', [rows[0]!.number]);
    });
    expect(await made).toBe('made');
    expect(await row('a')).toMatchObject({ attempts: null, picture_width: 10 });
  });

  it('are discarded when their record was rewritten meanwhile', async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    let leave = () => {};
    const left = new Promise<void>((resolve) => (leave = resolve));
    answer = async () => {
      arrive();
      await left;
      return photo(10, 10).png().toBuffer();
    };
    await seed('a', 'https://example.com/old.jpg');
    const late = pictures.processNext(signal);
    await arrived;
    await seed('a', 'https://example.com/new.jpg');
    // Both have the same number of attempts.
    const second = pictures.processNext(signal);
    leave();
    expect(await late).toBe('late');
    expect(await second).toBe('made');
    expect(await row('a')).toMatchObject({ attempts: null, picture_width: 10 });
  });
});
