import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { openPage } from '../support/browser/open-page.ts';
import { testDatabase } from '../support/database.ts';
import {
  ADMIN_KEY,
  createPdf,
  type HttpResponse,
  type Passports,
  startPassports,
  USER_KEY,
} from '../support/passports.ts';
import { startTcpProxy } from '../support/processes/tcp-proxy.ts';

vi.setConfig({ testTimeout: 120_000 });

let passports: Passports;
beforeAll(async () => {
  passports = await startPassports();
});
afterAll(() => passports.stop());

const field = (page: Page, key: string) => page.locator(`[id="${key}"]`);
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).last().click();
const main = (page: Page) => page.locator('main').textContent();

/** The review page of a new document, without JavaScript. */
async function openReview(test: Parameters<typeof openPage>[0]): Promise<{ page: Page; url: string; id: string }> {
  const client = await passports.signIn();
  const [id] = await client.upload(createPdf());
  await passports.succeed(id!);
  const { page } = await openPage(test, `${passports.url}/login`, { javaScriptEnabled: false });
  await page.locator('#api_key').fill(ADMIN_KEY);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${passports.url}/`);
  const url = `${passports.url}/task/${id}`;
  await page.goto(url);
  return { page, url, id: id! };
}

/** Headers of a form in a browser. */
const FORM_HEADERS = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };

const resultOf = async (page: Page, id: string) =>
  (await page.request.get(`${passports.url}/api/task/${id}/result`)).json();

it('A form without JavaScript with an invalid value keeps the changed values, which can be corrected and sent again', async (test) => {
  const { page, url, id } = await openReview(test);
  await field(page, 'general:address').fill('г. Энск, ул. Северная, д. 8');
  await field(page, 'general:floors').fill('many <b>');
  await field(page, 'rooms:3.name').fill('балкон');
  await save(page);
  expect(page.url()).toBe(`${url}/update`);
  expect(await main(page)).toContain('Storeys: Enter a whole number.');
  const inputs = page.locator('form.values :is(input, select, textarea):not([type=hidden])');
  expect(await inputs.evaluateAll((all) => all.map((one: any) => [one.name, one.value]))).toEqual([
    ['general:address', 'г. Энск, ул. Северная, д. 8'],
    ['general:floors', 'many <b>'],
    ['rooms:3.name', 'балкон'],
  ]);
  const invalid = page.locator('[aria-invalid=true]');
  expect(await invalid.evaluateAll((all) => all.map((one: any) => one.name))).toEqual(['general:floors']);
  const notes = page.locator(`[id="${await invalid.getAttribute('aria-describedby')}"]`);
  expect(await notes.textContent()).toBe('Enter a whole number.');
  await page.getByLabel('Storeys').fill('5');
  await save(page);
  await page.waitForURL(url);
  const { data, version } = await resultOf(page, id);
  expect(version).toBe(2);
  expect(data).toMatchObject({ general: { address: 'г. Энск, ул. Северная, д. 8', floors: 5, year_built: 1978 } });
  expect(data.rooms.map(({ name }: { name: string }) => name)).toEqual(['кухня', 'жилая', 'балкон']);
});

it('A form without JavaScript of a document that another user has changed lists the values that are not saved', async (test) => {
  const { page, url, id } = await openReview(test);
  const other = await page.context().newPage();
  await other.goto(url);
  for (const column of ['name', 'area']) await field(other, `rooms:1.${column}`).fill('');
  await save(other);
  await other.waitForURL(url);
  await field(page, 'general:floors').fill('5');
  await field(page, 'rooms:2.height').fill('2,7');
  await save(page);
  expect(await main(page)).toContain('The document has changed since');
  expect(await page.locator('#unsaved li').allTextContents()).toEqual([
    'Storeys: 5',
    // The removed row and the changed one, which have other numbers now.
    expect.stringMatching(/, row 1: кухня$/),
    expect.stringMatching(/, row 1: 9.1$/),
    expect.stringMatching(/, row 2: жилая$/),
    expect.stringMatching(/, row 2: 18.4$/),
    expect.stringMatching(/, row 2: 2,7$/),
  ]);
  await page.getByRole('link', { name: 'Open the document' }).click();
  await page.waitForURL(url);
  expect((await resultOf(page, id)).data.rooms.map(({ name }: { name: string }) => name)).toEqual(['жилая']);
});

it('A new name of a document is kept when the session has ended', async (test) => {
  const { page, url } = await openReview(test);
  await page.locator('summary', { hasText: 'Rename' }).click();
  await page.locator('#name').fill('Дом "7".pdf');
  await page.context().clearCookies();
  await page.locator('.rename button').click();
  expect(page.url()).toBe(`${url}/rename`);
  expect(await main(page)).toContain('you may be asked once more');
  expect(await page.locator('#name').inputValue()).toBe('Дом "7".pdf');
});

it('The values of a signed-in user are kept while the database is unreachable', async () => {
  const database = await testDatabase();
  const { hostname: host, port } = new URL(database.url);
  const relay = await startTcpProxy({ host, port: Number(port) });
  const isolated = await startPassports({ DATABASE_URL: relay.proxiedUrl(database.url) });
  onTestFinished(async () => {
    await relay.restore();
    await isolated.stop();
    await relay.close();
    await database.drop();
  });
  const browser = isolated.client();
  expect((await browser.post('/login', { form: { api_key: ADMIN_KEY } })).status).toBe(303);
  await relay.cut();
  const form = { 'general:address': 'г. Энск, ул. Северная, д. 8' };
  const answer = await browser.post('/task/any/update', { form, headers: FORM_HEADERS });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  expect(answer.text).toContain('value="г. Энск, ул. Северная, д. 8"');
});

it('A form of more than 1 MiB that is rejected by its headers is not shown', async () => {
  const filler = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [i, 'x'.repeat(9000)]));
  for (const [count, isKept] of [
    [110, true],
    [120, false],
  ] as const) {
    const form = { 'general:address': 'ул. Северная', ...filler(count) };
    const answer = await passports.client().post('/task/any/update', { form, headers: FORM_HEADERS });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(answer.text.includes('value="ул. Северная"')).toBe(isKept);
  }
});

it('An invalid new name is kept', async () => {
  const name = `${'x'.repeat(256)}.pdf`;
  const client = await passports.signIn();
  const answer = await client.post(`/task/${randomUUID()}/rename`, { form: { name }, headers: FORM_HEADERS });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  expect(answer.text).toContain(`value="${name}"`);
});

const unsavedIn = ({ text }: HttpResponse) =>
  [.../<ul id="unsaved">(.*?)<\/ul>/s.exec(text)![1]!.matchAll(/<li[^>]*>(.*?)<\/li>/gs)].map(([, line]) => line);

it('The values that are not saved after a conflict include cleared cells of rows that the document has', async () => {
  const client = await passports.signIn();
  const [id] = await client.upload(createPdf());
  await passports.succeed(id!);
  const update = (form: Record<string, string>) => client.post(`/task/${id}/update`, { form, headers: FORM_HEADERS });
  expect((await update({ 'general:floors': '4' })).status).toBe(303);
  const answer = await update({
    ...{ version: '1', 'general:year_built': '' },
    ...{ 'rooms:1.name': 'кухня', 'rooms:1.area': '', 'rooms:1.height': '' },
    ...{ 'rooms:2.name': '', 'rooms:2.area': '', 'rooms:2.height': '' },
    ...{ 'rooms:3.name': '', 'rooms:3.area': '', 'rooms:3.height': '' },
  });
  expect(answer.status).toBe(412);
  expect(unsavedIn(answer)).toEqual([
    expect.stringMatching(/^Year .*: empty$/),
    expect.stringMatching(/, row 1: кухня$/),
    expect.stringMatching(/Area.*, row 1: empty$/),
    expect.stringMatching(/, row 2: empty$/),
    expect.stringMatching(/Area.*, row 2: empty$/),
  ]);
});

it('The values that are not saved after a conflict are the same when the language has changed meanwhile', async () => {
  const client = await passports.signIn();
  const [id] = await client.upload(createPdf());
  await passports.succeed(id!);
  const update = (form: Record<string, string>) =>
    client.post(`/task/${id}/update`, { form, headers: { ...FORM_HEADERS, 'accept-language': 'ru' } });
  expect((await update({ 'general:floors': '4' })).status).toBe(303);
  const answer = await update({
    ...{ version: '1', 'general:floors': '5', 'areas:total_area': '54.3' },
    ...{ 'rooms:1.no': '', 'rooms:1.name': 'кухня', 'rooms:1.area': '9.1' },
    ...{ 'rooms:1.living_area': '', 'rooms:1.auxiliary_area': '', 'rooms:1.height': '' },
  });
  expect(answer.status).toBe(412);
  expect(unsavedIn(answer)).toEqual([expect.stringMatching(/: 5$/)]);
});

it('The project and the tags of an upload without accepted files are kept', async () => {
  const client = await passports.signIn();
  const files = [{ name: 'notes.txt', bytes: 'notes' }];
  const fields = { project: 'Полка "4"', tags: 'север, юг' };
  const headers = { ...FORM_HEADERS, 'accept-language': 'ru' };
  const answer = await client.post('/upload', { files, fields, headers });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8']);
  expect(answer.text).toContain('документы принимаются в PDF');
  expect(answer.text).toContain('value="Полка &#34;4&#34;"');
  expect(answer.text).toContain('value="север, юг"');
  const mixed = await client.post('/upload', { files: [createPdf(), ...files], fields, headers });
  expect(mixed.status).toBe(200);
  expect(mixed.text).toContain('value="север, юг"');
});

it('A form that cannot be sent again is not offered: the page lists its values', async () => {
  const client = await passports.signIn();
  const [waiting] = await client.upload(createPdf());
  // Visible to all, because its upload had no key.
  const [done] = await passports.client().upload(createPdf());
  await passports.succeed(done!);
  const user = await passports.signIn(USER_KEY);
  const form = { 'general:address': 'г. Энск, ул. Южная, д. 7', 'general:floors': '5' };
  const cases = [
    [client, waiting, 409, ['г. Энск, ул. Южная, д. 7', '5']],
    [user, done, 403, ['5']],
  ] as const;
  for (const [sender, id, status, values] of cases) {
    const answer = await sender.post(`/task/${id}/update`, { form, headers: FORM_HEADERS });
    expect(answer.status).toBe(status);
    expect(unsavedIn(answer)).toEqual(values.map((value) => expect.stringMatching(`: ${value}$`)));
    expect(answer.text).not.toMatch(/<form|send it again/);
  }
  const renamed = await user.post(`/task/${done}/rename`, { form: { name: 'b.pdf' }, headers: FORM_HEADERS });
  expect(renamed.status).toBe(403);
  expect(renamed.text).not.toMatch(/<form|send it again/);
});
