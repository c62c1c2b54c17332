import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sheetsOf } from '../support/export/workbook.ts';
import { type Client, createPdf, type Passports, startPassports } from '../support/passports.ts';

let passports: Passports;
let client: Client;
beforeAll(async () => {
  passports = await startPassports();
  client = await passports.signIn();
});
afterAll(() => passports.stop());

const upload = (
  fields: Record<string, string>,
  { file = createPdf(), headers = {} }: { file?: ReturnType<typeof createPdf>; headers?: Record<string, string> } = {},
) => client.post('/upload', { files: [file], fields, headers: { accept: 'application/json', ...headers } });
const list = async (query: string) =>
  (await client.get(`/api/tasks${query}`)).body.items.map(({ id }: { id: string }) => id);

describe('The project and the tags of a document', () => {
  it('are part of the upload response, the list and the result, and absent without them', async () => {
    const [item] = (await upload({ project: ' Shelf 4 ', tag: 'one, two', tags: 'three,, three ' })).body.items;
    const grouping = { project: 'Shelf 4', tags: ['one, two', 'three'] };
    expect(item).toMatchObject(grouping);
    expect((await client.get(`/api/task/${item.id}/result`)).body).toMatchObject(grouping);
    await passports.succeed(item.id);
    expect((await client.get(`/api/task/${item.id}/result`)).body).toMatchObject({ status: 'SUCCESS', ...grouping });

    const [plain] = (await upload({ project: '', tags: '' })).body.items;
    await passports.succeed(plain.id);
    const { body } = await client.get(`/api/task/${plain.id}/result`);
    expect([plain, body].flatMap(Object.keys)).not.toEqual(expect.arrayContaining(['project']));
    expect([plain, body].flatMap(Object.keys)).not.toEqual(expect.arrayContaining(['tags']));
  });

  it('filter the list, its page and the exports', async () => {
    const create = async (fields: Record<string, string>) => (await upload(fields)).body.items[0].id as string;
    const both = await create({ project: 'House', tag: 'north' });
    const project = await create({ project: 'House' });
    const tag = await create({ tag: 'north' });
    expect(await list('?project=House')).toEqual([project, both]);
    expect(await list('?tag=north')).toEqual([tag, both]);
    expect(await list('?project=House&tag=north&status=PENDING')).toEqual([both]);
    expect(await list('?project=house')).toEqual([]);
    expect((await client.get('/api/tasks?project=House&limit=1')).body).toMatchObject({ total: 2 });
    await passports.succeed(both);
    await passports.succeed(tag);
    const exported = async (query: string) => {
      const [rows] = sheetsOf((await client.get(`/export/session/excel${query}`)).bytes).values();
      return rows!.slice(1).map(([id]) => id!.replace('text:', ''));
    };
    expect(await exported('?project=House')).toEqual([both]);
    expect(await exported('?tag=north')).toEqual([both, tag]);
  });

  it('return 422 with NUL as a filter, and empty lists for other unknown values', async () => {
    for (const path of ['/api/tasks', '/batches', '/', '/export/session/excel', '/export/all/excel'])
      for (const query of ['project=%00', 'tag=a%00'])
        expect([path, (await client.get(`${path}?${query}`)).status]).toEqual([path, 422]);
    expect((await client.get('/api/tasks?project=%00')).body).toMatchObject({
      detail: [{ loc: ['query', 'project'], type: 'string_pattern_mismatch' }],
    });
    expect(await list('?project=%01')).toEqual([]);
    expect((await client.get('/batches?before=unknown')).body.data).toEqual({ batches: [] });
  });

  it('are covered by the idempotency key, and rejected with the name of the field', async () => {
    const once = { file: createPdf(), headers: { 'idempotency-key': 'project' } };
    const fields = { project: 'a', tag: 'b' };
    const first = await upload(fields, once);
    expect((await upload(fields, once)).body.items[0].id).toBe(first.body.items[0].id);
    expect((await upload({ ...fields, tag: 'c' }, once)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await upload({ project: 'x'.repeat(101) })).body).toMatchObject({
      detail: [{ loc: ['body', 'project'], msg: 'project: must have 1 to 100 characters' }],
    });
    expect((await upload({ tag: ' ' })).status).toBe(422);
    const json = { image_ids: [], project: '\u0007' };
    expect((await client.post('/api/v1/create-pdf', { json })).status).toBe(422);
  });
});
