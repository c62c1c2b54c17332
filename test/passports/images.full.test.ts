import { readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MARKER } from '../../src/base/files/stored-keys.ts';
import { openPdf } from '../../src/services/passports/model/pages/pdf.ts';
import { type Client, createPdf, type Passports, startPassports } from '../support/passports.ts';

/** First half of the advisory lock of `checkQuota`. */
const QUOTA_LOCK = 1_884_220_664;
const UNKNOWN_ID = '01993f6e-2d8a-7c21-9b1e-4f6a7d0c5e12';

let passports: Passports;
beforeAll(async () => {
  passports = await startPassports({ PDF_MAX_IMAGES: '4' });
});
afterAll(() => passports.stop());

async function listStoredFiles(): Promise<string[]> {
  const entries = await readdir(join(passports.dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries
    .filter((entry) => entry.isFile() && entry.name !== MARKER)
    .map(({ name }) => name)
    .sort();
}

let shade = 0;
const picture = async (
  width = 60,
  height = 40,
  { orientation, name = 'Снимок.jpg' }: { orientation?: number; name?: string } = {},
) => {
  shade++;
  const background = { r: shade % 256, g: Math.floor(shade / 256) % 256, b: 128 };
  const image = sharp({ create: { width, height, channels: 3, background } });
  const bytes = await (orientation ? image.withMetadata({ orientation }) : image).jpeg().toBuffer();
  return { name, bytes };
};

async function uploadPictures(client: Client, count = 1): Promise<string[]> {
  const files = await Promise.all(Array.from({ length: count }, () => picture()));
  const { status, body, text } = await client.post('/api/v1/upload-images', { files });
  expect(status, text).toBe(201);
  return body.image_ids;
}
const create = (client: Client, image_ids: unknown, headers: Record<string, string> = {}) =>
  client.post('/api/v1/create-pdf', { json: { image_ids }, headers });

describe('Passports images', () => {
  it('are stored in a new session and described with their displayed size', async () => {
    const client = passports.client();
    const files = [await picture(60, 40), await picture(60, 40, { orientation: 6, name: 'phone.jpg' })];
    const { status, body } = await client.post('/api/v1/upload-images', { files });
    expect(status).toBe(201);
    expect(client.cookies.get('bti_session_id')).toMatch(/^[\w-]{43}$/);
    expect(body).toEqual({
      images: [
        {
          image_id: body.image_ids[0],
          filename: 'Снимок.jpg',
          width: 60,
          height: 40,
          size_bytes: files[0]!.bytes.length,
          content_type: 'image/jpeg',
          rotation: 0,
        },
        expect.objectContaining({ filename: 'phone.jpg', width: 40, height: 60 }),
      ],
      image_ids: [expect.any(String), expect.any(String)],
      rejected: [],
    });
    const { images, image_ids } = body;
    expect((await client.get('/api/v1/images')).body).toEqual({ images, image_ids, max_images_per_pdf: 4 });
  });

  it('are rotated by quarter turns in both directions', async () => {
    const client = passports.client();
    const [id] = await uploadPictures(client);
    const rotate = async (query = '') => (await client.post(`/api/v1/rotate-image/${id}${query}`)).body;
    expect(await rotate()).toEqual({ image_id: id, rotation: 90, width: 40, height: 60 });
    expect((await rotate()).rotation).toBe(180);
    expect((await rotate('?direction=ccw')).rotation).toBe(90);
    expect((await rotate('?direction=ccw')).rotation).toBe(0);
    expect(await rotate('?direction=ccw')).toMatchObject({ rotation: 270, width: 40, height: 60 });
    expect((await client.post(`/api/v1/rotate-image/${id}?direction=up`)).status).toBe(422);

    const preview = await client.get(`/api/v1/image/${id}?w=30`);
    expect(preview.headers.get('content-type')).toBe('image/jpeg');
    expect(preview.headers.get('content-security-policy')).toContain('sandbox');
    const { width, height } = await sharp(preview.bytes).metadata();
    expect([width, height]).toEqual([20, 30]);
    const etag = preview.headers.get('etag')!;
    expect((await client.get(`/api/v1/image/${id}?w=30`, { 'if-none-match': etag })).status).toBe(304);
    await rotate();
    expect((await client.get(`/api/v1/image/${id}?w=30`, { 'if-none-match': etag })).status).toBe(200);
  });

  it('are deleted with their files; deleted, foreign and invalid ids are rejected', async () => {
    const [client, otherClient] = [passports.client(), passports.client()];
    const before = await listStoredFiles();
    const [id] = await uploadPictures(client);
    await uploadPictures(otherClient);
    for (const [method, path] of [
      ['DELETE', `/api/v1/image/${id}`],
      ['POST', `/api/v1/rotate-image/${id}`],
      ['GET', `/api/v1/image/${id}`],
    ] as const) {
      const answer = await otherClient.request(path, { method });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'IMAGE_NOT_FOUND' } } });
    }
    expect((await client.request(`/api/v1/image/${id}`, { method: 'DELETE' })).body).toEqual({
      status: 'ok',
      image_id: id,
    });
    expect((await client.request(`/api/v1/image/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await client.request('/api/v1/image/1', { method: 'DELETE' })).body.detail[0]).toMatchObject({
      loc: ['path', 'image_id'],
      type: 'uuid_parsing',
    });
    expect((await listStoredFiles()).length).toBe(before.length + 1);
  });

  it('that are invalid are rejected by name, and the others are stored', async () => {
    const client = passports.client();
    const cut = (await picture()).bytes.subarray(0, 200);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    const large = Buffer.alloc(20 * 2 ** 20 + 1);
    (await picture()).bytes.copy(large);
    const files = [
      { name: 'text.jpg', bytes: 'text' },
      { name: 'cut.jpg', bytes: cut },
      { name: 'drawing.svg', bytes: svg },
      { name: 'empty.jpg', bytes: '' },
      { name: 'large.jpg', bytes: large },
      await picture(),
      createPdf('document.pdf'),
    ];
    const { status, body } = await client.post('/api/v1/upload-images', { files });
    expect(status).toBe(201);
    expect(body.image_ids).toHaveLength(1);
    expect(body.rejected.map(({ filename, error }: any) => [filename, error.code])).toEqual([
      ['text.jpg', 'UNSUPPORTED_MEDIA_TYPE'],
      ['cut.jpg', 'UNSUPPORTED_MEDIA_TYPE'],
      ['drawing.svg', 'UNSUPPORTED_MEDIA_TYPE'],
      ['empty.jpg', 'EMPTY_FILE'],
      ['large.jpg', 'FILE_TOO_LARGE'],
      ['document.pdf', 'UNSUPPORTED_MEDIA_TYPE'],
    ]);
    const huge = sharp({ create: { width: 9000, height: 6000, channels: 3, background: 'white' } });
    const pixels = { name: 'huge.png', bytes: await huge.png().toBuffer() };
    const alone = await client.post('/api/v1/upload-images', { files: [pixels] });
    expect(alone).toMatchObject({ status: 413, body: { error: { code: 'FILE_TOO_LARGE' } } });
  });

  it('are limited to 200 per session', async () => {
    const client = passports.client();
    const before = await listStoredFiles();
    const files = await Promise.all(Array.from({ length: 50 }, () => picture(8, 8)));
    for (let i = 0; i < 4; i++) expect((await client.post('/api/v1/upload-images', { files })).status).toBe(201);
    const full = await client.post('/api/v1/upload-images', { files: files.slice(0, 2) });
    expect(full).toMatchObject({ status: 400, body: { error: { code: 'TOO_MANY_IMAGES' } } });
    expect((await listStoredFiles()).length).toBe(before.length + 200);
    const many = await client.post('/api/v1/upload-images', { files: [...files, await picture()] });
    expect(many).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
  });
});

describe('POST /api/v1/create-pdf', () => {
  it('creates one document from the images in the given order and removes them from the session', async () => {
    const client = passports.client();
    const before = await listStoredFiles();
    const files = [await picture(60, 40), await picture(40, 60), await picture(60, 40)];
    const { body: images } = await client.post('/api/v1/upload-images', { files });
    const [lying, upright, turned] = images.image_ids;
    await client.post(`/api/v1/rotate-image/${turned}`);
    const answer = await create(client, [upright, lying, turned]);
    expect(answer).toMatchObject({ status: 202, body: { task_id: expect.any(String), status: 'PENDING' } });
    const id = answer.body.task_id;
    expect((await client.get('/api/tasks')).body.items[0]).toMatchObject({
      id,
      filename: 'Снимок.pdf',
      status: 'PENDING',
    });
    expect((await client.get('/api/v1/images')).body.image_ids).toEqual([]);
    const kept = (await listStoredFiles()).filter((name) => !before.includes(name));
    expect(kept).toHaveLength(1);
    const path = join(passports.dataDir, 'files', kept[0]!.slice(-2), kept[0]!);
    const { signal } = new AbortController();
    const document = await openPdf(path, { maxPages: 10, signal });
    const shapes: string[] = [];
    for (let page = 1; page <= document.pages; page++) {
      const { width, height } = await document.render(page, { dpi: 20, maxPixels: 1e6 }, signal);
      shapes.push(width > height ? 'lying' : 'upright');
    }
    await document.close();
    expect(shapes).toEqual(['upright', 'lying', 'upright']);
  });

  it('keeps images that are uploaded while the PDF is created', async () => {
    const program = await passports.signIn();
    const ids = await uploadPictures(program, 2);
    const { db } = passports.database;
    const waiting = async () => {
      const WAITING = `
        select count(*)::int as count from pg_locks
         where locktype = 'advisory' and classid = ${QUOTA_LOCK} and not granted
           and database = (select oid from pg_database where datname = current_database())`;
      return (await db.query<{ count: number }>(WAITING)).rows[0]!.count;
    };
    const [uploaded, created] = await db.transaction(async (tx) => {
      // Both requests wait for this lock in turn, so the image is stored after the request has read the others.
      await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [QUOTA_LOCK, 'key:admin']);
      const upload = uploadPictures(program);
      await expect.poll(waiting).toBe(1);
      const creation = create(program, ids);
      await expect.poll(waiting).toBe(2);
      return [upload, creation] as const;
    });
    expect((await created).status).toBe(202);
    expect((await program.get('/api/v1/images')).body.image_ids).toEqual(await uploaded);
    await program.request(`/api/v1/image/${(await uploaded)[0]}`, { method: 'DELETE' });
  });

  it('uses the cache for the same images with the same order and rotation', async () => {
    const files = [await picture(), await picture()];
    const createFrom = async (order: readonly number[]) => {
      const client = passports.client();
      const { body } = await client.post('/api/v1/upload-images', { files });
      const answer = await create(
        client,
        order.map((place) => body.image_ids[place]),
      );
      return { answer, left: (await client.get('/api/v1/images')).body.image_ids };
    };
    const first = await createFrom([0, 1]);
    await passports.succeed(first.answer.body.task_id);
    const again = await createFrom([0, 1]);
    expect(again.answer).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
    expect(again.answer.body.task_id).not.toBe(first.answer.body.task_id);
    expect(again.left).toEqual([]);
    expect((await createFrom([1, 0])).answer.status).toBe(202);
  });

  it('rejects invalid requests as a whole and keeps the images', async () => {
    const [client, otherClient] = [passports.client(), passports.client()];
    const ids = await uploadPictures(client, 5);
    const [foreign] = await uploadPictures(otherClient);
    const [first] = ids;
    for (const [imageIds, invalid] of [
      [[], []],
      [[first, foreign], [foreign]],
      [[first, UNKNOWN_ID], [UNKNOWN_ID]],
      [[first, first], [first]],
    ] as const) {
      const answer = await create(client, imageIds);
      expect(answer).toMatchObject({
        status: 400,
        body: { ok: false, error: { code: 'INVALID_IMAGE_IDS', details: { invalid } } },
      });
    }
    expect(await create(client, ids)).toMatchObject({ status: 400, body: { error: { code: 'TOO_MANY_IMAGES' } } });
    for (const [imageIds, loc, type] of [
      [undefined, ['body', 'image_ids'], 'missing'],
      ['x', ['body', 'image_ids'], 'list_type'],
      [[1], ['body', 'image_ids', 0], 'string_type'],
      [[first, 'x'], ['body', 'image_ids', 1], 'uuid_parsing'],
      [[`urn:uuid:${first}`], ['body', 'image_ids', 0], 'uuid_parsing'],
    ] as const) {
      expect(await create(client, imageIds)).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
    }
    expect((await client.get('/api/v1/images')).body.image_ids).toEqual(ids);
    expect((await client.get('/api/tasks')).body.total).toBe(0);
    expect((await create(client, [first!.toUpperCase()])).status).toBe(202);
  });

  it('names an image that can no longer be decoded and keeps the images', async () => {
    const client = passports.client();
    const before = await listStoredFiles();
    const ids = await uploadPictures(client);
    const [key] = (await listStoredFiles()).filter((each) => !before.includes(each));
    await writeFile(join(passports.dataDir, 'files', key!.slice(-2), key!), 'no image any more');
    const kept = await listStoredFiles();
    expect(await create(client, ids)).toMatchObject({
      status: 400,
      body: { ok: false, error: { code: 'INVALID_IMAGE_IDS', details: { invalid: ids } } },
    });
    expect([await listStoredFiles(), (await client.get('/api/v1/images')).body.image_ids]).toEqual([kept, ids]);
  });

  it('returns 503 when the storage is unavailable and keeps the images', async () => {
    const client = passports.client();
    const ids = await uploadPictures(client, 2);
    const incoming = join(passports.dataDir, 'files', 'incoming');
    await rename(incoming, `${incoming}-away`);
    await writeFile(incoming, 'a file where a folder should be');
    try {
      for (const answer of [
        await create(client, ids),
        await client.post('/upload', { files: [createPdf()], headers: { accept: 'application/json' } }),
        await client.post('/api/v1/upload-images', { files: [await picture()] }),
      ]) {
        expect(answer).toMatchObject({ status: 503, body: { ok: false, error: { code: 'STORAGE_UNAVAILABLE' } } });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      await unlink(incoming);
      await rename(`${incoming}-away`, incoming);
    }
    expect((await client.get('/api/v1/images')).body.image_ids).toEqual(ids);
    expect((await client.get('/api/tasks')).body.total).toBe(0);
    expect((await create(client, ids)).status).toBe(202);
  });

  it('separates images uploaded with a session cookie from those uploaded with a token only', async () => {
    const program = await passports.signIn();
    const [byToken] = await uploadPictures(program);
    const browser = passports.client({ token: program.token });
    const visitor = passports.client();
    const [byCookie] = await uploadPictures(visitor);
    browser.cookies.set('bti_session_id', visitor.cookies.get('bti_session_id')!);
    expect((await create(browser, [byToken])).status).toBe(400);
    expect((await create(program, [byCookie])).status).toBe(400);
    expect((await create(browser, [byCookie])).status).toBe(202);
    expect((await create(program, [byToken])).status).toBe(202);
  });

  it('replays a repeated Idempotency-Key after the images are removed', async () => {
    const client = passports.client();
    const ids = await uploadPictures(client, 2);
    const headers = { 'idempotency-key': 'one' };
    const first = await create(client, ids, headers);
    expect(first.status).toBe(202);
    const again = await create(client, ids, headers);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect((await create(client, [...ids].reverse(), headers)).status).toBe(422);
    expect((await client.get('/api/tasks')).body.total).toBe(1);
  });
});
