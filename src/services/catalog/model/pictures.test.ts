import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FetchFailed } from '../../../base/fetch-failed.ts';
import { type Files, openFiles } from '../../../base/files.ts';
import type { GuardedFetch } from '../../../base/guarded-fetch.ts';
import { createLog } from '../../../base/log.ts';
import { type TestDatabase, testDatabase } from '../../../base/testing/database.ts';
import { phoneHeic } from '../../../ml/testing/heic.ts';
import { openTrash } from '../../trash.ts';
import { openRecords } from '../records/records.ts';
import { importedPictures } from './imported-picture.ts';
import { makePicture } from './picture.ts';
import { openPictures, type PictureMaker } from './pictures.ts';

const log = createLog('silent', 'test');
const { signal } = new AbortController();

/** A photo of two colours, red on its left and blue on its right. */
const photo = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'blue' } }).composite([
    { input: { create: { width: width >> 1, height, channels: 3, background: 'red' } }, left: 0, top: 0 },
  ]);

describe('a picture', () => {
  it('is WebP of at most 1024 pixels, upright, with nothing of the file that is not its pixels', async () => {
    const jpeg = await photo(2000, 1000)
      .withExif({ IFD0: { Copyright: 'secret place' }, IFD3: { GPSLatitude: '51/1 0/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const picture = await makePicture(jpeg, signal);
    expect(picture).toMatchObject({ width: 512, height: 1024 });
    const about = await sharp(picture!.bytes).metadata();
    expect(about).toMatchObject({ format: 'webp', width: 512, height: 1024 });
    expect(about.exif ?? about.icc ?? about.xmp ?? about.orientation).toBeUndefined();
    // Turned by a quarter: the left is above.
    const { data } = await sharp(picture!.bytes).raw().toBuffer({ resolveWithObject: true });
    expect(data[0]).toBeGreaterThan(200);
    expect(data.at(-1)).toBeGreaterThan(200);
  });

  it('is made of a phone’s HEIC', async () => {
    const picture = await makePicture(phoneHeic(), signal);
    expect(picture).toMatchObject({ width: 96, height: 128 });
  });

  it('is no larger than its image', async () => {
    expect(await makePicture(await photo(30, 20).png().toBuffer(), signal)).toMatchObject({ width: 30, height: 20 });
  });

  it('is none where the bytes are no image, are cut off, or have too many pixels', async () => {
    const jpeg = await photo(400, 400).jpeg().toBuffer();
    const vast = await sharp({ create: { width: 8000, height: 8000, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    for (const bytes of [Buffer.from('<svg xmlns="…"/>'), jpeg.subarray(0, jpeg.length >> 1), vast]) {
      expect(await makePicture(bytes, signal)).toBeUndefined();
    }
  });
});

describe('pictures of records', () => {
  let database: TestDatabase;
  let dir: string;
  let files: Files;
  let pictures: PictureMaker;
  /** What the host of the image does. */
  let answer: (url: string) => Promise<Buffer>;

  beforeEach(async () => {
    database = await testDatabase();
    dir = await mkdtemp(join(tmpdir(), 'assay-pictures-'));
    files = openFiles({ dir });
    const { db } = database;
    const asked = async (url: string | URL) => ({ body: await answer(String(url)) });
    pictures = openPictures({
      ...{ db, log },
      house: { fetch: asked as unknown as GuardedFetch, files },
      sources: [importedPictures({ filesHost: 'files.assay.internal', holes: [] as never })],
      trash: openTrash({ db, files, log, table: 'catalog_trash' }),
    });
  });
  afterEach(async () => {
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const seed = (recordId: string, url = 'https://example.com/a.jpg') =>
    openRecords({ db: database.db, files, log }).import([{ recordId, imageUrl: url }]);
  const row = async (recordId: string) =>
    (
      await database.db.query<Record<string, unknown>>(
        `select r.*, p.attempts, p.due_at > now() as later
           from catalog_records r left join catalog_pictures p using (number) where record_id = $1`,
        [recordId],
      )
    ).rows[0]!;
  const now = () => database.db.query('update catalog_pictures set due_at = now()');

  it('are fetched, made smaller and kept', async () => {
    answer = async () => photo(2048, 512).jpeg().toBuffer();
    await seed('a');
    expect(await pictures.turn(signal)).toBe('made');
    const { picture_key, picture_width, picture_height, attempts } = await row('a');
    expect([picture_width, picture_height, attempts]).toEqual([1024, 256, null]);
    expect(await sharp((await files.get(picture_key as string))!).metadata()).toMatchObject({
      format: 'webp',
      width: 1024,
    });
    expect(await pictures.turn(signal)).toBeUndefined();
  });

  it('are read from our own files where their address is there, and are none where that file is gone', async () => {
    answer = () => Promise.reject(new Error('nothing is to be fetched'));
    const { key } = await files.put(await photo(100, 50).png().toBuffer(), { maxBytes: 2 ** 20 });
    await seed('a', `https://files.assay.internal/${key}`);
    expect(await pictures.turn(signal)).toBe('made');
    expect(await row('a')).toMatchObject({ picture_width: 100, picture_height: 50 });
    await files.remove(key);
    await seed('b', `https://files.assay.internal/${key}`);
    expect(await pictures.turn(signal)).toBe('none');
  });

  it('are tried again later where the host does not answer, and given up after the fifth time', async () => {
    answer = () => Promise.reject(new FetchFailed('timeout'));
    await seed('a');
    for (let attempt = 1; attempt < 5; attempt++) {
      expect(await pictures.turn(signal)).toBe('again');
      expect(await row('a')).toMatchObject({ attempts: attempt, later: true });
      expect(await pictures.turn(signal)).toBeUndefined();
      await now();
    }
    expect(await pictures.turn(signal)).toBe('none');
    expect(await row('a')).toMatchObject({ attempts: null, picture_key: null });
  });

  it.each([
    ['there is none at the address', () => Promise.reject(new FetchFailed('http_status', { status: 404 }))],
    ['the address leads where it may not', () => Promise.reject(new FetchFailed('blocked_address'))],
    ['what comes is no image', async () => Buffer.from('hello')],
  ])('are given up at once where %s', async (_why, does) => {
    answer = does;
    await seed('a');
    expect(await pictures.turn(signal)).toBe('none');
    expect(await row('a')).toMatchObject({ attempts: null, picture_key: null });
  });

  it('are each made once by two that are at it, and by another one where the first has died with it', async () => {
    answer = async () => photo(10, 10).png().toBuffer();
    await Promise.all([seed('a'), seed('b', 'https://example.com/b.jpg')]);
    expect(await Promise.all([1, 2, 3].map(() => pictures.turn(signal)))).toEqual(
      expect.arrayContaining(['made', 'made', undefined]),
    );
    await seed('c', 'https://example.com/c.jpg');
    const died = new AbortController();
    answer = () => new Promise((_, reject) => died.signal.addEventListener('abort', () => reject(died.signal.reason)));
    const dying = pictures.turn(died.signal);
    await expect.poll(async () => (await row('c'))['attempts']).toBe(1);
    died.abort(new Error('killed'));
    await expect(dying).rejects.toThrow('killed');
    answer = async () => photo(10, 10).png().toBuffer();
    expect(await pictures.turn(signal)).toBeUndefined();
    await now();
    expect(await pictures.turn(signal)).toBe('made');
  });

  it('and who writes their record at the same moment wait for each other, and never in a circle', async () => {
    const { db } = database;
    answer = async () => photo(10, 10).png().toBuffer();
    await seed('a');
    let made: Promise<unknown> | undefined;
    // As indexing does: the record, then its picture.
    await db.transaction(async (tx) => {
      const { rows } = await tx.query<{ number: number }>(
        `select number from catalog_records where record_id = 'a' for update`,
      );
      made = pictures.turn(signal);
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
      await tx.query('update catalog_pictures set due_at = now() where number = $1', [rows[0]!.number]);
    });
    expect(await made).toBe('made');
    expect(await row('a')).toMatchObject({ attempts: null, picture_width: 10 });
  });

  it('of what a record showed before it was written anew are not kept', async () => {
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
    const late = pictures.turn(signal);
    await arrived;
    await seed('a', 'https://example.com/new.jpg');
    // The new one has been begun too, and so has had as many attempts.
    const second = pictures.turn(signal);
    leave();
    expect(await late).toBe('late');
    expect(await second).toBe('made');
    expect(await row('a')).toMatchObject({ attempts: null, picture_width: 10 });
  });
});
