import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { TaskFailure } from '../../src/tasks/task.ts';
import { measureRate } from '../support/measured-rate.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const photo = (name: number | string) => `https://storage-1.example.com/${name}.jpg`;
const jsonLines = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).join('\n');
const photos = (count: number) => Array.from({ length: count }, (_, i) => ({ image_url: photo(i + 1) }));

// Most tests start a product.
vi.setConfig({ testTimeout: 120_000 });

let product: Product;
let receiver: Receiver | undefined;
afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
  await product.stop();
});

const submit = (
  body: string | Buffer,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) =>
  product.call(`/batches${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...headers },
    body,
  });
const read = async (id: string) => (await product.call(`/batches/${id}`)).body.data;
const post = (path: string) => product.call(path, { method: 'POST' });

async function waitForCompletion(id: string) {
  for (;;) {
    const batch = await read(id);
    if (batch.status === 'completed') return batch;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const countTasks = async () =>
  (await product.database.db.query<{ n: number }>('select count(*)::int as n from tasks')).rows[0]!.n;

/** Photos whose name begins with a word of `failing` fail. */
const failingModel = (failing: Set<string>) =>
  createFakeModel({
    run: async ({ input }) => {
      const { image_url: url } = input as { image_url: string };
      if (failing.has(url))
        throw new TaskFailure({ code: 'IMAGE_CORRUPT', message: 'The file is not a readable image.' });
      return { result: RESULT };
    },
  });

describe('A batch', () => {
  it('queues every item, completes, and exports the results of its tasks in four formats', async () => {
    product = await startProduct({ model: failingModel(new Set([photo(3)])) });
    const accepted = await submit(jsonLines(photos(6)));
    expect(accepted).toMatchObject({ status: 202, body: { data: { status: 'in_progress', total: 6 } } });
    const { batch_id: id, status_url: url } = accepted.body.data;
    expect(accepted.headers.get('location')).toBe(url);
    const completed = await waitForCompletion(id);
    expect(completed).not.toHaveProperty('estimated_wait_seconds');
    expect(completed).toMatchObject({
      batch_id: id,
      total: 6,
      counts: { queued: 0, processing: 0, done: 5, failed: 1, cancelled: 0 },
      errors: [{ position: 3, error_code: 'IMAGE_CORRUPT', task_id: expect.any(String) }],
      error_codes: ['IMAGE_CORRUPT'],
      completed_at: expect.stringMatching(/^\d{10}$/),
    });

    const first = (await product.call(`${url}/items?limit=4`)).body.data;
    expect(first.items.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3, 4]);
    const rest = (await product.call(`${url}/items?after=${first.next}`)).body.data;
    expect(rest).toEqual({ items: expect.any(Array) });
    const items = [...first.items, ...rest.items];
    expect(items).toHaveLength(6);
    const russian = { headers: { 'accept-language': 'ru' } };
    const short = (await product.call(`${url}/items?limit=3&summary=true`, russian)).body.data.items;
    expect(short.map(({ summary }: { summary?: string }) => summary)).toEqual([
      ...['Бетонная стена: трещина 90\u00a0%', 'Бетонная стена: трещина 90\u00a0%', undefined],
    ]);
    expect((await product.call(`${url}/items?limit=100&summary=true`)).status).toBe(200);
    expect(await product.call(`${url}/items?limit=101&summary=true`)).toMatchObject({
      ...{ status: 422, body: { error: { message: expect.stringMatching(/^limit: .*100/) } } },
    });

    const headers = { authorization: `Bearer ${TOKEN}` };
    const lines = (await (await fetch(`${product.url}${url}/results`, { headers })).text()).trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    for (const [at, line] of lines.entries()) {
      const { position, result } = JSON.parse(line);
      expect(position).toBe(at + 1);
      expect(result).toEqual((await product.call(`/result/${items[at].task_id}`)).body);
    }
    const csv = (await product.call(`${url}/results?format=csv`)).text.split('\r\n');
    expect(csv[0]).toBe(
      'position,task_id,status,error_code,error,surface,masters,master_confidences,defects,defect_confidences,familiarity,warnings,regions,region_confidences',
    );
    expect(csv[1]).toContain(`1,${items[0].task_id},done,,,concrete_wall,`);
    expect(csv[3]).toContain(`3,${items[2].task_id},failed,IMAGE_CORRUPT,The file is not a readable image.`);
    const xlsx = await product.call(`${url}/results?format=xlsx`);
    expect(xlsx.headers.get('content-type')).toContain('spreadsheetml');
    expect(xlsx.text.startsWith('PK')).toBe(true);
    const files = Buffer.from(
      await (await fetch(`${product.url}${url}/results?format=zip`, { headers })).arrayBuffer(),
    );
    const archive = await fromBufferPromise(files, { lazyEntries: true });
    const names: string[] = [];
    for await (const { fileName } of archive.eachEntry()) names.push(fileName);
    expect(names).toEqual(['results.csv', ...items.map((_, at) => `items/${at + 1}.json`)]);

    expect((await product.call('/batches')).body.data.batches).toEqual([await read(id)]);
  });

  it('lists only the items in a state, as it counts them', { tags: ['full'] }, async () => {
    product = await startProduct({ model: failingModel(new Set([photo(2), photo(5), photo(6)])) });
    const { status_url: url, batch_id: id } = (await submit(jsonLines(photos(7)))).body.data;
    await waitForCompletion(id);
    await product.database.db.query(
      `update tasks set error_code = 'CANCELLED'
        where id = (select task_id from batch_items where batch_id = $1 and position = 6)`,
      [id],
    );
    await product.database.db.query(
      'delete from tasks where id = (select task_id from batch_items where batch_id = $1 and position = 7)',
      [id],
    );
    const positions = async (query: string) => {
      const { items, next } = (await product.call(`${url}/items?${query}`)).body.data;
      return [items.map(({ position }: { position: number }) => position), next];
    };
    expect(await positions('status=failed')).toEqual([[2, 5], undefined]);
    expect(await positions('status=failed&limit=1')).toEqual([[2], 2]);
    expect(await positions('status=failed&limit=1&after=2')).toEqual([[5], undefined]);
    expect(await positions('status=done')).toEqual([[1, 3, 4], undefined]);
    expect(await positions('status=cancelled')).toEqual([[6], undefined]);
    expect(await positions('status=deleted')).toEqual([[7], undefined]);
    expect(await positions('status=queued')).toEqual([[], undefined]);
    expect(await product.call(`${url}/items?status=Failed`)).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringMatching(/^`status` must be one of "queued", .*"failed"/) } },
    });
  });

  it('takes CSV with fields in any order, JSON cells and absent values', { tags: ['full'] }, async () => {
    product = await startProduct({ service: 'stt' });
    const csv = [
      '\uFEFFmetadata;url;language',
      '"{""shift"": 12345678901234567890}";https://storage.example.com/a.mp3;',
      '',
      ';https://storage.example.com/b.mp3;ru',
    ].join('\r\n');
    const accepted = await submit(csv, { headers: { 'content-type': 'text/csv; charset=utf-8' } });
    expect(accepted).toMatchObject({ status: 202, body: { data: { total: 2 } } });
    const { rows } = await product.database.db.query<{ input: object; priority: number }>(
      `select input, priority from tasks where service = 'stt' order by run_at`,
    );
    expect(rows).toEqual([
      { input: { url: 'https://storage.example.com/a.mp3', metadata: '{"shift": 12345678901234567890}' }, priority: 1 },
      { input: { url: 'https://storage.example.com/b.mp3', language: 'ru' }, priority: 1 },
    ]);
  });

  it('ignores a priority that the requests of the service do not have', { tags: ['full'] }, async () => {
    product = await startProduct({ service: 'stt' });
    const item = { url: 'https://storage-1.example.com/1.mp3', priority: 'urgent' };
    const { status, body } = await submit(jsonLines([item]));
    expect([status, body.data.total]).toEqual([202, 1]);
  });

  it('is rejected completely when items are invalid, with the lines of the invalid ones', async () => {
    product = await startProduct();
    const lines = [...photos(5).map((item) => JSON.stringify(item))];
    lines[1] = '{"image_url":';
    lines.splice(3, 0, '', JSON.stringify({ image_url: 'https://elsewhere.example.com/a.jpg' }));
    const answer = await submit(lines.join('\n'));
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'Line 2: The item is not valid JSON. 2 of 6 items are invalid; nothing was accepted.',
      details: {
        invalid: 2,
        total: 6,
        items: [{ line: 2 }, { line: 5, message: expect.stringContaining('image_url') }],
      },
    });
    expect(await countTasks()).toBe(0);
    const skipping = await submit(lines.join('\n'), { query: '?skip_invalid=true' });
    expect(skipping.body.data).toMatchObject({ total: 4, left_out: { count: 2, items: [{ line: 2 }, { line: 5 }] } });
    expect(await countTasks()).toBe(5);
  });

  it('names lines that are nested too deeply, too long or not UTF-8, and can leave them out', {
    tags: ['full'],
  }, async () => {
    product = await startProduct();
    const item = Buffer.from(`${JSON.stringify(photos(1)[0])}\n`);
    const deep = `{"image_url":"${photo(2)}","x":${'['.repeat(120)}${']'.repeat(120)}}\n`;
    const body = Buffer.concat([
      ...[item, Buffer.from(deep), item, Buffer.from('{"x":"'), Buffer.alloc(3 * 2 ** 20, 'x'), Buffer.from('"}\n')],
      ...[item, Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), item, Buffer.alloc(2 ** 20, 'y')],
    ]);
    const items = [
      { line: 2, message: 'The JSON is nested deeper than 100 levels.' },
      { line: 4, message: 'Longer than 65536 bytes.' },
      { line: 6, message: 'The text is not UTF-8.' },
      { line: 8, message: 'Longer than 65536 bytes.' },
    ];
    const { status, body: refused } = await submit(body);
    expect([status, refused.error.details]).toEqual([422, { invalid: 4, total: 8, items }]);
    expect(await countTasks()).toBe(0);
    const { body: accepted } = await submit(body, { query: '?skip_invalid=true' });
    expect(accepted.data).toMatchObject({ total: 4, left_out: { count: 4, items } });
    expect(await countTasks()).toBe(5);
  });

  it('counts the values of all items together', { tags: ['full'] }, async () => {
    product = await startProduct();
    const line = `{"image_url":"${photo(1)}","x":[${'1,'.repeat(30_000)}1]}\n`;
    const { status, body } = await submit(line.repeat(41), { query: '?skip_invalid=true' });
    expect([status, body.error.message]).toEqual([413, 'The JSON has more than 1200000 values.']);
  });

  it.each([
    ['without items', '\n \n', 'no items', 'EMPTY_BATCH'],
    ['with 10 001 items', jsonLines(photos(10_001)), 'at most 10000 items', 'TOO_MANY_FILES'],
    [
      'with a line that is too long',
      JSON.stringify({ image_url: photo('x'.repeat(70_000)) }),
      'Line 1: Longer than 65536',
    ],
    ['with a line that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'not UTF-8'],
    ['with an item that is no object', '[]', 'must be an object'],
  ])('%s is rejected', { tags: ['full'] }, async (_, body, message, code?: string) => {
    product = await startProduct();
    const answer = await submit(body as string);
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toContain(message);
    expect(answer.body.error.details?.code).toBe(code);
    expect(answer.body.error.details?.limit).toBe(code === 'TOO_MANY_FILES' ? 10_000 : undefined);
    expect(await countTasks()).toBe(0);
  });

  it('takes the tags of CSV as a JSON list or as in the results', { tags: ['full'] }, async () => {
    product = await startProduct({ service: 'stt' });
    const cells = [
      '["a, b; c"]',
      'north; pier 3, west',
      'pier 3, west',
      ' north ;; pier 3 ',
      '[2026]; north',
      '[2026]',
    ];
    const rows = cells.map((cell) => `https://storage.example.com/a.mp3\t"${cell.replaceAll('"', '""')}"`);
    const headers = { 'content-type': 'text/csv' };
    const accepted = await submit(['url\ttags', ...rows, 'https://storage.example.com/a.mp3\t;'].join('\n'), {
      headers,
    });
    expect(accepted).toMatchObject({ status: 202, body: { data: { total: 7 } } });
    const tagsOf = async (url: string) => {
      const { items } = (await product.call(`${url}/items`)).body.data;
      return items.map(({ tags = [] }: { tags?: string[] }) => tags);
    };
    const { status_url: url } = accepted.body.data;
    expect(await tagsOf(url)).toEqual([
      ['a, b; c'],
      ['north', 'pier 3, west'],
      ['pier 3, west'],
      ['north', 'pier 3'],
      ['[2026]', 'north'],
      ['[2026]'],
      [],
    ]);

    await post(`${url}/cancel`);
    await waitForCompletion(url.split('/').at(-1));
    const lines = (await product.call(`${url}/results?format=csv`)).text.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/,tags$/);
    // The cell of tags is the last one, and the cells before it have no quotes.
    const exported = lines.slice(2).map((line) => /("[^"]*"|[^,]*)$/.exec(line)![0]);
    const again = await submit(
      ['url,tags', ...exported.map((cell) => `https://storage.example.com/a.mp3,${cell}`)].join('\n'),
      { headers },
    );
    expect(await tagsOf(again.body.data.status_url)).toEqual((await tagsOf(url)).slice(1));
  });

  it.each(['{', '1,"language":"ru"', '"a"}'])(
    'names the column of CSV whose cell is not JSON: %s',
    { tags: ['full'] },
    async (cell) => {
      product = await startProduct({ service: 'stt' });
      const body = `url;metadata\nhttps://storage.example.com/a.mp3;"${cell.replaceAll('"', '""')}"`;
      const answer = await submit(body, { headers: { 'content-type': 'text/csv' } });
      const message = 'The cell in the column metadata is not valid JSON.';
      expect(answer).toMatchObject({ status: 422, body: { error: { details: { items: [{ line: 2, message }] } } } });
    },
  );

  it.each([
    ['an unknown column', 'image_url,colour\na,b', 'column 2 ("colour") is not a field'],
    ['a repeated column', 'image_url,image_url\na,b', 'column 2 ("image_url") occurs twice'],
    ['another delimiter', `image_url|priority\n${photo(1)}|batch`, 'separated by commas, semicolons or tabs'],
    [
      'a row with too many cells',
      `image_url\n${photo(1)},x`,
      'more cells than the header: cells are separated by commas',
    ],
    ['an unquoted semicolon', `image_url;tags\n${photo(1)};a; b`, 'cells are separated by semicolons'],
    ['an open quote', `image_url\n"${photo(1)}`, 'a quote is not closed'],
  ])('of CSV with %s is rejected', { tags: ['full'] }, async (_, body, message) => {
    product = await startProduct();
    const answer = await submit(body, { headers: { 'content-type': 'text/csv' } });
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toContain(message);
  });

  it('takes CSV whose header arrives in pieces and U+FFFD, and refuses rows that are not UTF-8', {
    tags: ['full'],
  }, async () => {
    product = await startProduct();
    const body = new ReadableStream({
      async start(stream) {
        for (const piece of ['\uFEFFimage_url', ';tags\r\n', `${photo(1)};a\r\n`]) {
          stream.enqueue(new TextEncoder().encode(piece));
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        stream.close();
      },
    });
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/csv' };
    const accepted = await fetch(`${product.url}/batches`, { method: 'POST', headers, body, duplex: 'half' });
    expect(await accepted.json()).toMatchObject({ data: { total: 1 } });

    // Excel saves other encodings than UTF-8 unless told otherwise.
    const windows = Buffer.concat([Buffer.from(`image_url;tags\n${photo(1)};`), Buffer.from([0xec, 0xee, 0xf1, 0xf2])]);
    expect(await submit(windows, { headers: { 'content-type': 'text/csv' } })).toMatchObject({
      status: 422,
      body: { error: { details: { items: [{ line: 2, message: 'The text is not UTF-8.' }] } } },
    });
    const replaced = await submit(`image_url;tags\n${photo(1)};a\uFFFD`, { headers: { 'content-type': 'text/csv' } });
    expect(replaced.body.data.total).toBe(1);
  });

  it('of an unsupported type is rejected with 415, and one above 32 MiB with 413', { tags: ['full'] }, async () => {
    product = await startProduct();
    expect((await submit('{}', { headers: { 'content-type': 'application/json' } })).status).toBe(415);
    expect((await submit(`${' '.repeat(60_000)}\n`.repeat(600))).status).toBe(413);
    expect(await countTasks()).toBe(0);
  });

  it('is not accepted when its client disconnects in the middle', { tags: ['full'] }, async () => {
    product = await startProduct();
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' };
    const request = httpRequest(`${product.url}/batches`, { method: 'POST', headers });
    const closed = new Promise((resolve) => request.on('error', () => {}).on('close', resolve));
    request.write(`${jsonLines(photos(100))}\n`, () => request.destroy());
    await closed;
    expect((await submit(jsonLines(photos(2)))).status).toBe(202);
    expect(await countTasks()).toBe(3);
  });

  it('is stored once per idempotency key, also by concurrent requests; another body is an error', async () => {
    product = await startProduct();
    const headers = { 'idempotency-key': 'monday' };
    const answers = await Promise.all([
      submit(jsonLines(photos(30)), { headers }),
      submit(jsonLines(photos(30)), { headers }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(new Set(answers.map(({ body }) => body.data.batch_id)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true')).toHaveLength(1);
    expect(await submit(jsonLines(photos(31)), { headers })).toMatchObject({
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
    expect(await countTasks()).toBe(31);
  });

  it('is refused up front if the queue has no room for all of its items', { tags: ['full'] }, async () => {
    product = await startProduct({ env: { CLIENT_MAX_WAITING: '10' } });
    expect((await submit(jsonLines(photos(11)))).body.error.message).toBe(
      'A batch has at most 10 items: no more tasks may wait at the same time.',
    );
    expect((await submit(jsonLines(photos(6)))).status).toBe(202);
    const refused = await submit(jsonLines(photos(6)));
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await countTasks()).toBe(7);
  });

  it('is hidden from other tokens with TASK_VISIBILITY=token and listed only for its own', {
    tags: ['full'],
  }, async () => {
    product = await startProduct({ env: { DEFECTOSCOPY_API_TOKENS: `${TOKEN},other`, TASK_VISIBILITY: 'token' } });
    const { batch_id: id } = (await submit(jsonLines(photos(1)))).body.data;
    for (const path of ['', '/items', '/results']) {
      expect((await product.call(`/batches/${id}${path}`, { token: 'other' })).body.error.code).toBe('BATCH_NOT_FOUND');
    }
    expect((await product.call('/batches', { token: 'other' })).body.data.batches).toEqual([]);
    expect((await product.call(`/result/${id}`)).status).toBe(404);
  });

  it('ends when it is cancelled; its results are then readable', { tags: ['full'] }, async () => {
    product = await startProduct();
    const { batch_id: id } = (await submit(jsonLines(photos(2500)))).body.data;
    expect((await product.call(`/batches/${id}/results`)).body.error.code).toBe('BATCH_NOT_COMPLETED');
    expect((await post(`/batches/${id}/retry`)).body.error.code).toBe('BATCH_NOT_COMPLETED');
    expect((await post(`/batches/${id}/cancel`)).body.data).toEqual({ batch_id: id, cancelled: 2500 });
    expect(await waitForCompletion(id)).toMatchObject({ counts: { cancelled: 2500, failed: 0 }, errors: [] });
    expect((await post(`/batches/${id}/cancel`)).body.data.cancelled).toBe(0);
    expect((await post(`/batches/${id}/retry`)).body.data.retried).toBe(0);
    expect((await read(id)).status).toBe('completed');
  });

  it('has an estimate until it ends, from the configured times until a rate is measured', {
    tags: ['full'],
  }, async () => {
    product = await startProduct({ env: { DEFECTOSCOPY_ESTIMATE_WARM: '7', DEFECTOSCOPY_COLD_START_SECONDS: '20' } });
    const accepted = (await submit(jsonLines(photos(3)))).body.data;
    expect(accepted.estimated_wait_seconds).toBe(147);
    const { batch_id: id } = accepted;
    expect((await read(id)).estimated_wait_seconds).toBe(147);
    expect((await product.call('/batches')).body.data.batches[0].estimated_wait_seconds).toBe(147);
    // The start tags of the waiting items, of which the estimate takes the last one.
    const summary = (await product.context.tasks.batches.summaries([id])).get(id)!;
    const { rows } = await product.database.db.query<{ last: number }>(
      `select extract(epoch from max(run_at))::float8 as last from tasks where service = 'defectoscopy'`,
    );
    expect(summary.lastTags).toEqual({ realtime: null, batch: rows[0]!.last });
    await post(`/batches/${id}/cancel`);
    expect(await waitForCompletion(id)).not.toHaveProperty('estimated_wait_seconds');
  });

  it('is counted once for requests at the same time', { tags: ['full'] }, async () => {
    product = await startProduct();
    const { batch_id: id } = (await submit(jsonLines(photos(3)))).body.data;
    const query = vi.spyOn(product.context.db, 'query');
    const counted = () =>
      query.mock.calls.filter(([one]) => typeof one === 'object' && one.name === 'batch-summary').length;
    const states = await Promise.all(Array.from({ length: 20 }, () => product.context.tasks.batches.summaries([id])));
    expect(new Set(states.map((state) => state.get(id)!.counts.queued))).toEqual(new Set([3]));
    expect(counted()).toBe(1);
    query.mockRestore();
  });

  it('has an estimate at its acceptance from the measured rate, at least that of its state, without reading the state', {
    tags: ['full'],
  }, async () => {
    product = await startProduct({ env: { DEFECTOSCOPY_ESTIMATE_WARM: '1', DEFECTOSCOPY_COLD_START_SECONDS: '2' } });
    await submit(jsonLines(photos(1)));
    await measureRate(product, 'defectoscopy');
    const timeout = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    for (const priority of ['batch', 'realtime']) {
      const body = jsonLines(photos(100).map((item) => ({ ...item, priority })));
      const headers = { 'idempotency-key': priority };
      const summaries = vi.spyOn(product.gateway.tasks.batches, 'summaries').mockRejectedValue(timeout);
      const accepted = await submit(body, { headers });
      expect(accepted).toMatchObject({ status: 202, body: { data: { total: 100 } } });
      expect((await submit(body, { headers })).body).toEqual(accepted.body);
      summaries.mockRestore();
      const { batch_id: id, estimated_wait_seconds: seconds } = accepted.body.data;
      const state = await read(id);
      expect(state.estimated_wait_seconds).toBeGreaterThan(60);
      expect(seconds).toBeGreaterThanOrEqual(state.estimated_wait_seconds);
    }
  });

  it('retries its failed items with the same task ids', { tags: ['full'] }, async () => {
    const failing = new Set([photo(2), photo(4)]);
    product = await startProduct({ model: failingModel(failing) });
    const { batch_id: id } = (await submit(jsonLines(photos(5)))).body.data;
    const before = await waitForCompletion(id);
    expect(before.counts).toMatchObject({ done: 3, failed: 2 });
    failing.delete(photo(2));
    expect((await post(`/batches/${id}/retry`)).body.data).toEqual({ batch_id: id, retried: 2 });
    const after = await waitForCompletion(id);
    expect(after.counts).toMatchObject({ done: 4, failed: 1 });
    expect(after.errors).toEqual([before.errors[1]]);
  });

  it('sends one webhook batch.completed with its final state, and has one event with the same body, also after a retry', {
    tags: ['full'],
  }, async () => {
    receiver = await startReceiver();
    product = await startProduct({ model: failingModel(new Set([photo(2)])) });
    const query = `?webhook_url=${encodeURIComponent(receiver.url)}`;
    const { batch_id: id } = (await submit(jsonLines(photos(3)), { query })).body.data;
    const [request] = await receiver.waitForRequests(1);
    expect(request!.headers).toMatchObject({ 'x-service-event': 'batch.completed', 'x-service-task-id': id });
    const delivered = JSON.parse(request!.body).data;
    const { webhook, ...state } = await read(id);
    expect(delivered).toEqual({ ...state, webhook: { ...delivered.webhook, state: 'pending', attempts: 0 } });
    expect(webhook.delivery_id).toBe(delivered.webhook.delivery_id);
    expect((await product.call('/deliveries')).body.data.deliveries).toMatchObject([{ task_id: id }]);

    expect((await post(`/batches/${id}/retry`)).body.data.retried).toBe(1);
    await waitForCompletion(id);
    const { batch_id: other } = (await submit(jsonLines(photos(1)), { query })).body.data;
    await receiver.waitForRequests(2);
    expect(receiver.received.map(({ headers }) => headers['x-service-task-id'])).toEqual([id, other]);

    await post(`/batches/${other}/cancel`);
    await product.context.tasks.remove('defectoscopy.batches', [other]);
    const { events } = (await product.call('/events')).body.data;
    const ofBatches = events.filter(({ task_id }: { task_id: string }) => [id, other].includes(task_id));
    const { webhook: _, ...completed } = delivered;
    expect(ofBatches).toMatchObject([
      { type: 'batch.completed', service: 'defectoscopy', task_id: id, batch: completed },
      { type: 'batch.completed', task_id: other, batch: { total: 1, counts: { done: 1 } } },
    ]);
    expect(ofBatches[0].batch).toEqual(completed);
    // After all items.
    const first = events.findIndex(({ type }: { type: string }) => type === 'batch.completed');
    expect(first).toBe(3);
  });

  it('expires with the results, and is deleted with its items', { tags: ['full'] }, async () => {
    product = await startProduct({ model: createFakeModel() });
    const { batch_id: id } = (await submit(jsonLines(photos(3)))).body.data;
    await waitForCompletion(id);
    const { rows: expiries } = await product.database.db.query('select distinct expires_at from tasks');
    expect(expiries).toHaveLength(1);
    await product.context.tasks.remove('defectoscopy.batches', [id]);
    expect((await product.call(`/batches/${id}`)).body.error.code).toBe('BATCH_NOT_FOUND');
    expect((await product.database.db.query('select from batch_items')).rowCount).toBe(0);
  });
});
