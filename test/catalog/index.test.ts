import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { xlsx } from '../../src/base/xlsx/xlsx.ts';
import { zip } from '../../src/base/xlsx/zip.ts';
import { createIndexer } from '../../src/services/catalog/records/feed.ts';
import { setSources } from '../../src/services/catalog/records/sources.ts';
import { correct } from '../../src/services/defectoscopy/corrections/store.ts';
import { documentRecords } from '../../src/services/passports/records.ts';
import { type Catalog, startCatalog } from '../support/catalog.ts';
import { finishTasks } from '../support/catalog-tasks.ts';
import { createPdf, type Passports, startPassports } from '../support/passports.ts';
import { RESULT } from '../support/product.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

describe('Catalog index', () => {
  let catalog: Catalog;
  beforeAll(async () => {
    catalog = await startCatalog();
    await setSources(catalog.context.db, ['defectoscopy', 'stt', 'passports']);
  });
  afterAll(() => catalog.stop());

  const post = (body: string | Buffer, type: string) =>
    catalog.moderator.post('/index', { body, headers: { 'content-type': type } });
  const row = async (recordId: string) => (await catalog.moderator.get(`/row/${encodeURIComponent(recordId)}`)).body;

  describe('of finished tasks', () => {
    it('contains a photo with its classes, heatmaps and picture', async () => {
      const { files, tasks } = catalog.context;
      const jpeg = await sharp({ create: { width: 1500, height: 750, channels: 3, background: 'grey' } })
        .jpeg()
        .toBuffer();
      const { key } = await files.put(jpeg, { maxBytes: 1e6 });
      const attachment = { width: 1, height: 1, maps: { crack: '/w==' } };
      const input = { image_url: `https://files.assay.internal/${key}` };
      const [id] = await finishTasks(tasks, 'defectoscopy', [{ input, result: RESULT, attachment }]);
      await catalog.index();
      const found = async () => (await catalog.reader.get('/search?q=трещина')).body;
      await expect
        .poll(async () => (await found()).items[0].image, { timeout: 20_000 })
        .toMatchObject({ width: 1024, height: 512 });
      expect(await found()).toMatchObject({
        total: 1,
        items: [{ record_id: `defectoscopy:${id}`, title: 'concrete wall: crack', surface: 'concrete_wall' }],
      });
      const image = await catalog.reader.get(`/image/defectoscopy:${id}`);
      expect(image.status).toBe(200);
      expect(await sharp(image.bytes).metadata()).toMatchObject({ format: 'webp', width: 1024, height: 512 });
    });

    it('contains the project and the tags of a task, as facets and in exports', async () => {
      const grouping = { project: 'Bridge 7', tags: ['north', 'a, "b"'] };
      const input = { grouping, image_url: 'https://storage.example.com/grouped.jpg' };
      const [photo] = await finishTasks(catalog.context.tasks, 'defectoscopy', [{ input, result: RESULT }]);
      const transcript = { transcription: 'grouped', service: 'local', segments: [], duration_seconds: 1 };
      const speech = { grouping: { project: 'Bridge 7' }, url: 'https://storage.example.com/grouped.mp3' };
      const [recording] = await finishTasks(catalog.context.tasks, 'stt', [{ input: speech, result: transcript }]);
      await catalog.index();
      expect(await row(`defectoscopy:${photo}`)).toMatchObject(grouping);
      expect(await row(`stt:${recording}`)).not.toHaveProperty('tags');

      const { body } = await catalog.reader.get('/search?project=Bridge+7&not_has=tag');
      expect(body.items.map((item: { record_id: string }) => item.record_id)).toEqual([`stt:${recording}`]);
      expect(body.facets).toMatchObject({ project: [{ value: 'Bridge 7', count: 1 }], tag: [] });
      expect(body.filters).toEqual({ project: 'Bridge 7', not_has: 'tag' });
      const csv = await catalog.reader.get('/export?format=csv&tag=north&not_project=none');
      expect(csv.text.trimEnd().split('\r\n').slice(1)).toEqual([expect.stringMatching(/,Bridge 7,"north, a, ""b""/)]);
      const jsonl = await catalog.reader.get('/export?format=jsonl&tag=north');
      expect(JSON.parse(jsonl.text)).toMatchObject(grouping);
    });

    it('contains a photo as a reviewer corrected it, without the features for training', async () => {
      const training = { network: 'n', features: 'AACAPwEA' };
      const attachment = { width: 1, height: 1, maps: { crack: '/w==' }, training };
      const input = { image_url: 'https://storage.example.com/corrected.jpg' };
      const [id] = await finishTasks(catalog.context.tasks, 'defectoscopy', [{ input, result: RESULT, attachment }]);
      await catalog.index();
      const recordId = `defectoscopy:${id}`;
      expect((await row(recordId)).surface).toBe('concrete_wall');
      await correct(catalog.context.db, {
        ...{ taskId: id!, modelVersion: '1.0.0', training, actor: 'token-1', requestId: 'r', confirmed: false },
        labels: { surface: 'brick_wall', master: 'mechanical', defects: ['chip'] },
        ifVersion: 0,
      });
      await catalog.index();
      expect(await row(recordId)).toMatchObject({
        surface: 'brick_wall',
        master: { name: 'mechanical', conf: 1 },
        defects: [{ name: 'chip', conf: 1 }],
        result: { correction: { confirmed: false } },
      });
      expect((await catalog.reader.get(`/heatmap/${encodeURIComponent(recordId)}`)).body).toEqual({
        ...{ width: 1, height: 1, maps: { crack: '/w==' } },
      });
      const page = await catalog.moderator.get(`/row/${encodeURIComponent(recordId)}`, {
        accept: 'text/html',
      });
      expect(page.text).toContain('A reviewer corrected this result.');
    });

    it('contains a recording with its transcription', async () => {
      const result = { transcription: 'Протечка кровли', service: 'local', duration_seconds: 2, segments: [] };
      const input = { url: 'https://calls.example.com/1.mp3' };
      const [id] = await finishTasks(catalog.context.tasks, 'stt', [{ input, result }]);
      await catalog.index();
      expect((await row(`stt:${id}`)).result).toEqual(result);
    });

    it('finds a task within seconds of its completion', async () => {
      await catalog.index();
      const result = { transcription: 'внезапная находка', service: 'local', duration_seconds: 2, segments: [] };
      await finishTasks(catalog.context.tasks, 'stt', [{ input: { url: 'https://a.example.com/1.mp3' }, result }]);
      await expect
        .poll(async () => (await catalog.reader.get('/search?q=находка')).body.total, { timeout: 10_000 })
        .toBe(1);
    });
  });

  describe('import with POST /index', () => {
    it('accepts JSON, stores the valid records and reports each invalid one', async () => {
      const { status, body } = await catalog.moderator.post('/index', {
        json: {
          records: [
            { record_id: 'm-1', title: 'Мост', text: 'опора номер два', created_at: '2026-01-02' },
            {
              record_id: 'm-2',
              titel: 'x',
              title: 7,
              attributes: [],
              image_url: 'http://10.0.0.1/a.jpg',
              created_at: 'yesterday',
            },
            { record_id: 'm-1', title: 'again' },
            { record_id: 'stt:01KAF3M9WZ7Y5T2Q8C4N6B1D0E' },
            { record_id: '..' },
            { title: 'without' },
            'text',
            { record_id: 'x'.repeat(201) },
            { record_id: 'm-3', created_at: '2026-02-30' },
            { record_id: 'm-4', attributes: { a: 'x'.repeat(17_000) } },
            { record_id: 'm-5', text: null, attributes: { ключ: 'значение' } },
          ],
        },
      });
      expect(status).toBe(200);
      expect(body.indexed).toBe(2);
      const why = body.failed.map(({ row, record_id, detail }: any) => [
        row,
        record_id,
        detail.map(({ loc, type }: any) => `${loc.at(-1)} ${type}`),
      ]);
      expect(why).toEqual([
        [
          2,
          'm-2',
          [
            'titel extra_forbidden',
            'title string_type',
            'attributes dict_type',
            'created_at datetime_parsing',
            'image_url url_parsing',
          ],
        ],
        [3, 'm-1', ['record_id value_error']],
        [4, 'stt:01KAF3M9WZ7Y5T2Q8C4N6B1D0E', ['record_id value_error']],
        [5, '..', ['record_id value_error']],
        [6, undefined, ['record_id missing']],
        [7, undefined, ['6 dict_type']],
        [8, undefined, ['record_id string_too_long']],
        [9, 'm-3', ['created_at datetime_parsing']],
        [10, 'm-4', ['attributes value_error']],
      ]);
      expect(await row('m-1')).toMatchObject({ service: 'import', created_at: '2026-01-02T00:00:00.000Z' });
      expect((await catalog.reader.get('/search?q=значение')).body.items[0].record_id).toBe('m-5');
    });

    it('accepts CSV with commas, semicolons or tabs', async () => {
      const text =
        '\uFEFFrecord_id;title;attributes.этаж;attributes\r\nc-1;"Дом; ""7""";3;"{""a"": 1}"\r\n;без имени;;\r\nc-2;=cmd|x;;no\r\n';
      const { status, body } = await post(text, 'text/csv; charset=utf-8');
      expect([status, body.indexed]).toEqual([200, 1]);
      expect(body.failed.map(({ row, record_id }: any) => [row, record_id])).toEqual([
        [2, undefined],
        [3, 'c-2'],
      ]);
      expect(await row('c-1')).toMatchObject({ result: { attributes: { a: 1, этаж: '3' } } });
      const ranged = await catalog.reader.get(`/search?range=${encodeURIComponent('этаж:3..3')}`);
      expect(ranged.body.items.map(({ record_id }: any) => record_id)).toEqual(['c-1']);
      expect((await post('record_id\ttitle\nc-3\tx,y;z\n', 'text/csv')).body).toEqual({ indexed: 1, failed: [] });
      expect((await post('record_id,title\nc-4,"a\nb"\n', 'text/csv')).body).toEqual({ indexed: 1, failed: [] });
    });

    it('accepts XLSX, keeps formula-like text as text and dates as dates', { tags: ['full'] }, async () => {
      const at = new Date('2026-03-04T05:06:00.000Z');
      const sheet = await workbook(
        ['record_id', 'title', 'created_at', 'attributes.n'],
        [['x-1', '=HYPERLINK("http://evil","x")', at, 12.5]],
      );
      expect((await post(sheet, XLSX)).body).toEqual({ indexed: 1, failed: [] });
      expect(await row('x-1')).toMatchObject({ created_at: at.toISOString(), result: { attributes: { n: '12.5' } } });
    });

    it.each([
      ['malformed JSON', '{"records":', 'application/json', 'json_invalid'],
      ['JSON without a list of records', '{"records":{}}', 'application/json', 'list_type'],
      ['an empty JSON object', '{}', 'application/json', 'missing'],
      ['a JSON array', '[]', 'application/json', 'dict_type'],
      ['null', 'null', 'application/json', 'missing'],
      ['malformed CSV', 'record_id,title\n"a,b\n', 'text/csv', 'value_error'],
      ['CSV with more cells than columns', 'record_id\na,b\n', 'text/csv', 'value_error'],
      ['CSV in another encoding', Buffer.from('record_id\n\xcf\xf0\n', 'latin1'), 'text/csv', 'value_error'],
      ['CSV without ids', 'title\na\n', 'text/csv', 'missing'],
      ['CSV with an unknown column', 'record_id,titel\na,b\n', 'text/csv', 'extra_forbidden'],
      ['CSV with a duplicate column', 'record_id,title,title\na,b,c\n', 'text/csv', 'value_error'],
      ['CSV with an oversized row', `record_id\n"${'a'.repeat(2 ** 20 + 10)}"\n`, 'text/csv', 'value_error'],
      ['an empty CSV', '', 'text/csv', 'missing'],
      ['a malformed workbook', 'PK\u0003\u0004 hello', XLSX, 'value_error'],
    ])('rejects %s with 422', async (_what, body, type, kind) => {
      const answer = await post(body, type);
      expect([answer.status, answer.body.detail?.[0]?.type]).toEqual([422, kind]);
    });

    it('rejects archive bombs and XML bombs', { tags: ['full'] }, async () => {
      const bombs = {
        'a part that decompresses to 100 MB': await zipArchive([{ name: 'xl/a.xml', content: zeros(100) }]),
        'parts that together decompress to 90 MB': await zipArchive(
          Array.from({ length: 3 }, (_, i) => ({ name: `xl/${i}.xml`, content: zeros(30) })),
        ),
        'thousands of parts': await zipArchive(
          Array.from({ length: 2000 }, (_, i) => ({ name: `xl/s${i}.xml`, content: [''] })),
        ),
        'a part with a false size in the directory': withDeclaredSize(
          await zipArchive([{ name: 'xl/workbook.xml', content: zeros(1) }]),
          2 ** 20,
        ),
        'a cell at the far end of the sheet': await workbookWithSheet(
          '<row r="1"><c r="A1" t="inlineStr"><is><t>record_id</t></is></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        ),
        'nested entities': await workbookWithSheet(
          '<row r="1"><c r="A1" t="inlineStr"><is><t>&lol9;</t></is></c></row>',
          '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol9 "&lol;&lol;">]>',
        ),
      };
      for (const [what, bytes] of Object.entries(bombs)) {
        expect([what, (await post(bytes, XLSX)).status]).toEqual([what, 422]);
      }
    });

    it('rejects too many records, oversized bodies and unsupported media types', async () => {
      const many = Array.from({ length: 1001 }, (_, i) => ({ record_id: `many-${i}` }));
      const rejection = await catalog.moderator.post('/index', { json: { records: many } });
      expect([rejection.status, rejection.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      const table = ['record_id', ...many.map(({ record_id }) => record_id)].join('\n');
      expect((await post(table, 'text/csv')).status).toBe(413);
      expect((await catalog.reader.get('/search?q=many')).body.total).toBe(0);
      expect((await post(Buffer.alloc(33 * 2 ** 20, 32), 'application/json')).status).toBe(413);
      expect((await post('<records/>', 'application/xml')).status).toBe(415);
      expect((await catalog.moderator.post('/index', { json: { records: many.slice(1) } })).body.indexed).toBe(1000);
    });

    it('keeps the batches that were written before the database became unavailable, and says so', async () => {
      const { db } = catalog.context;
      // One record of 100 000 characters and its 1 000 more: five of them are a batch.
      const records = Array.from({ length: 7 }, (_, i) => ({ record_id: `part:${i}`, text: 'a '.repeat(50_000) }));
      await db.query(`
        create function fail_part() returns trigger language plpgsql as $$
          begin raise exception 'disk full' using errcode = '53100'; end $$;
        create trigger fail_part before insert on catalog_records
          for each row when (new.record_id = 'part:6') execute function fail_part()`);
      const { status, body, headers } = await catalog.moderator.post('/index', { json: { records } });
      expect({ status, code: body.error.code, message: body.error.message, retry: headers.get('retry-after') }).toEqual(
        {
          ...{ status: 503, code: 'INDEX_UNAVAILABLE', retry: '5' },
          message:
            'The index is not writable at the moment; at least 5 of the 7 valid records are imported. Repeat the request.',
        },
      );
      expect((await row('part:4')).record_id).toBe('part:4');
      await db.query('drop function fail_part cascade');
      expect(await catalog.moderator.post('/index', { json: { records } })).toMatchObject({
        status: 200,
        body: { indexed: 7 },
      });
      expect((await row('part:6')).record_id).toBe('part:6');
    });

    it('accepts only moderators', async () => {
      const json = { records: [] };
      expect((await catalog.client().post('/index', { json })).status).toBe(401);
      expect((await catalog.reader.post('/index', { json })).status).toBe(403);
      expect((await catalog.reader.post('/index/rebuild')).status).toBe(403);
      expect((await catalog.moderator.post('/index', { json })).body).toEqual({ indexed: 0, failed: [] });
    });

    it('stores hostile text in every field as text', async () => {
      const hostile = `<img src=x onerror=alert(1)> =1+1 \u202Eexe.txt\u202C '"; drop table reports; -- \u0000\u0007`;
      const kept = hostile.replace('\u0000', '');
      const record = {
        record_id: hostile,
        title: hostile,
        text: hostile,
        attributes: { [hostile]: hostile, __proto__: 1 },
      };
      expect((await catalog.moderator.post('/index', { json: { records: [record] } })).body.indexed).toBe(1);
      const { body } = await catalog.reader.get('/search?q=onerror');
      expect(body.items[0]).toMatchObject({ record_id: kept, title: kept });
      expect((await row(kept)).result).toEqual({ attributes: { [kept]: kept } });
    });
  });

  it("is rebuilt on a moderator's request and reports its progress", async () => {
    await catalog.index();
    const answer = await catalog.moderator.post('/index/rebuild');
    expect([answer.status, answer.body]).toEqual([202, { rebuilding: true }]);
    await expect
      .poll(async () => (await catalog.reader.get('/index/status')).body, { timeout: 20_000 })
      .toMatchObject({ rebuilding: false, lag_seconds: 0 });
    const { body } = await catalog.reader.get('/index/status');
    expect(body.documents).toBeGreaterThan(3);
    expect(body.last_indexed_at).toMatch(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);
    expect((await catalog.reader.get('/search?q=протечка')).body.total).toBe(1);
  });
});

describe('Passport documents in the catalog index', () => {
  let passports: Passports;
  beforeAll(async () => {
    passports = await startPassports();
    await setSources(passports.context.db, ['passports']);
  });
  afterAll(() => passports.stop());

  const source = { service: 'passports', title: 'Passports', ...documentRecords(undefined) };
  const index = async () => {
    const { db } = passports.context;
    await createIndexer({ db, sources: [source], log: createLog('silent', 'test') }).indexBatch();
  };
  const record = async (id: string) =>
    (
      await passports.context.db.query<any>(
        `select * from catalog_records join catalog_texts using (number) join catalog_details using (number)
          where record_id = $1`,
        [`passports:${id}`],
      )
    ).rows[0];

  it('are found by their field values, follow edits and renames, and disappear when deleted', async () => {
    const client = await passports.signIn();
    const [id] = (await client.upload(createPdf('паспорт дома.pdf'))) as [string];
    await index();
    expect(await record(id)).toBeUndefined();
    await passports.succeed(id);
    await index();
    const first = await record(id);
    expect(first).toMatchObject({ title: 'паспорт дома.pdf', service: 'passports', status: 'done' });
    expect(first.text.split('\n')).toEqual(
      expect.arrayContaining(['г. Энск, ул. Южная, д. 7', '1978', '54.3', 'кухня']),
    );
    const field = first.result.fields.find(({ key }: any) => key === 'general:address');
    expect(field).toMatchObject({ value: 'г. Энск, ул. Южная, д. 7', page: 1, bbox: [0.1, 0.2, 0.5, 0.24] });
    expect(field.label.ru).not.toBe(field.label.en);
    const fields = await passports.context.db.query(
      `select field, value, text from catalog_fields where number = $1 and field in ('general:address', 'general:year_built')
        order by field`,
      [first.number],
    );
    expect(fields.rows).toEqual([
      { field: 'general:address', value: null, text: 'г. Энск, ул. Южная, д. 7' },
      { field: 'general:year_built', value: 1978, text: null },
    ]);
    expect(first.result.sheets).toEqual([{ page: 1, width: 595, height: 842, turn: 0 }]);

    await client.post(`/task/${id}/update`, { form: { 'general:address': 'ул. Северная, д. 1' } });
    await index();
    const edited = await record(id);
    expect(edited.text).toContain('Северная');
    expect(edited.text).not.toContain('Южная');
    expect(edited.number).toBe(first.number);

    await passports.context.db.query(`update passport_documents set filename = 'другое имя.pdf' where id = $1`, [id]);
    await index();
    expect(await record(id)).toMatchObject({ title: 'другое имя.pdf', number: first.number });

    await passports.context.tasks.remove('passports', [id]);
    await index();
    expect(await record(id)).toBeUndefined();
  });

  it('show the error code of a failure, and the new result after a retry', async () => {
    const client = await passports.signIn();
    const [id] = (await client.upload(createPdf('b.pdf'))) as [string];
    await passports.fail(id, 'UNREADABLE_SCAN');
    await index();
    const failed = await record(id);
    expect(failed).toMatchObject({ status: 'failed', title: 'b.pdf', result: { error_code: 'UNREADABLE_SCAN' } });
    expect((await client.post(`/api/task/${id}/retry`)).status).toBeLessThan(300);
    await index();
    await passports.succeed(id);
    await index();
    expect(await record(id)).toMatchObject({ status: 'done', number: failed.number });
  });

  it('disappear when deleted, also after the service is no longer a source', async () => {
    const client = await passports.signIn();
    const [id] = (await client.upload(createPdf('c.pdf'))) as [string];
    await passports.succeed(id);
    await index();
    expect(await record(id)).toBeDefined();
    await setSources(passports.context.db, []);
    await passports.context.tasks.remove('passports', [id]);
    await index();
    expect(await record(id)).toBeUndefined();
    await setSources(passports.context.db, ['passports']);
  });
});

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const workbook = (header: string[], rows: (string | number | Date)[][]) =>
  collect(xlsx([{ name: 'a', header, widths: header.map(() => 10), rows }]));

const zipArchive = (entries: { name: string; content: Iterable<string> }[]) => collect(zip(entries));

function* zeros(megabytes: number): Generator<string, void, undefined> {
  for (let left = megabytes; left > 0; left--) yield '0'.repeat(2 ** 20);
}

/** Sets the declared size of the archive's only part with this size to ten bytes. */
function withDeclaredSize(archive: Buffer, size: number): Buffer {
  const word = Buffer.alloc(4);
  word.writeUInt32LE(size);
  const bytes = Buffer.from(archive);
  bytes.writeUInt32LE(10, bytes.lastIndexOf(word));
  return bytes;
}

async function workbookWithSheet(rows: string, before = ''): Promise<Buffer> {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/${type}" Target="${target}"/></Relationships>`;
  return zipArchive([
    { name: '_rels/.rels', content: [relation('officeDocument', 'xl/workbook.xml')] },
    {
      name: 'xl/workbook.xml',
      content: [
        `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`,
      ],
    },
    { name: 'xl/_rels/workbook.xml.rels', content: [relation('worksheet', 'worksheets/sheet1.xml')] },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: [`<?xml version="1.0"?>${before}<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`],
    },
  ]);
}
