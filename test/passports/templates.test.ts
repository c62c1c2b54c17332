import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { loadModel } from '../../src/services/passports/model.ts';
import { loadSettings } from '../../src/services/passports/settings.ts';
import type { Model } from '../../src/services/shared/service.ts';
import { createTestPdf } from '../support/ocr/pdf.ts';
import {
  ADMIN_KEY,
  type Client,
  type HttpResponse,
  type Passports,
  startPassports,
  USER_KEY,
} from '../support/passports.ts';

const log = createLog('silent', 'test');
const OTHER_KEY = 'other-key-1234567890';

let passports: Passports;
let model: Model;
beforeAll(async () => {
  passports = await startPassports({
    PASSPORTS_API_KEYS: `admin:${ADMIN_KEY},clerk:${USER_KEY}:user,other:${OTHER_KEY}:user`,
  });
  const { db, files } = passports.context;
  model = await loadModel({
    context: { db, files, log },
    settings: loadSettings({ PASSPORTS_TESSERACT: 'none' }),
    shared: { dataDir: passports.dataDir },
  });
});
afterAll(async () => {
  await model.close();
  await passports.stop();
});

interface Facts {
  readonly place: string;
  readonly made: string;
  readonly rebuilt?: string;
  readonly tax: string;
  readonly total?: string;
  readonly living?: string;
}
const at = (x: number, y: number, text: string) => `BT /F1 11 Tf ${x} ${y} Td (${text}) Tj ET\n`;
/** A form whose labels the reader does not know, except those of the areas. */
const form = ({ place, made, rebuilt, tax, total, living }: Facts) =>
  createTestPdf([
    {
      content: [
        at(60, 780, 'Municipal register of dwellings and shelters'),
        at(60, 750, 'Sheet issued under the ordinance about taxation'),
        at(60, 720, 'Whereabouts of the dwelling'),
        at(300, 720, place),
        at(60, 690, 'Finished by the masons during'),
        at(300, 690, made),
        at(60, 660, 'Amount subject to municipal taxation'),
        at(300, 660, tax),
        // A document without any field fails and cannot be corrected.
        at(60, 630, 'Total area'),
        at(300, 630, total ?? '54.3'),
        ...(living ? [at(60, 570, 'Living area'), at(300, 570, living)] : []),
        ...(rebuilt ? [at(60, 540, 'Altered by later masons during'), at(300, 540, rebuilt)] : []),
        at(60, 600, 'Signed by the clerk of the register before witnesses'),
      ].join(''),
    },
  ]);

async function read(client: Client, bytes: Buffer): Promise<string> {
  const [id] = await client.upload({ name: 'form.pdf', bytes });
  await work(id!);
  return id!;
}

/** Processes the document with the real model. */
async function work(id: string): Promise<void> {
  const { tasks } = passports.context;
  const options = { service: 'passports', worker: 'w', leaseMs: 60_000 };
  const { claimed } = await tasks.completeAndClaim([], { ...options, limit: 10 });
  const claim = claimed.find((one) => one.id === id);
  if (!claim) return;
  const job = { ...claim, worker: 'w', log, signal: new AbortController().signal, report: () => {} };
  const { result } = await model.run(job as never);
  const ending = { id, attempt: claim.attempt, processingMs: 1, outcome: 'done', result };
  await tasks.completeAndClaim([ending as never], { ...options, limit: 0 });
}

const correct = (client: Client, id: string, values: Record<string, string>) =>
  client.post(`/task/${id}/update`, { form: values, headers: { accept: 'application/json' } });
const dataOf = async (client: Client, id: string) => (await client.get(`/api/task/${id}/result`)).body;
const FIRST = { place: 'Hill Street 12', made: '1978', tax: '125 300' };
const SECOND = { place: 'Birch Lane 4, Ashford', made: '1956', tax: '98 450' };
const TYPED = {
  'general:address': 'Hill Street 12',
  'general:year_built': '1978',
  'general:inventory_value': '125300',
};

