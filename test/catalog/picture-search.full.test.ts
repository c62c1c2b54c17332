import { readFile } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGNATURE_LENGTH } from '../../src/base/signature.ts';
import { Assay } from '../../src/client/index.ts';
import { createBackgroundContext, createModelContext } from '../../src/role-contexts.ts';
import { createPictureSearch } from '../../src/services/catalog/picture-search.ts';
import { type BackgroundService, hasTasks } from '../../src/services/shared/service.ts';
import { type Catalog, MODERATOR, READER, startCatalog } from '../support/catalog.ts';
import { testDatabase } from '../support/database.ts';
import { type Client, createClient } from '../support/passports.ts';
import { waitUntil } from '../support/processes/until.ts';
import { type Product, startProduct } from '../support/product.ts';

const PATH = '/search/similar';

describe('POST /search/similar', () => {
  let product: Product;
  let reader: Client;
  let url: string;
  let photo: Buffer;
  const stop = new AbortController();
  let indexer: Promise<void>;

  beforeAll(async () => {
    product = await startProduct({
      env: {
        SERVICES: 'defectoscopy,catalog',
        CATALOG_PORT: '0',
        REPORTS_API_TOKENS: READER,
        REPORTS_MODERATOR_TOKENS: MODERATOR,
      },
    });
    const { context } = product;
    const photos = context.services.find(({ name }) => name === 'defectoscopy')!;
    if (!hasTasks(photos)) throw new Error('defectoscopy has no tasks');
    await product.startWorker(await photos.work.load(await createModelContext(context)));
    const catalog = context.services.find(({ name }) => name === 'catalog') as BackgroundService;
    indexer = catalog.runBackgroundJob(await createBackgroundContext(context), stop.signal);
    url = product.addresses['catalog']!;
    reader = createClient(url, READER);
    photo = await readFile(new URL('../../examples/wall.jpg', import.meta.url));
    const { width, height } = await sharp(photo).metadata();
    const part = { left: 0, top: 0, width: width >> 1, height: height >> 1 };
    for (const bytes of [
      await sharp(photo).jpeg({ quality: 50 }).toBuffer(),
      await sharp(photo).resize(300).png().toBuffer(),
      await sharp(photo).extract(part).jpeg().toBuffer(),
      await sharp(photo).flip().modulate({ brightness: 0.7 }).jpeg().toBuffer(),
    ]) {
      await createRecord(bytes);
    }
  });
  afterAll(async () => {
    stop.abort();
    await indexer;
    await product.stop();
  });

  /** Returns the id of the photo's record when its picture has been compared. */
  async function createRecord(bytes: Buffer): Promise<string> {
    const upload = await product.call('/files', {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'image/x' },
    });
    const recordId = `defectoscopy:${await product.predict({ image_url: upload.body.data.url })}`;
    const compared = `select from catalog_photos join catalog_records using (number) where record_id = $1 and due_at is null`;
    await waitUntil(async () => (await product.database.db.query(compared, [recordId])).rowCount > 0);
    return recordId;
  }

  const search = (body: Buffer, query = '', headers = {}) => reader.post(`${PATH}${query}`, { body, headers });

  it('returns what the record of the same photo returns, and stores nothing', async () => {
    const { db } = product.database;
    const count = async () =>
      (
        await db.query(
          `select (select count(*) from tasks) as tasks, (select count(*) from files) as files,
                  (select count(*) from catalog_records) as records`,
        )
      ).rows[0];
    const before = await count();
    const found = await search(photo);
    expect(found.status).toBe(200);
    expect(found.body.items).toHaveLength(4);
    expect(found.body.items.filter(({ same_photo: same }: { same_photo: boolean }) => same)).toHaveLength(2);
    expect(found.body.items.every(({ similarity }: { similarity: number | null }) => similarity !== null)).toBe(true);
    const grouped = await search(photo, '?group=true&limit=2');
    expect(grouped.body.items[0]).toMatchObject({ same_photo: true, copies: 1 });
    const { catalog } = new Assay({ catalog: { url, token: READER } });
    expect(await catalog.similarTo(new Uint8Array(photo))).toEqual(found.body.items);
    await expect.poll(count, { timeout: 20_000 }).toEqual(before);

    const path = `/row/${encodeURIComponent(await createRecord(photo))}/similar`;
    expect((await reader.get(path)).body).toEqual(found.body);
    expect((await reader.get(`${path}?group=true&limit=2`)).body).toEqual(grouped.body);
    // The tasks of the searches have no records, also when the feed has been read.
    expect(await count()).toMatchObject({ records: 5 });
  });

  it('answers browsers with a page', async () => {
    const browser = createClient(url, undefined);
    expect((await browser.post('/login', { form: { token: READER } })).status).toBe(303);
    const headers = { accept: 'text/html' };
    const home = await browser.get('/', headers);
    expect(home.status).toBe(200);
    const [, token] = /name="csrf_token" value="([^"]+)"/.exec(home.text)!;
    const files = [{ name: 'wall.jpg', bytes: photo, field: 'file' }];
    const send = (csrf_token: string) => browser.post(PATH, { fields: { csrf_token }, files, headers });
    const sent = await send(token!);
    expect(sent.status).toBe(303);
    const address = new URL(sent.headers.get('location')!, `${url}${PATH}`);
    // Also when it is opened again.
    for (let opened = 0; opened < 2; opened++) {
      const page = await browser.get(`${address.pathname}${address.search}`, headers);
      expect(page.status).toBe(200);
      expect(page.text).toMatch(/<canvas width="32" height="32" data-grey="[\w-]{1366}"/);
      for (const part of [
        'Choose a photo',
        'Records similar to your photo',
        'Same photo',
        'href="../row/defectoscopy%3A',
      ])
        expect(page.text).toContain(part);
      const [, record] = /href="\.\.\/(row\/[^"]+)"/.exec(page.text)!;
      const [, back] = /id="back"[^>]*href="([^"]+)"|href="([^"]+)" id="back"/
        .exec((await browser.get(`/${record}`, headers)).text)!
        .filter(Boolean);
      expect(back!.replaceAll('&amp;', '&')).toBe(`..${address.pathname}${address.search}`);
    }
    expect((await browser.get(PATH, headers)).headers.get('location')).toBe('../');
    const invalid = await browser.get(`${PATH}?grey=AAAA`, headers);
    expect([invalid.status, invalid.text.includes('<h1')]).toEqual([422, true]);
    expect((await send('wrong')).status).toBe(403);
    const russian = { ...headers, 'accept-language': 'ru' };
    const broken = [{ name: 'wall.jpg', bytes: photo.subarray(0, 3000), field: 'file' }];
    const rejected = await browser.post(PATH, { fields: { csrf_token: token! }, files: broken, headers: russian });
    expect(rejected.status).toBe(422);
    expect(rejected.text).toContain('Фото: Файл повреждён');
    expect(rejected.text).toContain('id="picture-search"');
    expect(rejected.text).toContain('action="../logout"');
  });

  it('limits the searches of a client on the page too', async () => {
    const signature = Buffer.alloc(SIGNATURE_LENGTH).toString('base64url');
    const get = () =>
      reader.get(`${PATH}?${new URLSearchParams({ version: 'x', signature })}`, { accept: 'text/html' });
    const { waiting } = await product.database.db.transaction(async (tx) => {
      await tx.query('lock table catalog_records in access exclusive mode');
      const waiting = [get(), get(), get(), get()];
      const blocked = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%own as materialized%'
        and datname = current_database()`;
      await waitUntil(async () => (await product.database.db.query(blocked)).rowCount === 4);
      expect((await get()).status).toBe(503);
      return { waiting };
    });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await get()).status).toBe(200);
  });

  it('returns 415 for other files, 413 for large ones, 422 for a damaged photo or wrong limit and 401 without a token', async () => {
    const html = Buffer.from('<html><body>not a photo</body></html>');
    expect((await search(html)).status).toBe(415);
    const empty = await reader.post(PATH, { files: [{ name: 'empty.jpg', bytes: '', field: 'file' }] });
    expect(empty.status).toBe(415);
    expect(empty.body.error.message).toMatch(/, but it is empty\.$/);
    expect((await search(html, '', { accept: 'text/html' })).text).toContain(
      'Choose a photo in JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC.',
    );
    const large = await search(Buffer.concat([photo, Buffer.alloc(20 * 2 ** 20)]));
    expect(large).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    const damaged = await search(photo.subarray(0, 3000));
    expect(damaged.status).toBe(422);
    expect(damaged.text).toContain('damaged');
    const other = [{ name: 'wall.jpg', bytes: photo, field: 'picture' }];
    const two = ['a.jpg', 'b.jpg'].map((name) => ({ name, bytes: photo, field: 'file' }));
    for (const request of [
      {},
      { files: other },
      { files: two },
      { body: 'x', headers: { 'content-type': 'multipart/form-data' } },
    ]) {
      const { status, body } = await reader.post(PATH, request);
      expect([status, body.detail?.[0].loc]).toEqual([422, ['body', 'file']]);
    }
    expect((await search(photo, '?limit=0')).status).toBe(422);
    expect((await createClient(url, undefined).post(PATH, { body: photo })).status).toBe(401);
    const kept = async () =>
      (await product.database.db.query(`select from files where principal = 'catalog'`)).rowCount;
    await expect.poll(kept, { timeout: 20_000 }).toBe(0);
  });
});

describe('A search by a photo', () => {
  let photo: Buffer;
  beforeAll(async () => {
    photo = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#444' } })
      .png()
      .toBuffer();
  });

  const GREY = { grey: Buffer.alloc(32 * 32).toString('base64') };
  it.each([
    ['is answered by the worker in the database of its service', GREY, { items: [] }],
    [
      'fails if the worker does not know such tasks',
      { width: 1, height: 1, maps: {} },
      { ok: false, error: expect.objectContaining({ code: 'PICTURE_SEARCH_UNAVAILABLE' }) },
    ],
  ])('%s', async (_name, attachment, body) => {
    const other = await testDatabase();
    const catalog = await startCatalog({ DEFECTOSCOPY_DATABASE_URL: other.url });
    const { tasks } = catalog.context.databases.find(({ services }) => services.includes('defectoscopy'))!;
    const found = catalog.reader.post(PATH, { body: photo });
    const claim = { service: 'defectoscopy', worker: 'test', leaseMs: 60_000, limit: 1 };
    await waitUntil(async () => {
      const [task] = (await tasks.completeAndClaim([], claim)).claimed;
      if (task === undefined) return false;
      const end = { outcome: 'done', result: {}, attachment, processingMs: 1 } as const;
      await tasks.completeAndClaim([{ id: task.id, attempt: task.attempt, ...end }], { ...claim, limit: 0 });
      tasks.hint('finished', [task.id]);
      return true;
    });
    expect((await found).body).toEqual(body);
    expect((await other.db.query('select from tasks')).rowCount).toBe(0);
    expect((await other.db.query('select from files')).rowCount).toBe(0);
    await catalog.stop();
    await other.drop();
  });

  describe('without a worker', () => {
    let catalog: Catalog;
    beforeAll(async () => {
      catalog = await startCatalog();
    });
    afterAll(() => catalog.stop());

    const count = async (table: string) => (await catalog.context.db.query(`select from ${table}`)).rowCount;
    const tooMany = expect.stringContaining('Too many');
    const late = expect.stringContaining('no defectoscopy worker');
    function createSearch(waitMs: number, filesQuotaBytes = catalog.context.shared.filesQuotaBytes) {
      const { filesHost } = catalog.context.shared;
      const { describe } = createPictureSearch(catalog.context, { filesHost, filesQuotaBytes }, waitMs)!;
      const stop = new AbortController();
      /** Its error message. */
      const search = (client: string, bytes: Readable = Readable.from([photo])) =>
        describe(bytes, { client, requestId: 'r', signal: stop.signal }).then(
          () => '',
          (error: Error) => error.message,
        );
      return { search, stop };
    }

    it('fails in time, deletes only its own file and rejects more than four at once of one client', async () => {
      const { search } = createSearch(500);
      await catalog.context.db.query(
        `insert into files (key, principal, size_bytes, content_type, expires_at) values ('other', 'p', 1, 'image/png', now())`,
      );
      const messages = await Promise.all(['a', 'a', 'a', 'a', 'a', 'b'].map((client) => search(client)));
      expect(messages).toEqual([late, late, late, late, tooMany, late]);
      expect(await count('tasks')).toBe(0);
      expect((await catalog.context.db.query(`delete from files returning key`)).rows).toEqual([{ key: 'other' }]);
    });

    it('is not rejected while the photos of other clients arrive', async () => {
      const { search } = createSearch(500);
      const uploads = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'].map((client) => {
        const bytes = new PassThrough();
        return { bytes, message: search(client, bytes) };
      });
      expect([await search('c'), await search('a')]).toEqual([late, tooMany]);
      for (const { bytes } of uploads) bytes.destroy(new Error('disconnected'));
      for (const { message } of uploads) expect(await message).toBe('disconnected');
    });

    it('is rejected while eight are analysed', async () => {
      const { search, stop } = createSearch(600_000);
      const messages: string[] = [];
      const all = ['a', 'b', 'c'].flatMap((client) =>
        Array.from({ length: 4 }, async () => void messages.push(await search(client))),
      );
      await waitUntil(() => messages.length === 4);
      expect(messages).toEqual([tooMany, tooMany, tooMany, tooMany]);
      await waitUntil(async () => (await count('tasks')) === 8);
      stop.abort();
      await Promise.all(all);
      expect(messages.slice(4)).toEqual(Array(8).fill(late));
      for (const table of ['tasks', 'files']) expect(await count(table)).toBe(0);
    });

    it('is rejected above the quota of the stored photos', async () => {
      expect(await createSearch(500, 1).search('a')).toEqual(tooMany);
      expect(await count('files')).toBe(0);
    });

    it('ends when the client disconnects', async () => {
      const client = new AbortController();
      const headers = { authorization: `Bearer ${READER}` };
      const body = new Uint8Array(photo);
      const response = fetch(`${catalog.url}${PATH}`, { method: 'POST', body, headers, signal: client.signal });
      await waitUntil(async () => (await count('tasks')) === 1);
      client.abort();
      await expect(response).rejects.toThrow();
      // Before the search would fail without a worker.
      await waitUntil(async () => (await count('tasks')) === 0, 15_000);
    });
  });

  it('is not offered without defectoscopy or uploads', async () => {
    const catalog = await startCatalog({ FILES_HOST: undefined });
    expect((await catalog.reader.post(PATH, { body: Buffer.from('x') })).status).toBe(404);
    const page = await catalog.reader.request('/', { headers: { accept: 'text/html' } });
    expect(page.text).not.toContain('by-picture');
    await catalog.stop();
  });
});
