import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';
import { startReceiver } from '../support/receiver.ts';

vi.setConfig({ testTimeout: 120_000 });

let product: Product;
afterEach(() => product.stop());

const IMAGE = 'https://storage-1.example.com/1.jpg';
const TAGS = ['north pier', 'before "repair" {1}'];
const grouping = { project: 'Bridge 7 \\ east', tags: TAGS };

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  product.call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const submit = (items: readonly object[], query = '', headers: Record<string, string> = {}) =>
  product.call(`/batches${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...headers },
    body: items.map((item) => JSON.stringify(item)).join('\n'),
  });
const result = async (id: string) =>
  (await product.call(`/result/${id}`, { headers: { prefer: 'wait=30' } })).body.data;
const grouped = ({ project, tags }: { project?: string; tags?: string[] }) => ({ project, tags });

describe('The project and the tags of a request', () => {
  it('are trimmed and deduplicated, and are part of results and webhooks', async () => {
    const receiver = await startReceiver();
    try {
      product = await startProduct({ model: createFakeModel() });
      const body = {
        ...{ image_url: IMAGE, webhook_url: receiver.url },
        project: `  ${grouping.project} `,
        tags: [TAGS[0], ` ${TAGS[1]}`, `${TAGS[0]} `],
      };
      const { task_id: id } = (await post('/predict', body)).body.data;
      expect(await result(id)).toMatchObject({ status: 'done', ...grouping });
      const [delivered] = await receiver.waitForRequests(1);
      expect(JSON.parse(delivered!.body).data).toMatchObject(grouping);
    } finally {
      await receiver.close();
    }
  });

  it('are absent from the stored task and its result without them', async () => {
    product = await startProduct();
    const { task_id: id } = (await post('/predict', { image_url: IMAGE, tags: [] })).body.data;
    expect(grouped((await product.call(`/result/${id}`)).body.data)).toEqual({});
    const { rows } = await product.database.db.query('select input from tasks');
    expect(rows).toEqual([{ input: { image_url: IMAGE, inspect: 'auto' } }]);
  });

  it('are part of transcriptions, beside the metadata', async () => {
    product = await startProduct({ service: 'stt' });
    const body = { url: 'https://storage.example.com/a.mp3', metadata: { grouping: 1 }, ...grouping };
    const { task_id: id } = (await post('/transcribe/audio_url', body)).body.data;
    expect((await product.call(`/result/${id}`)).body.data).toMatchObject({ ...grouping, metadata: { grouping: 1 } });
  });

  it('are covered by the idempotency key', async () => {
    product = await startProduct();
    const key = { 'idempotency-key': 'a' };
    const first = await post('/predict', { image_url: IMAGE, project: 'a' }, key);
    const repeated = await post('/predict', { image_url: IMAGE, project: 'a' }, key);
    expect(repeated.body.data.task_id).toBe(first.body.data.task_id);
    const other = await post('/predict', { image_url: IMAGE, project: 'b' }, key);
    expect(other.body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it.each([
    ['an empty project', { project: ' ' }, 'project: must have 1 to 100 characters.'],
    ['a project of 101 characters', { project: '😀'.repeat(101) }, 'project: must have 1 to 100 characters.'],
    ['a control character', { tags: ['a\u0085b'] }, 'tags: may not contain control characters or lone surrogates.'],
    ['a lone surrogate', { project: 'a\ud800' }, 'project: may not contain control characters or lone surrogates.'],
    ['a tag of 51 characters', { tags: ['x'.repeat(51)] }, 'tags: each tag must have 1 to 50 characters.'],
    ['21 tags', { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'tags'],
    ['tags that are no list', { tags: 'a' }, 'tags'],
    ['a project that is no text', { project: 7 }, 'project'],
  ])('are rejected with %s', async (_, fields, message) => {
    product = await startProduct();
    const { status, body } = await post('/predict', { image_url: IMAGE, ...fields });
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
    expect(body.error.message).toContain(message);
    const batch = await submit([{ image_url: IMAGE }, { image_url: IMAGE, ...fields }]);
    expect([batch.status, batch.body.error.details?.items[0].line]).toEqual([422, 2]);
  });
});

describe('The project and the tags of a batch', () => {
  it('apply to items without them, and are part of its state, items and results', async () => {
    product = await startProduct({ model: createFakeModel() });
    const items = [
      { image_url: IMAGE },
      { image_url: IMAGE, project: 'own' },
      { image_url: IMAGE, tags: TAGS },
      { image_url: IMAGE, project: 'own', tags: ['a'] },
    ];
    const accepted = await submit(items, '?project=Shelf&tag=x&tag=y&tag=x');
    const { batch_id: id } = accepted.body.data;
    const batch = await vi.waitFor(
      async () => {
        const { data } = (await product.call(`/batches/${id}`)).body;
        expect(data.status).toBe('completed');
        return data;
      },
      { timeout: 60_000 },
    );
    expect(batch).toMatchObject({ project: 'Shelf', tags: ['x', 'y'] });

    const expected = [
      { project: 'Shelf', tags: ['x', 'y'] },
      { project: 'own', tags: ['x', 'y'] },
      { project: 'Shelf', tags: TAGS },
      { project: 'own', tags: ['a'] },
    ];
    const listed = (await product.call(`/batches/${id}/items`)).body.data.items;
    expect(listed.map(grouped)).toEqual(expected);
    const exported = await fetch(`${product.url}/batches/${id}/results`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const lines = (await exported.text()).trimEnd().split('\n');
    expect(lines.map((line) => grouped(JSON.parse(line).result.data))).toEqual(expected);
    const csv = (await product.call(`/batches/${id}/results?format=csv`)).text.split('\r\n');
    expect(csv[0]).toMatch(/,region_confidences,project,tags$/);
    expect(csv[2]).toMatch(/,own,x; y$/);
  });

  it('filter the list of batches', async () => {
    product = await startProduct();
    const create = async (query: string) => (await submit([{ image_url: IMAGE }], query)).body.data.batch_id as string;
    const list = async (query: string) =>
      (await product.call(`/batches${query}`)).body.data.batches.map(({ batch_id }: { batch_id: string }) => batch_id);
    const plain = await create('');
    const pier = await create('?project=Bridge&tag=pier');
    const deck = await create('?project=Bridge&tag=deck&tag=pier');
    expect(await list('')).toEqual([deck, pier, plain]);
    expect(await list('?project=Bridge')).toEqual([deck, pier]);
    expect(await list('?tag=deck')).toEqual([deck]);
    expect(await list('?project=Bridge&tag=pier&limit=1')).toEqual([deck]);
    expect(await list('?project=bridge')).toEqual([]);
  });

  it('are covered by the idempotency key, and rejected with the status 422', async () => {
    product = await startProduct();
    const headers = { 'idempotency-key': 'a' };
    const first = await submit([{ image_url: IMAGE }], '?project=a', headers);
    const repeated = await submit([{ image_url: IMAGE }], '?project=a', headers);
    expect(repeated.body.data.batch_id).toBe(first.body.data.batch_id);
    const other = await submit([{ image_url: IMAGE }], '?project=b', headers);
    expect(other.body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const invalid = await submit([{ image_url: IMAGE }], `?tag=${'x'.repeat(51)}`);
    expect(invalid.body.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'tags: each tag must have 1 to 50 characters.',
    });
  });
});
