import { readdir } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ifMissing } from '../../src/base/file-system.ts';
import { newId } from '../../src/base/ids.ts';
import { archiveOf, renamed, withHeader } from '../support/archive.ts';
import { waitUntil } from '../support/processes/until.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';

vi.setConfig({ testTimeout: 120_000 });

let product: Product;
afterEach(() => product.stop());

const photo = (text: string) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(text)]);
const wav = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(400)]);

const submit = (body: Buffer, { query = '', headers = {} }: { query?: string; headers?: object } = {}) =>
  product.call(`/batches${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/zip', ...headers },
    body,
  });

const count = async (table: string) =>
  (await product.database.db.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n;
const inputs = async <T>() =>
  (
    await product.database.db.query<{ input: T }>(
      `select input from tasks where service not like '%.batches' order by id`,
    )
  ).rows.map(({ input }) => input);
const items = async (url: string) => (await product.call(`${url}/items`)).body.data.items;

/** The stored files; for a moment also the temporary file of the sweep's marker. */
async function storedFiles(): Promise<string[]> {
  const folder = join(product.context.settings.dataDir, 'files');
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing);
  return (names ?? []).filter((entry) => entry.isFile() && entry.name.length === 26).map(({ name }) => name);
}

async function expectNothingStored() {
  expect(await count('tasks')).toBe(0);
  expect(await count('files where expires_at > now()')).toBe(0);
  expect(await readdir(join(product.context.settings.dataDir, 'scratch'))).toEqual([]);
}

describe('A batch of a ZIP archive', () => {
  it('has an item for each photo, with its path as name, also in the results', async () => {
    const read = new Map<string, string>();
    product = await startProduct({
      model: createFakeModel({
        run: async ({ input }) => {
          const { image_url: url, file_name: name } = input as { image_url: string; file_name: string };
          read.set(name, (await product.gateway.files.get(new URL(url).pathname.slice(1)))!.toString('latin1'));
          return { result: RESULT };
        },
      }),
    });
    const archive = await archiveOf([
      ['мост/', Buffer.alloc(0)],
      ['мост/опора 1.jpg', photo('first')],
      ['__MACOSX/._a.jpg', Buffer.from('x')],
      ['Thumbs.db', Buffer.from('x')],
      ['b.jpg', photo('second')],
    ]);
    const accepted = await submit(archive, { query: '?inspect=whole&webhook_url=' });
    expect(accepted.status).toBe(422);
    const { status, body } = await submit(archive, { query: '?inspect=whole' });
    expect([status, body.data.total]).toEqual([202, 2]);
    const { status_url: url } = body.data;
    await waitUntil(async () => (await product.call(url)).body.data.status === 'completed');
    expect((await product.call(url)).body.data.name).toBe('мост/опора 1.jpg');
    expect(await items(url)).toMatchObject([
      { position: 1, name: 'мост/опора 1.jpg', status: 'done' },
      { position: 2, name: 'b.jpg', status: 'done' },
    ]);
    expect([...read]).toEqual(
      expect.arrayContaining([
        ['мост/опора 1.jpg', photo('first').toString('latin1')],
        ['b.jpg', photo('second').toString('latin1')],
      ]),
    );
    expect(await inputs()).toMatchObject([{ inspect: 'whole' }, { inspect: 'whole' }]);
    expect(await count(`files where content_type = 'image/jpeg' and expires_at > now()`)).toBe(2);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const lines = await (await fetch(`${product.url}${url}/results`, { headers })).text();
    expect(JSON.parse(lines.split('\n')[0]!)).toMatchObject({ position: 1, name: 'мост/опора 1.jpg' });
    const csv = (await product.call(`${url}/results?format=csv`)).text.split('\r\n');
    expect(csv[0]).toContain('error_code,error,name,surface');
    expect(csv[2]).toContain(',b.jpg,');
    const named = await submit(archive, { query: `?name=${encodeURIComponent('мост.zip')}` });
    expect((await product.call(named.body.data.status_url)).body.data.name).toBe('мост.zip');
  });

  it('takes recordings with common fields before the file of a form', async () => {
    product = await startProduct({ service: 'stt' });
    const form = new FormData();
    form.set('language', 'ru');
    form.set('metadata', '{"shift": 12345678901234567890}');
    form.set('file', new Blob([await archiveOf([['a.wav', wav]])]), 'night.zip');
    const send = () =>
      fetch(`${product.url}/batches`, { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` }, body: form });
    expect((await send()).status).toBe(202);
    expect(await inputs()).toEqual([
      {
        url: expect.stringMatching(/^https:\/\/files\.assay\.internal\/[0-9A-Z]{26}$/),
        language: 'ru',
        metadata: '{"shift": 12345678901234567890}',
        file_name: 'a.wav',
      },
    ]);
    form.delete('file');
    form.set('langauge', 'ru');
    form.set('file', new Blob([await archiveOf([['a.wav', wav]])]), 'night.zip');
    const refused = await send();
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('langauge')]);
    expect(await count('files')).toBe(1);
  });

  it.each([
    ['["x, y","z"]', ['x, y', 'z']],
    ['[]', undefined],
    ['x,[2026] y', ['x', '[2026] y']],
    ['[2026], x', ['[2026]', 'x']],
    ['["x",1]', 'tags'],
    ['["x"', 'tags'],
  ])('reads the form field tags %s as texts separated by commas or as JSON', async (text, tags) => {
    product = await startProduct();
    const body = new FormData();
    body.set('tags', text);
    body.set('file', new Blob([await archiveOf([['a.jpg', photo('a')]])]), 'photos.zip');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await fetch(`${product.url}/batches`, { method: 'POST', headers, body });
    const { data, error } = (await answer.json()) as { data?: { batch_id: string }; error?: { message: string } };
    if (tags === 'tags') expect([answer.status, error?.message]).toEqual([422, expect.stringMatching(/^tags: /)]);
    else expect((await product.call(`/batches/${data!.batch_id}`)).body.data.tags).toEqual(tags);
  });

  it('decodes names without a declared character set as UTF-8 or code page 866', async () => {
    product = await startProduct();
    const archive = await archiveOf([
      ['name.jpg', photo('a')],
      ['same.jpg', photo('b')],
    ]);
    const from866 = renamed(archive, 'same', 'мя');
    for (let at = from866.indexOf('name'); at >= 0; at = from866.indexOf('name', at))
      from866.set([0x8c, 0xae, 0xe1, 0xe2], at);
    for (const header of [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x01\x02', 'latin1')]) {
      for (let at = from866.indexOf(header); at >= 0; at = from866.indexOf(header, at + 1)) {
        const flags = at + (header[2] === 3 ? 6 : 8);
        from866.writeUInt16LE(from866.readUInt16LE(flags) & ~0x800, flags);
      }
    }
    const { body } = await submit(from866);
    expect((await items(body.data.status_url)).map(({ name }: { name: string }) => name)).toEqual([
      'Мост.jpg',
      'мя.jpg',
    ]);
  });

  const invalid: [string, () => Promise<Buffer>, string][] = [
    [
      'a path upwards',
      async () => renamed(await archiveOf([['aa/x.jpg', photo('x')]]), 'aa/x.jpg', '../x.jpg'),
      'The path is absolute or leads out',
    ],
    [
      'an absolute path',
      async () => renamed(await archiveOf([['aa/x.jpg', photo('x')]]), 'aa/x.jpg', '/etc/pwd'),
      'The path is absolute or leads out',
    ],
    [
      'a Windows path upwards',
      async () => renamed(await archiveOf([['aa/x.jpg', photo('x')]]), 'aa/x.jpg', '..\\x.jpg'),
      'The path is absolute or leads out',
    ],
    [
      'a control character in a name',
      async () => renamed(await archiveOf([['a.jpg', photo('x')]]), 'a.jpg', '\0.jpg'),
      'control characters',
    ],
    [
      'two files of one name',
      () =>
        archiveOf([
          ['a.jpg', photo('x')],
          ['a.jpg', photo('y')],
        ]),
      'a.jpg: Two files have this name.',
    ],
    [
      'an archive in it',
      () =>
        archiveOf([
          ['a.jpg', photo('x')],
          ['b/inner.ZIP', Buffer.from('PK')],
        ]),
      'b/inner.ZIP: Archives in an archive',
    ],
    [
      'a file that is no photo',
      () =>
        archiveOf([
          ['a.jpg', photo('x')],
          ['notes.txt', Buffer.from('hi')],
        ]),
      'notes.txt: The file is not an image',
    ],
    ['an empty file', () => archiveOf([['a.jpg', Buffer.alloc(0)]]), 'a.jpg: The file is empty.'],
    [
      'an encrypted file',
      async () => withHeader(await archiveOf([['a.jpg', photo('x')]]), 8, [1, 8]),
      'a.jpg: The file is encrypted',
    ],
    [
      'another compression method',
      async () => withHeader(await archiveOf([['a.jpg', photo('x')]]), 10, [14, 0]),
      'a.jpg: The compression method',
    ],
    [
      'a file above the limit',
      () => archiveOf([['a.jpg', Buffer.alloc(20 * 2 ** 20 + 1)]]),
      'a.jpg: The file is larger than 20 MiB',
    ],
    [
      'a declared size that is too small',
      async () => withHeader(await archiveOf([['a.jpg', photo('x'.repeat(1e5))]]), 24, [9, 0, 0, 0]),
      'a.jpg: The file is damaged',
    ],
    [
      'another checksum',
      async () => withHeader(await archiveOf([['a.jpg', photo('x')]]), 16, [1, 2, 3, 4]),
      'a.jpg: The file is damaged: the checksum',
    ],
    [
      'a wrong size of an uncompressed file',
      async () => withHeader(await archiveOf([['a.jpg', photo('x')]], { compress: false }), 24, [9, 0, 0, 0]),
      'The directory of the archive is damaged',
    ],
    [
      'fewer declared files than its directory has',
      async () => {
        const archive = await archiveOf([
          ['a.jpg', photo('x')],
          ['b.jpg', photo('y')],
        ]);
        archive.set([1, 0, 1, 0], archive.length - 14);
        return archive;
      },
      'it has other entries than it declares',
    ],
    ['no files', () => archiveOf([['a/', Buffer.alloc(0)]]), 'The archive has no files'],
    [
      'a missing end',
      async () => (await archiveOf([['a.jpg', photo('x'.repeat(1e5))]])).subarray(0, -30),
      'not a complete ZIP archive',
    ],
    ['no ZIP', async () => Buffer.from('{}'), 'not a complete ZIP archive'],
    ['no bytes', async () => Buffer.alloc(0), 'not a complete ZIP archive'],
  ];
  const aboveLimits: typeof invalid = [
    [
      'a bomb',
      () => archiveOf(Array.from({ length: 4 }, (_, i) => [`${i}.jpg`, Buffer.alloc(19 * 2 ** 20)] as const)),
      'more than 100 times its size',
    ],
    [
      '10 001 files',
      () =>
        archiveOf(
          Array.from({ length: 10_001 }, (_, i) => [`${i}.jpg`, photo('x')] as const),
          { compress: false },
        ),
      'at most 10000 items',
    ],
    [
      '30 001 entries',
      () => archiveOf(Array.from({ length: 30_001 }, (_, i) => [`${i}/`, Buffer.alloc(0)] as const)),
      'more than 30000 entries',
    ],
  ];
  it('with an unsafe path, another type of file or a file above the limit is rejected completely', () =>
    expectRejected(invalid));
  // Each with its own product: while an archive is built, the listener may close an idle connection.
  it.each(aboveLimits)('with %s is rejected completely', { tags: ['full'], timeout: 600_000 }, (...archive) =>
    expectRejected([archive]),
  );

  async function expectRejected(archives: typeof invalid) {
    product = await startProduct();
    for (const [title, archive, message] of archives) {
      const { status, body } = await submit(await archive());
      expect([title, status, body.error?.message]).toEqual([title, 422, expect.stringContaining(message)]);
      expect(body.error.message).not.toMatch(/\.\.$/);
    }
    await expectNothingStored();
    await expect.poll(storedFiles).toEqual([]);
  }

  it('is rejected in a form with a second file', async () => {
    product = await startProduct();
    const body = new FormData();
    const archive = new Blob([await archiveOf([['a.jpg', photo('a')]])]);
    for (const name of ['a.zip', 'b.zip']) body.append('file', archive, name);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${product.url}/batches`, { method: 'POST', headers, body })).status).toBe(422);
    await expectNothingStored();
  });

  it('may be in the format ZIP64', async () => {
    product = await startProduct();
    const { status, body } = await submit(await archiveOf([['a.jpg', photo('a')]], { zip64: true }));
    expect([status, body.data?.total]).toEqual([202, 1]);
  });

  it('reports all invalid files by name', async () => {
    product = await startProduct();
    const archive = await archiveOf([
      ['a.txt', Buffer.from('a')],
      ['b.jpg', photo('b')],
      ['c.txt', Buffer.from('c')],
      ['d.jpg', Buffer.alloc(0)],
    ]);
    expect((await submit(archive)).body.error.details).toEqual({
      invalid: 3,
      total: 4,
      items: [
        { name: 'd.jpg', code: 'EMPTY_FILE', message: expect.any(String) },
        ...['a.txt', 'c.txt'].map((name) => ({
          ...{ name, code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.stringContaining('not an image') },
        })),
      ],
    });
  });

  it('reports a damaged archive and an empty file by a code', async () => {
    product = await startProduct();
    const archive = await archiveOf([
      ['a.jpg', photo('a')],
      ['b.jpg', Buffer.alloc(0)],
    ]);
    const detailsOf = async (body: Buffer) => (await submit(body)).body.error.details;
    expect(await detailsOf(archive)).toMatchObject({ items: [{ name: 'b.jpg', code: 'EMPTY_FILE' }] });
    const damaged = { code: 'DAMAGED_ARCHIVE' };
    expect(await detailsOf(archive.subarray(0, -30))).toEqual(damaged);
    // Fewer declared files than its directory has.
    archive.set([1, 0, 1, 0], archive.length - 14);
    expect(await detailsOf(archive)).toEqual(damaged);
  });

  it('leaves out invalid files if the request says so, and ignores hidden files with a count', async () => {
    product = await startProduct();
    const archive = await archiveOf([
      ['a.txt', Buffer.from('a')],
      ['b.jpg', photo('b')],
      ['b.jpg', photo('c')],
      ['.cache/d.jpg', photo('d')],
      ['__MACOSX/._b.jpg', Buffer.from('x')],
      ['large.jpg', photo('x'.repeat(1e5))],
    ]);
    // The checksum in the directory of the last file: its first bytes are correct, so the error is found when it is stored.
    archive.set([1, 2, 3, 4], archive.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1')) + 16);
    expect((await submit(archive)).status).toBe(422);
    await expectNothingStored();
    const { status, body } = await submit(archive, { query: '?skip_invalid=true' });
    expect([status, body.data]).toEqual([
      202,
      expect.objectContaining({
        total: 1,
        ignored: 2,
        left_out: {
          count: 3,
          items: [
            { name: 'b.jpg', code: 'DUPLICATE_NAME', message: expect.any(String) },
            { name: 'a.txt', code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.any(String) },
            { name: 'large.jpg', code: 'DAMAGED', message: 'The file is damaged: the checksum does not match.' },
          ],
        },
      }),
    ]);
    expect((await items(body.data.status_url)).map(({ name }: { name: string }) => name)).toEqual(['b.jpg']);
    const texts = await archiveOf([['a.txt', Buffer.from('a')]]);
    expect((await submit(texts, { query: '?skip_invalid=true' })).status).toBe(422);
  });

  it('with an invalid common field, or above the quota of the client, is rejected before a file is stored', async () => {
    product = await startProduct({ env: { FILES_QUOTA_BYTES: '50' } });
    const archive = await archiveOf([['a.jpg', photo('x'.repeat(60))]]);
    expect((await submit(archive, { query: '?inspect=everything' })).body.error.message).toContain('inspect');
    const lines = {
      method: 'POST',
      headers: { 'content-type': 'application/jsonl' },
      body: '{"image_url":"https://a.b/c"}',
    };
    const { status, body } = await product.call('/batches?inspect=whole', lines);
    expect([status, body.error.message]).toEqual([422, 'inspect: for JSON lines and CSV it belongs in each item.']);
    expect(await submit(archive)).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    await expectNothingStored();
    await expect.poll(storedFiles).toEqual([]);
  });

  it('whose common fields take more than 64 MiB for all files is rejected before a file is stored', async () => {
    product = await startProduct({ service: 'stt' });
    const form = new FormData();
    const terms = Array.from({ length: 640 }, (_, i) => `${i}${'x'.repeat(90)}`);
    form.set('vocabulary', JSON.stringify(terms));
    const files = Array.from({ length: 1200 }, (_, i) => [`${i}.wav`, wav] as const);
    form.set('file', new Blob([await archiveOf(files)]), 'night.zip');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${product.url}/batches`, { method: 'POST', headers, body: form });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
    await expectNothingStored();
    expect(await storedFiles()).toEqual([]);
  });

  it('is stored once per idempotency key, also if the quota has no room for the files of a repetition', async () => {
    product = await startProduct({ env: { FILES_QUOTA_BYTES: '14' } });
    const archive = await archiveOf([
      ['a.jpg', photo('a')],
      ['b.jpg', photo('b')],
    ]);
    const headers = { 'idempotency-key': 'bridge' };
    const first = await submit(archive, { headers });
    const put = vi.spyOn(product.gateway.files, 'put');
    const second = await submit(archive, { headers });
    expect(put).not.toHaveBeenCalled();
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body.data).toEqual(first.body.data);
    expect(await submit(archive)).toMatchObject({ status: 413 });
    expect(await submit(await archiveOf([['a.jpg', photo('c')]]), { headers })).toMatchObject({
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
    expect(await count('tasks')).toBe(3);
    expect(await count('files where expires_at > now()')).toBe(2);
  });

  it('that is retried shortly before it expires keeps the photos of the retried items as long as their tasks', async () => {
    const run = async ({ input }: { input: unknown }) => {
      if ((input as { file_name: string }).file_name !== 'done.jpg') throw new Error('failed');
      return { result: RESULT };
    };
    product = await startProduct({ model: createFakeModel({ run }), env: { WORKER_MAX_ATTEMPTS: '1' } });
    const archive = await archiveOf([
      ['done.jpg', photo('a')],
      ['failed.jpg', photo('b')],
    ]);
    const { status_url: url } = (await submit(archive)).body.data;
    await waitUntil(async () => (await product.call(url)).body.data.status === 'completed');
    const { db } = product.database;
    for (const change of ['tasks set queued_at = queued_at - $1::interval,', 'files set'])
      await db.query(`update ${change} expires_at = expires_at - $1::interval`, ['23 h 59 min']);
    // A token may not keep the file of another one.
    const found = await inputs<{ image_url: string; file_name: string }>();
    const keyOf = (name: string) => new URL(found.find((each) => each.file_name === name)!.image_url).pathname.slice(1);
    const foreign = newId();
    const values = [foreign, keyOf('failed.jpg')];
    await db.query(
      `insert into files (key, principal, size_bytes, content_type, expires_at)
       select $1, 'other', size_bytes, content_type, expires_at from files where key = $2`,
      values,
    );
    await db.query(
      `update tasks set input = jsonb_set(input::jsonb, '{other}', to_jsonb($1::text))::json where input::text like $2`,
      [`https://files.assay.internal/${foreign}`, `%${values[1]}%`],
    );
    expect((await product.call(`${url}/retry`, { method: 'POST' })).body.data.retried).toBe(1);
    const { rows } = await db.query<{ key: string; seconds: number }>(
      'select key, extract(epoch from expires_at - now())::float8 as seconds from files',
    );
    const seconds = (key: string) => rows.find((row) => row.key === key)!.seconds;
    expect(seconds(values[1]!)).toBeGreaterThan(86_000);
    expect(seconds(keyOf('done.jpg'))).toBeLessThan(61);
    expect(seconds(foreign)).toBeLessThan(61);
  });

  it('is refused without a stored file when its client disconnects or the queue is full', async () => {
    product = await startProduct({ env: { CLIENT_MAX_WAITING: '2' } });
    const two = await archiveOf([
      ['a.jpg', photo('a')],
      ['b.jpg', photo('b')],
    ]);
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip' };
    const request = httpRequest(`${product.url}/batches`, { method: 'POST', headers });
    const closed = new Promise((resolve) => request.on('error', () => {}).on('close', resolve));
    request.write(two.subarray(0, 100), () => request.destroy());
    await closed;
    await waitUntil(async () => (await submit(two)).status === 202);
    expect(await submit(two)).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    expect(await count('tasks')).toBe(3);
    expect(await count('files where expires_at > now()')).toBe(2);
  });

  it('is refused while three of the client or eight in all arrive, however slowly; a client’s second one while four arrive', async () => {
    const others = [...'bcdefg'];
    product = await startProduct({ env: { DEFECTOSCOPY_API_TOKENS: [TOKEN, ...others].join() } });
    const archive = await archiveOf([['a.jpg', photo('a')]]);
    const answers: (number | undefined)[] = [];
    const opened: ClientRequest[] = [];
    // More than the buffers of a connection: written when the gateway reads it.
    const bytes = Buffer.alloc(16 * 2 ** 20);
    const open = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/zip' };
      const request = httpRequest(`${product.url}/batches`, { method: 'POST', headers });
      opened.push(request);
      request.on('error', () => {}).on('response', ({ statusCode }) => answers.push(statusCode));
      await new Promise((resolve) => request.write(bytes, resolve));
    };
    const send = (token: string) => {
      const headers = { 'content-type': 'application/zip' };
      return product.call('/batches', { method: 'POST', headers, body: archive, token });
    };
    for (const token of [TOKEN, TOKEN, TOKEN]) await open(token);
    const refused = await send(TOKEN);
    expect([refused.status, refused.body.error?.message]).toEqual([
      503,
      expect.stringContaining('nothing was accepted'),
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await open('b');
    expect((await send('b')).status).toBe(503);
    for (const token of ['c', 'd', 'e']) await open(token);
    expect((await send('f')).status).toBe(202);
    await open('f');
    expect([(await send('g')).status, answers]).toEqual([503, []]);
    opened[0]!.destroy();
    await waitUntil(async () => (await send('g')).status === 202);
    for (const request of opened) request.destroy();
  });

  it('is not supported without a host of stored files', async () => {
    product = await startProduct({ env: { FILES_HOST: undefined } });
    const { status, body } = await submit(await archiveOf([['a.jpg', photo('a')]]));
    expect([status, body.error.message]).toEqual([415, expect.not.stringContaining('zip')]);
  });
});