async function templatesOf(client: Client, count: number) {
  for (let tries = 0; ; tries++) {
    const { body } = await client.get('/api/templates');
    if (body.total === count || tries > 100) return body.items;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A client with one corrected document and no other template. */
async function teach({ key = USER_KEY, facts = FIRST, values = TYPED }: Teaching = {}) {
  const client = await passports.signIn(key);
  for (const { id } of (await client.get('/api/templates')).body.items) {
    await client.request(`/api/templates/${id}`, { method: 'DELETE' });
  }
  const first = await read(client, form(facts));
  expect((await correct(client, first, values)).status).toBe(200);
  return { client, first };
}
interface Teaching {
  readonly key?: string;
  readonly facts?: Facts;
  readonly values?: Record<string, string>;
}

describe('Templates of passports', () => {
  it('read the next document on a form after one correction, and show the template in its result', async () => {
    const { client } = await teach();
    const second = await read(client, form(SECOND));
    const { fields, engine } = await dataOf(client, second);
    expect(fields['general:address']).toMatchObject({ value: 'Birch Lane 4, Ashford', source: 'text', page: 1 });
    expect(fields['general:year_built'].value).toBe(1956);
    expect(fields['general:inventory_value'].value).toBe(98450);
    const [template] = await templatesOf(client, 1);
    expect(engine.template).toMatchObject({ id: template.id, score: 1 });
    expect(template.uses).toBe(1);
  });

  it('make a doubtful value that was left unchanged surer only after the document is confirmed', async () => {
    const { client, first } = await teach({ values: { 'general:year_built': '1978' } });
    const totalOf = async (total: string) =>
      (await dataOf(client, await read(client, form({ ...SECOND, total })))).fields['areas:total_area'];
    expect((await dataOf(client, first)).review).toContainEqual({
      field: 'areas:total_area',
      reasons: ['low_confidence'],
    });
    const before = await totalOf('61.7');
    expect(before).toMatchObject({ value: 61.7 });
    expect(before.confidence).toBeLessThan(0.95);
    expect((await client.post(`/api/task/${first}/confirm`)).status).toBe(200);
    expect(await totalOf('62.8')).toMatchObject({ value: 62.8, confidence: 0.99 });
  });

  it('are not used for documents of another API key', async () => {
    const other = await passports.signIn();
    const bytes = form({ ...SECOND, tax: '70 100' });
    const before = await dataOf(other, await read(other, bytes));
    const { client } = await teach();
    // Equal pages in another file, because a file that was read is not read again.
    const after = await dataOf(other, await read(other, Buffer.concat([bytes, Buffer.from('% other\n')])));
    const taught = await dataOf(client, await read(client, Buffer.concat([bytes, Buffer.from('% taught\n')])));
    expect(after.engine.template).toBeUndefined();
    expect(after.fields).toEqual(before.fields);
    expect(taught.fields).not.toEqual(before.fields);
    expect((await other.get('/api/templates')).body).toEqual({ items: [], total: 0 });
  });

  it('read the same form for each API key by its own corrections', { tags: ['full'] }, async () => {
    const facts = { ...FIRST, rebuilt: '1991' };
    const year = (value: string) => ({ facts, values: { 'general:year_built': value } });
    const { client } = await teach(year('1978'));
    const { client: other } = await teach({ key: OTHER_KEY, ...year('1991') });
    const next = form({ ...SECOND, rebuilt: '2003' });
    const results = [];
    for (const one of [client, other]) results.push(await dataOf(one, await read(one, next)));
    expect(results.map(({ fields }) => fields['general:year_built'].value)).toEqual([1956, 2003]);
    const lists = [await templatesOf(client, 1), await templatesOf(other, 1)];
    expect(lists.map((items) => items.map(({ id }: { id: string }) => id))).toEqual(
      results.map(({ engine }) => [engine.template.id]),
    );
    expect(lists[0][0].id).not.toBe(lists[1][0].id);
  });

  it.each<[string, (client: Client, first: string, template: string) => Promise<HttpResponse>]>([
    [
      'is undone',
      (client, first, id) => client.request(`/api/templates/${id}/corrections/${first}`, { method: 'DELETE' }),
    ],
    ['is corrected back', (client, first) => correct(client, first, { 'areas:total_area': '54.3' })],
    ['is deleted with its template', (client, _, id) => client.request(`/api/templates/${id}`, { method: 'DELETE' })],
  ])('read a wrong place after a wrong correction, until it %s', { tags: ['full'] }, async (_, undo) => {
    const facts = { ...FIRST, total: '54.3', living: '31.6' };
    const { client, first } = await teach({ facts, values: { 'areas:total_area': '31.6' } });
    const totalOf = async (total: string) => {
      const { fields, engine } = await dataOf(client, await read(client, form({ ...SECOND, total, living: '40.5' })));
      return { value: fields['areas:total_area'].value, hasTemplate: engine.template !== undefined };
    };
    expect((await dataOf(client, first)).fields['areas:total_area'].value).toBe(31.6);
    expect(await totalOf('61.2')).toEqual({ value: 40.5, hasTemplate: true });
    const [{ id }] = await templatesOf(client, 1);
    expect((await undo(client, first, id)).status).toBe(200);
    expect(await totalOf('62.7')).toEqual({ value: 62.7, hasTemplate: false });
  });

  it('are not used after they are deleted', { tags: ['full'] }, async () => {
    const { client } = await teach();
    const [{ id }] = await templatesOf(client, 1);
    const remove = () => client.request(`/api/templates/${id}`, { method: 'DELETE' });
    expect(await remove()).toMatchObject({ status: 200, text: '' });
    expect((await client.get('/api/templates')).body).toEqual({ items: [], total: 0 });
    expect((await remove()).status).toBe(404);
    const { fields, engine } = await dataOf(client, await read(client, form({ ...SECOND, made: '1962' })));
    expect(engine.template).toBeUndefined();
    expect(fields['general:year_built'].value).toBeNull();
    expect(fields['areas:total_area'].value).toBe(54.3);
  });

  it('store no values', async () => {
    const { client } = await teach();
    await templatesOf(client, 1);
    const { rows } = await passports.database.db.query<{ lesson: unknown }>('select lesson from passport_lessons');
    const text = JSON.stringify(rows);
    for (const value of ['Hill', '1978', '125300', 'Municipal']) expect(text).not.toContain(value);
  });

  it('are replaced by a later correction of the same document and undone with it', async () => {
    const { client, first } = await teach();
    const [template] = await templatesOf(client, 1);
    expect(template.corrections).toMatchObject([{ task_id: first, filename: 'form.pdf' }]);
    await correct(client, first, { 'general:inventory_value': '' });
    for (let tries = 0; tries < 100; tries++) {
      const [changed] = await templatesOf(client, 1);
      if (!changed.corrections[0].fields.includes('general:inventory_value')) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const second = await read(client, form({ ...SECOND, made: '1957' }));
    const { fields } = await dataOf(client, second);
    expect(fields['general:year_built'].value).toBe(1957);
    expect(fields['general:inventory_value'].value).toBeNull();
    const undone = await client.request(`/api/templates/${template.id}/corrections/${first}`, { method: 'DELETE' });
    expect(undone.body).toEqual({ status: 'ok', template: null });
    expect((await client.get(`/api/templates/${template.id}`)).status).toBe(404);
    const third = await read(client, form({ ...SECOND, made: '1958' }));
    expect((await dataOf(client, third)).engine.template).toBeUndefined();
  });

  it('have the words of earlier corrections again after a later one is undone', async () => {
    // A word of the first document that the second one does not have.
    const { client, first } = await teach({ facts: { ...FIRST, rebuilt: '1991' } });
    const [{ id }] = await templatesOf(client, 1);
    const scoreOf = async (made: string) =>
      (await dataOf(client, await read(client, form({ ...SECOND, made, rebuilt: '2003' })))).engine.template.score;
    expect(await scoreOf('1963')).toBe(1);
    const wordsOf = async () => {
      const { rows } = await passports.database.db.query<{ words: number }>(
        `select cardinality(hashes) - (select count(distinct hash) from passport_dropped_words d, unnest(d.hashes) hash
                                        where d.lesson = l.document)::integer as words
           from passport_lessons l where document = $1`,
        [first],
      );
      return rows[0]!.words;
    };
    const before = await wordsOf();
    const second = await read(client, form(SECOND));
    const saved = await correct(client, second, { 'general:year_built': '1957' });
    expect(saved.status).toBe(200);
    for (let tries = 0; tries < 100; tries++) {
      if ((await client.get(`/api/templates/${id}`)).body.corrections.length === 2) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await wordsOf()).toBeLessThan(before);
    const undo = await client.request(`/api/templates/${id}/corrections/${second}`, { method: 'DELETE' });
    expect(undo.status).toBe(200);
    expect(await wordsOf()).toBe(before);
    expect(await scoreOf('1964')).toBe(1);
  });

  it('can be renamed, and are not used while disabled', async () => {
    const { client } = await teach();
    const [{ id }] = await templatesOf(client, 1);
    const change = (json: object) => client.request(`/api/templates/${id}`, { method: 'PATCH', json });
    expect((await change({ name: 'Ashford 1978' })).body).toMatchObject({ name: 'Ashford 1978', enabled: true });
    expect((await change({ enabled: false })).body).toMatchObject({ name: 'Ashford 1978', enabled: false });
    const second = await read(client, form({ ...SECOND, made: '1959' }));
    expect((await dataOf(client, second)).engine.template).toBeUndefined();
    await change({ enabled: true });
    const third = await read(client, form({ ...SECOND, made: '1960' }));
    expect((await dataOf(client, third)).engine.template).toMatchObject({ id });
    const empty = await change({});
    expect(empty.status).toBe(422);
    expect(empty.body.detail[0].msg).toBe("Input should have at least one of the fields 'name', 'enabled'");
    expect((await change({ name: ' ' })).status).toBe(400);
  });

  it('answer 404 to other keys and 401 without a token', { tags: ['full'] }, async () => {
    const { client } = await teach();
    const [{ id }] = await templatesOf(client, 1);
    const other = await passports.signIn();
    const paths: [string, string][] = [
      ['GET', `/api/templates/${id}`],
      ['DELETE', `/api/templates/${id}`],
      ['DELETE', `/api/templates/${id}/corrections/${id}`],
    ];
    for (const [method, path] of paths) expect((await other.request(path, { method })).status).toBe(404);
    expect((await passports.client().get('/api/templates')).status).toBe(401);
    expect((await client.get(`/api/templates/${id}`)).status).toBe(200);
  });

  it('stay when the corrected document is deleted, and name it no more', { tags: ['full'] }, async () => {
    const { client, first } = await teach();
    const [{ id }] = await templatesOf(client, 1);
    expect((await client.request(`/task/${first}`, { method: 'DELETE' })).status).toBe(200);
    const { body } = await client.get(`/api/templates/${id}`);
    expect(body.corrections).toMatchObject([{ task_id: first, filename: null }]);
    const second = await read(client, form({ ...SECOND, made: '1961' }));
    expect((await dataOf(client, second)).fields['general:year_built'].value).toBe(1961);
  });

  it('do not reuse an earlier result of the same file after a correction', { tags: ['full'] }, async () => {
    const { client, first } = await teach();
    await templatesOf(client, 1);
    const again = await read(client, form(FIRST));
    expect(again).not.toBe(first);
    const { fields, cached } = await dataOf(client, again);
    expect(cached).toBe(false);
    expect(fields['general:year_built'].value).toBe(1978);
    const third = await read(client, form(FIRST));
    expect((await dataOf(client, third)).cached).toBe(true);
  });

  it('are listed on a page in English and Russian, without values', { tags: ['full'] }, async () => {
    const { client } = await teach();
    const [{ id }] = await templatesOf(client, 1);
    const english = await client.get('/templates', { 'accept-language': 'en' });
    expect(english.text).toContain(`data-id="${id}"`);
    expect(english.text).toContain('Inventory value');
    expect(english.text).not.toContain('Hill Street');
    expect(english.text).toContain('value="Form 1"');
    const russian = await client.get('/templates', { 'accept-language': 'ru' });
    expect(russian.text).toContain('Шаблоны бланков');
    expect(russian.text).toContain('value="Бланк 1"');
    expect((await passports.client().get('/templates')).status).toBe(303);
  });
});
