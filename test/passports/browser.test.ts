import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createModelContext } from '../../src/role-contexts.ts';
import { openPdf } from '../../src/services/passports/model/pages/pdf.ts';
import type { TaskService } from '../../src/services/shared/service.ts';
import { createDateFormat } from '../../src/ui/browser/date-format.ts';
import { type OpenedPage, openPage } from '../support/browser/open-page.ts';
import { sheetsOf } from '../support/export/workbook.ts';
import { ADMIN_KEY, createExtraction, type Passports, startPassports } from '../support/passports.ts';
import { type Product, startProduct } from '../support/product.ts';

const KEY = 'browser-key-1234567890';
/** Printed by scripts/make-passport-example.mjs. */
const EXAMPLE = fileURLToPath(new URL('../../examples/passport.pdf', import.meta.url));
const OWNER = 'Ёлкина Людмила Фёдоровна';
const { signal } = new AbortController();

vi.setConfig({ testTimeout: 240_000 });

type Test = Parameters<typeof openPage>[0];
type Options = Parameters<typeof openPage>[2];

let product: Product;
let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'assay-browser-'));
  product = await startProduct({
    service: 'passports',
    env: { PASSPORTS_API_KEYS: `anna:${KEY}`, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' },
  });
  await product.startWorker(
    await (product.context.services[0] as TaskService).work.load(await createModelContext(product.context)),
  );
}, 120_000);
afterAll(async () => {
  await product.stop();
  await rm(scratch, { recursive: true, force: true });
});

// The first document also waits for the start of PDFium and of the threads that read it.
const until = (check: () => Promise<unknown>, timeout = 60_000) => expect.poll(check, { timeout, interval: 50 });
const row = (page: Page, name: string) => page.locator('#documents li', { hasText: name });
const field = (page: Page, key: string) => page.locator(`[id="${key}"]`);
const value = (page: Page, key: string) => field(page, key).inputValue();
const saved = (page: Page) => until(() => page.locator('#save-status').textContent());
const pdf = async (name: string) => ({ name, mimeType: 'application/pdf', buffer: await readFile(EXAMPLE) });

async function signIn(test: Test, options?: Options): Promise<OpenedPage> {
  const it = await openPage(test, `${product.url}/login`, options);
  await it.page.locator('#api_key').fill(KEY);
  await it.page.keyboard.press('Enter');
  await it.page.waitForURL(`${product.url}/`);
  return it;
}

async function openReview(test: Test, name: string, options?: Options): Promise<OpenedPage> {
  const it = await signIn(test, options);
  await it.page.locator('#pdfs').setInputFiles(await pdf(name));
  await until(() => row(it.page, name).getAttribute('data-status')).toBe('SUCCESS');
  await row(it.page, name).locator('.name').click();
  await it.page.waitForURL('**/task/*');
  return it;
}

const idOf = (page: Page) => /\/task\/([^/?#]+)/.exec(page.url())![1]!;
const resultOf = async (page: Page, id = idOf(page)) =>
  (await page.request.get(`${product.url}/api/task/${id}/result`)).json();

/** Delays the page's next update request until `release`. */
async function delayNextUpdate(page: Page): Promise<{ requested: Promise<unknown>; release(): void }> {
  const [started, released] = [new EventEmitter(), new EventEmitter()];
  const gone = once(released, 'go');
  await page.route(
    (url) => url.pathname === new URL(page.url()).pathname,
    async (route) => {
      started.emit('started');
      await gone;
      await route.continue();
    },
    { times: 1 },
  );
  return { requested: once(started, 'started'), release: () => released.emit('go') };
}

async function downloadFile(page: Page, click: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const downloadEvent = page.waitForEvent('download');
  await click();
  const download = await downloadEvent;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

describe('Passports pages', () => {
  it('send the project and the tags of the form, and filter the list by them', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test);
    await page.locator('#pdfs').setInputFiles(await pdf('plain.pdf'));
    await until(() => row(page, 'plain.pdf').getAttribute('data-status')).toBe('SUCCESS');
    await page.getByText('Project and tags').click();
    await page.getByLabel('Project', { exact: true }).fill('Shelf 4');
    await page.getByLabel('Tags, separated by commas').fill('old, north');
    await page.locator('#pdfs').setInputFiles(await pdf('grouped.pdf'));
    await until(() => row(page, 'grouped.pdf').locator('.groups').allTextContents()).toEqual(['Shelf 4oldnorth']);
    await row(page, 'grouped.pdf').getByRole('link', { name: 'north' }).click();
    await page.waitForURL('**/?tag=north');
    await until(() => page.locator('#documents .name').allTextContents()).toEqual(['grouped.pdf']);
    await until(() => page.locator('.exports a').first().getAttribute('href')).toBe('export/session/excel?tag=north');
    await page.getByRole('link', { name: 'Remove filter north' }).click();
    await until(() => page.locator('#documents .name').count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it('require a valid key', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openPage(test, `${product.url}/login`);
    await page.locator('#api_key').fill('not-the-key');
    await page.keyboard.press('Enter');
    await until(() => page.locator('main').textContent()).toContain('There is no such API key');
    await until(() => page.locator('#api_key').isVisible()).toBe(true);
    expect(problems.splice(0)).toEqual([expect.stringContaining('401')]);
    expect(await page.context().cookies()).toEqual([]);

    // The link of the start-up banner; the key does not stay in the address.
    await page.goto(`${product.url}/login#key=${KEY}`);
    await page.waitForURL(`${product.url}/login`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${product.url}/`);
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${product.url}/login`);
    await page.goto(product.url);
    expect(await page.getByRole('link', { name: 'Sign in' }).isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('fill in the key of a link without submitting it, and never replace a session with it', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems } = await openPage(test, `${product.url}/login#key=${KEY}`);
    await until(() => page.locator('#api_key').inputValue()).toBe(KEY);
    await until(() => page.locator('#from-link').textContent()).toContain('Sign in only if you trust');
    // Long enough to notice an automatic submission.
    await page.waitForTimeout(500);
    expect([page.url(), await page.context().cookies()]).toEqual([`${product.url}/login`, []]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${product.url}/`);
    const cookies = await page.context().cookies();

    await page.goto(`${product.url}/login#key=somebody-elses-key`);
    await page.waitForURL(`${product.url}/login`);
    await until(() => page.locator('#signed-in').textContent()).toContain('You are signed in');
    await until(() => page.locator('#api_key').inputValue()).toBe('');
    await until(() => page.locator('#from-link').isVisible()).toBe(false);
    await page.waitForTimeout(500);
    expect(await page.context().cookies()).toEqual(cookies);
    await page.locator('#signed-in a').click();
    await page.waitForURL(`${product.url}/`);
    expect(problems).toEqual([]);
  });

  it('show the example from the upload to all of its values without a reload', async (test) => {
    const { page, problems } = await signIn(test, { locale: 'ru-RU' });
    await until(() => page.locator('html').getAttribute('lang')).toBe('ru');
    await page.evaluate('globalThis.here = true');
    await page.locator('#pdfs').setInputFiles(await pdf('Паспорт кв. 37 — Садовая.pdf'));
    const document = row(page, 'Паспорт кв. 37 — Садовая.pdf');
    await until(() => document.locator('.state').textContent()).toBe('Готово');
    await until(() => page.evaluate('globalThis.here')).toBe(true);
    await until(() => document.getByRole('link', { name: 'Excel' }).isVisible()).toBe(true);
    // The pages have a text until their images, of which the second fails, have ended.
    let load = () => {};
    const loaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route('**/page/1', (route) => loaded.then(() => route.continue()));
    await page.route('**/page/2', (route) => loaded.then(() => route.abort()));
    await document.locator('.name').click();
    await page.waitForURL('**/task/*', { waitUntil: 'domcontentloaded' });
    const loading = page.locator('.sheet .loading');
    await until(() => loading.count()).toBe(2);
    await until(() => loading.first().locator('text').first().textContent()).toBe('Страница 1 загружается…');
    load();
    await until(() => loading.count()).toBe(0);
    expect(problems.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
    expect((await resultOf(page)).data).toEqual(EXPECTED_VALUES);
    for (const [key, shown] of Object.entries(DISPLAYED_VALUES)) expect(await value(page, key), key).toBe(shown);
    await until(() => page.locator('main').textContent()).not.toMatch(/[a-z]{4,} [a-z]{4,} [a-z]{4,}/);
    expect(problems).toEqual([]);
  });

  it('support correcting, undoing and restoring values with the keyboard alone', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openReview(test, 'keyboard.pdf');
    const focused = () => page.evaluate<string>('document.activeElement.id');
    for (let i = 0; i < 60 && (await focused()) !== 'general:year_built'; i++) await page.keyboard.press('Tab');
    await until(focused).toBe('general:year_built');
    const lit = () => page.locator('.box.highlighted').evaluateAll((boxes) => boxes.map((box: any) => box.dataset.key));
    await until(lit).toEqual(['general:year_built']);

    await page.keyboard.press('Control+A');
    await page.keyboard.type('1981');
    await page.keyboard.press('Enter');
    await saved(page).toBe('Saved');
    await until(focused).toBe('general:floors');
    await until(lit).toEqual(['general:floors']);
    await page.keyboard.press('Shift+Enter');
    await until(focused).toBe('general:year_built');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('2');
    await page.keyboard.press('Escape');
    await until(() => value(page, 'general:year_built')).toBe('1981');

    await page.keyboard.press('Control+A');
    await page.keyboard.type('long ago');
    await page.keyboard.press('Enter');
    await until(() => page.locator('[data-field="general:year_built"] .problem').textContent()).toBe(
      'Enter a whole number.',
    );
    await until(() => field(page, 'general:year_built').getAttribute('aria-invalid')).toBe('true');
    expect((await resultOf(page)).data.general.year_built).toBe(1981);
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Escape');
    expect(problems.splice(0)).toEqual([expect.stringContaining('422')]);

    await field(page, 'areas:total_area').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1 054,70');
    await page.keyboard.press('Enter');
    await until(() => value(page, 'areas:total_area')).toBe('1054.7');
    await until(() => page.locator('[data-field="areas:total_area"] .mark').textContent()).toBe(
      'entered manually · page\u00a01 · Extracted: 54.7',
    );

    await page.reload();
    await until(() => value(page, 'general:year_built')).toBe('1981');
    const history = page.locator('#history');
    await history.locator('summary').focus();
    await page.keyboard.press('Enter');
    await until(() => history.locator('li').allTextContents()).toEqual([
      expect.stringContaining('anna: Total area, 54.7 → 1054.7'),
      expect.stringContaining('anna: Year built, 1978 → 1981'),
    ]);
    await history.locator('.revert').last().focus();
    await page.keyboard.press('Enter');
    await until(() => value(page, 'general:year_built')).toBe('1978');
    await until(() => page.locator('#history li').count()).toBe(3);
    await until(focused).toBe('general:year_built');
    await page.reload();
    await until(() => value(page, 'general:year_built')).toBe('1978');
    await until(() => page.locator('#history li').count()).toBe(3);
    expect(problems).toEqual([]);
  });

  it('support adding and removing table rows with the keyboard alone', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openReview(test, 'rows.pdf');
    await field(page, 'rooms:8.name').focus();
    await page.keyboard.type('лоджия');
    await page.keyboard.press('Enter');
    await saved(page).toBe('Saved');
    await until(() => page.evaluate('document.activeElement.id')).toBe('rooms:8.area');
    await until(() => field(page, 'rooms:9.name').count()).toBe(1);
    await page.keyboard.type('3,6');
    await page.keyboard.press('Enter');
    await until(async () => (await resultOf(page)).data.rooms[7]).toMatchObject({ name: 'лоджия', area: 3.6 });
    // The row after it was added by the script.
    await field(page, 'rooms:9.name').focus();
    await page.keyboard.type('балкон');
    await page.keyboard.press('Enter');
    await until(async () => (await resultOf(page)).data.rooms.length).toBe(9);

    await page.getByRole('button', { name: 'Remove row 8' }).focus();
    await page.keyboard.press('Enter');
    await until(() => value(page, 'rooms:8.name')).toBe('балкон');
    await until(async () => (await resultOf(page)).data.rooms.length).toBe(8);
    await field(page, 'rooms:8.area').focus();
    await page.keyboard.type('2,1');
    await page.keyboard.press('Enter');
    await until(async () => (await resultOf(page)).data.rooms[7]).toMatchObject({ name: 'балкон', area: 2.1 });
    await until(() => value(page, 'rooms:8.area')).toBe('2.1');
    expect((await resultOf(page)).data.rooms.map(({ name }: { name: string }) => name)).toEqual([
      ...EXPECTED_VALUES.rooms.map(({ name }) => name),
      'балкон',
    ]);
    expect(problems).toEqual([]);
  });

  it.for([
    ['en-GB', 'Insert row above row', 'Row 3 (new)', 'Remove row 3 (new)'],
    ['ru-RU', 'Вставить строку над строкой', 'Строка 3 (новая)', 'Удалить строку 3 (новая)'],
  ])(
    'insert table rows with the keyboard alone, without loss of other edits (%s)',
    {
      tags: ['full'],
    },
    async ([locale, insert, newRow, remove], test) => {
      const { page, problems } = await openReview(test, 'inserted.pdf', { locale: locale! });
      const names = async () => (await resultOf(page)).data.rooms.map(({ name }: { name: string }) => name);
      const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
      const before = await names();
      await page.getByRole('button', { name: `${insert} 3`, exact: true }).press('Enter');
      await until(focused).toContain(newRow);
      // Leaving it empty removes it at the next save.
      await field(page, 'rooms:4.area').fill('7,77');
      await page.keyboard.press('Enter');
      await until(async () => (await resultOf(page)).data.rooms[3].area).toBe(7.77);
      await until(() => page.locator('tr.inserted').count()).toBe(0);
      // Or else the update of this edit is the next one.
      await until(() => page.locator('#history summary').textContent()).toContain('(1)');

      await page.getByRole('button', { name: `${insert} 3`, exact: true }).press('Enter');
      const update = await delayNextUpdate(page);
      await field(page, 'rooms:2.1.name').focus();
      await page.keyboard.type('лоджия');
      await page.keyboard.press('Enter');
      await update.requested;
      // While the page is refreshed, with the row counted.
      await page.keyboard.type('3,6');
      await page.keyboard.press('Enter');
      await field(page, 'rooms:5.area').fill('8,88');
      await page.keyboard.press('Enter');
      update.release();
      const { length } = before;
      await until(async () => (await resultOf(page)).data.rooms.length).toBe(length + 1);
      await until(async () => (await resultOf(page)).data.rooms[2]).toMatchObject({ name: 'лоджия', area: 3.6 });
      await until(async () => (await resultOf(page)).data.rooms[4].area).toBe(8.88);
      await until(names).toEqual([...before.slice(0, 2), 'лоджия', ...before.slice(2)]);
      await until(() => value(page, 'rooms:3.name')).toBe('лоджия');
      await page.reload();
      await until(() => value(page, 'rooms:3.name')).toBe('лоджия');

      // Removed again before it is saved.
      await page.getByRole('button', { name: `${insert} 3`, exact: true }).press('Enter');
      await page.getByRole('button', { name: remove!, exact: true }).press('Enter');
      await until(() => page.locator('tr.inserted').count()).toBe(0);
      expect(problems).toEqual([]);
    },
  );

  it.for([
    ['en-GB', 'Remove row', 'Row no. 3 deleted.', 'Undo'],
    ['ru-RU', 'Удалить строку', 'Строка №\u00a03 удалена.', 'Отменить'],
  ])(
    'undo deletions of table rows with the keyboard alone until the next edit (%s)',
    {
      tags: ['full'],
    },
    async ([locale, remove, message, undo], test) => {
      const { page, problems } = await openReview(test, 'deleted.pdf', { locale: locale! });
      const rooms = async () => (await resultOf(page)).data.rooms;
      const before = await rooms();
      const removeRow = (row: number) =>
        page.getByRole('button', { name: `${remove} ${row}`, exact: true }).press('Enter');
      const undoButton = page.getByRole('button', { name: undo!, exact: true });
      await removeRow(3);
      await until(() => page.locator('tr.undo').textContent()).toContain(message!);
      await until(rooms).toHaveLength(before.length - 1);
      // It stands before the next row, which has the focus.
      await until(() => page.evaluate('document.activeElement.name')).toBe('rooms:3.no');
      await page.keyboard.press('Shift+Tab');
      await until(() => undoButton.evaluate((button: any) => button.matches(':focus'))).toBe(true);
      await page.keyboard.press('Enter');
      await until(rooms).toEqual(before);
      await until(() => page.locator('tr.inserted').count()).toBe(0);
      await until(() => value(page, 'rooms:3.name')).toBe(before[2].name);
      // The row has its own number again, so its values are those that were read.
      await until(() => page.locator('tr[data-row="3"]').getAttribute('data-stored-row')).toBe('rooms:3');

      await page.getByRole('button', { name: `${remove} 2`, exact: true }).dblclick();
      await undoButton.press('Enter');
      await until(rooms).toEqual(before);

      await removeRow(before.length);
      await undoButton.press('Enter');
      await until(rooms).toEqual(before);
      // In any order.
      for (const [offers, row] of [3, 2, 3].entries()) {
        await removeRow(row);
        await until(() => undoButton.count()).toBe(offers + 1);
        await until(async () => (await rooms()).length).toBe(before.length - offers - 1);
      }
      // By their printed numbers; the last one was the third row then.
      const messages = ['2', '3', '5'].map((number) => expect.stringContaining(message!.replace('3', number)));
      await until(() => page.locator('tr.undo').allTextContents()).toEqual(messages);
      for (const [offers, nth] of [
        [2, 1],
        [1, 0],
        [0, 0],
      ] as const) {
        await undoButton.nth(nth).press('Enter');
        await until(() => undoButton.count()).toBe(offers);
        await until(async () => (await rooms()).length).toBe(before.length - offers);
      }
      await until(rooms).toEqual(before);
      await removeRow(1);
      await until(() => undoButton.count()).toBe(1);
      await field(page, 'rooms:2.area').fill('7,77');
      await page.keyboard.press('Enter');
      await until(() => undoButton.count()).toBe(0);
      expect(problems).toEqual([]);
    },
  );

  it('keep the focus and the text in progress while a saved value is rendered', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openReview(test, 'focus.pdf');
    const focused = () => page.evaluate<string>('document.activeElement.id');
    const drawn = (edits: number) =>
      until(() => page.locator('#history summary').textContent()).toContain(`(${edits})`);
    await page.evaluate('globalThis.here = true');

    const drawing = await delayNextUpdate(page);
    await field(page, 'rooms:8.name').focus();
    await page.keyboard.type('лоджия');
    await page.keyboard.press('Enter');
    await drawing.requested;
    // The pending update does not contain the ninth row or the typed text.
    await field(page, 'rooms:9.name').focus();
    await page.keyboard.type('балкон');
    await page.keyboard.press('Enter');
    await page.keyboard.type('21');
    await page.keyboard.press('ArrowLeft');
    drawing.release();
    await drawn(2);
    await page.keyboard.type(',');
    expect([await focused(), await value(page, 'rooms:9.area')]).toEqual(['rooms:9.area', '2,1']);

    const next = await delayNextUpdate(page);
    await page.getByRole('button', { name: 'Remove row 9' }).focus();
    await next.requested;
    await page.keyboard.press('Enter');
    next.release();
    // The two cells of the row are one entry.
    await drawn(4);
    expect((await resultOf(page)).data.rooms.length).toBe(8);
    await field(page, 'general:floors').fill('10');
    await page.getByRole('button', { name: 'Remove row 8' }).focus();
    await drawn(5);
    await page.keyboard.press('Enter');
    await drawn(6);
    expect((await resultOf(page)).data.rooms.length).toBe(7);

    await page.locator('#history summary').click();
    await field(page, 'general:floors').fill('11');
    const revert = page.locator('#history .revert').last();
    const id = await revert.getAttribute('id');
    await revert.focus();
    await drawn(7);
    await until(focused).toBe(id);
    await page.keyboard.press('Enter');
    await drawn(8);
    await until(() => value(page, 'rooms:8.name')).toBe('');
    await until(() => page.evaluate('globalThis.here')).toBe(true);
    expect(problems).toEqual([]);
  });

  it('keep the edit and the focus when another user has changed the rows', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openReview(test, 'rows-of-two.pdf');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await field(other, 'rooms:8.name').fill('лоджия');
    await other.keyboard.press('Enter');
    await saved(other).toBe('Saved');
    await field(page, 'general:floors').fill('10');
    await page.keyboard.press('Enter');
    await until(() => value(page, 'rooms:8.name')).toBe('лоджия');
    await until(() => page.evaluate('document.activeElement.id')).toBe('general:floor');
    await until(async () => (await resultOf(page)).data.general.floors).toBe(10);
    await until(() => value(page, 'general:floors')).toBe('10');
    expect(problems).toEqual([expect.stringContaining('412')]);
  });

  it('merge the edits of two users of one document', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openReview(test, 'shared.pdf');
    const other = await page.context().newPage();
    await other.goto(page.url());
    const write = async (who: Page, key: string, text: string) => {
      await field(who, key).fill(text);
      await who.keyboard.press('Enter');
    };
    await write(other, 'general:owner', 'Щукин Пётр Ильич');
    await until(() => other.locator('#save-status').textContent()).toBe('Saved');
    await write(page, 'general:floors', '10');
    await until(() => value(page, 'general:owner')).toBe('Щукин Пётр Ильич');
    await until(async () => (await resultOf(page)).data.general).toMatchObject({
      floors: 10,
      owner: 'Щукин Пётр Ильич',
    });
    // The second user must confirm a change of the same field.
    await other.reload();
    await write(other, 'general:floors', '11');
    await until(() => other.locator('#save-status').textContent()).toBe('Saved');
    await write(page, 'general:floors', '12');
    const problem = page.locator('[data-field="general:floors"] .problem');
    await until(() => problem.textContent()).toBe(
      'Another user has saved “11”. Press Enter to replace it with your value.',
    );
    expect((await resultOf(page)).data.general.floors).toBe(11);
    await field(page, 'general:floors').focus();
    await page.keyboard.press('Enter');
    await until(async () => (await resultOf(page)).data.general.floors).toBe(12);
    await until(() => problem.textContent()).toBe('');
    expect(problems).toEqual([expect.stringContaining('412'), expect.stringContaining('412')]);
  });

  it('highlight the box of the focused field, and focus the field of a clicked box', {
    tags: ['full'],
  }, async (test) => {
    const { page } = await openReview(test, 'boxes.pdf', { viewport: { width: 1280, height: 700 } });
    await field(page, 'rooms:3.area').focus();
    const lit = page.locator('#page-2 .box.highlighted');
    await until(() => lit.getAttribute('data-key')).toBe('rooms:3.area');
    await until(() => lit.evaluate((box: any) => box.getBoundingClientRect().top)).toBeLessThan(700);
    await page.locator('#page-1 .box[data-key="general:floors"]').click();
    await until(() => page.evaluate('document.activeElement.id')).toBe('general:floors');
    const { bbox, page: on } = (await resultOf(page)).fields['general:floors'];
    const picture = await (await page.request.get(`${product.url}/api/task/${idOf(page)}/page/${on}`)).body();
    const { width, height } = await sharp(picture).metadata();
    const [x0, y0, x1, y1] = bbox;
    const cut = {
      left: Math.round(x0 * width),
      top: Math.round(y0 * height),
      width: Math.round((x1 - x0) * width),
      height: Math.round((y1 - y0) * height),
    };
    expect((await sharp(picture).extract(cut).greyscale().stats()).channels[0]!.min).toBeLessThan(100);
  });

  it('export corrected values in files named after the document', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openReview(test, 'Квартира №37 «Ёлкина».pdf');
    await field(page, 'general:owner').fill('Щукин Пётр Ильич');
    await page.keyboard.press('Enter');
    await saved(page).toBe('Saved');
    const excel = await downloadFile(page, () => page.getByRole('link', { name: 'Excel' }).click());
    expect(excel.name).toBe('Passport_Квартира №37 «Ёлкина».xlsx');
    const [rows] = sheetsOf(excel.bytes).values();
    expect(rows).toContainEqual(['text:Owner', 'text:Щукин Пётр Ильич']);
    expect(rows).toContainEqual(['text:Year built', 'number:1978']);

    const report = await downloadFile(page, () => page.getByRole('link', { name: 'PDF report' }).click());
    expect(report.name).toBe('Report_Квартира №37 «Ёлкина».pdf');
    const words = await wordsOf(report.bytes);
    expect(words.join(' ')).toContain('Щукин Пётр Ильич');
    expect(words.join(' ')).not.toContain(OWNER);
    expect(problems).toEqual([]);
  });

  it('rename a document with a Cyrillic name, and delete it after a confirmation', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test);
    await page.locator('#pdfs').setInputFiles(await pdf('scan0001.pdf'));
    await until(() => row(page, 'scan0001.pdf').getAttribute('data-status')).toBe('SUCCESS');
    await row(page, 'scan0001.pdf').locator('summary').click();
    await row(page, 'scan0001.pdf').getByRole('textbox', { name: 'Document' }).fill('Дом у реки, объект №5.pdf');
    await page.keyboard.press('Enter');
    const renamed = row(page, 'Дом у реки, объект №5.pdf');
    await renamed.waitFor();
    const excel = await downloadFile(page, () => renamed.getByRole('link', { name: 'Excel' }).click());
    expect(excel.name).toBe('Passport_Дом у реки, объект №5.xlsx');
    await renamed.locator('.name').click();
    await page.waitForURL('**/task/*');
    await until(() => page.locator('h1').textContent()).toBe('Дом у реки, объект №5.pdf');

    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.getByRole('button', { name: 'Delete' }).click();
    expect((await resultOf(page)).status).toBe('SUCCESS');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${product.url}/`);
    expect(await page.getByText('No documents yet.', { exact: false }).isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('reorder photos with the keyboard, rotate one, and create one document', {
    tags: ['full'],
    timeout: 240_000,
  }, async (test) => {
    const { page, problems } = await signIn(test);
    const [first, second] = await photosOf(EXAMPLE);
    const lying = await sharp(first).rotate(270).jpeg().toBuffer();
    const plain = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#9a9a9a' } })
      .jpeg()
      .toBuffer();
    const photo = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/jpeg', buffer });
    await page
      .locator('#photos')
      .setInputFiles([photo('лист 1.jpg', lying), photo('plan.jpg', plain), photo('лист 2.jpg', second!)]);
    const captions = () => page.locator('#page-images .caption').allTextContents();
    await until(captions).toEqual(['Page 1: лист 1.jpg', 'Page 2: plan.jpg', 'Page 3: лист 2.jpg']);
    const image = (name: string) => page.locator('#page-images li', { hasText: name });

    await image('лист 2.jpg').getByRole('button', { name: 'Move earlier' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await until(captions).toEqual(['Page 1: лист 2.jpg', 'Page 2: лист 1.jpg', 'Page 3: plan.jpg']);
    await until(() => page.locator('#live').textContent()).toBe('лист 2.jpg is now page 1');

    const size = (name: string) =>
      image(name)
        .locator('img')
        .evaluate((img: any) => (img.complete ? img.naturalWidth / img.naturalHeight : 0));
    await until(() => size('лист 1.jpg')).toBeGreaterThan(1.2);
    await image('лист 1.jpg').getByRole('button', { name: 'Rotate' }).focus();
    await page.keyboard.press('Enter');
    await until(() => size('лист 1.jpg')).toBeLessThan(0.8);

    await page.getByRole('button', { name: 'Create document (3)' }).focus();
    await page.keyboard.press('Enter');
    await until(() => page.locator('#documents li').count()).toBe(1);
    // The list may show the document before the answer to the upload arrives and hides the images.
    await until(() => page.locator('#page-order').isVisible()).toBe(false);
    await until(() => page.locator('#documents li').getAttribute('data-status'), 200_000).toBe('SUCCESS');
    await page.locator('#documents .name').click();
    await page.waitForURL('**/task/*');
    const { pages, sheets, fields } = await resultOf(page);
    expect(pages).toBe(3);
    expect(fields['construction:wear_percent']).toMatchObject({ value: 24, page: 1 });
    expect(fields['areas:total_area']).toMatchObject({ value: 54.7, page: 2 });
    expect(sheets.map((sheet: any) => sheet.width < sheet.height)).toEqual([true, true, false]);
    expect(sheets[1].turn).toBe(0);
    expect(problems).toEqual([]);
  });

  it('reorder photos by dragging and remove one', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test);
    const tile = async (name: string) => ({
      ...{ name, mimeType: 'image/png' },
      buffer: await sharp({ create: { width: 60, height: 80, channels: 3, background: '#fff' } })
        .png()
        .toBuffer(),
    });
    // The order can be changed before the pictures are loaded.
    let sendPictures!: () => void;
    const isMoved = new Promise<void>((resolve) => (sendPictures = resolve));
    await page.route('**/api/v1/image/*', (route) => isMoved.then(() => route.continue()));
    await page.locator('#photos').setInputFiles([await tile('a.png'), await tile('b.png'), await tile('c.png')]);
    const captions = () => page.locator('#page-images .caption').allTextContents();
    await until(captions).toEqual(['Page 1: a.png', 'Page 2: b.png', 'Page 3: c.png']);
    await page.locator('#page-images img').nth(2).dragTo(page.locator('#page-images img').nth(0), { steps: 5 });
    await until(captions).toEqual(['Page 1: c.png', 'Page 2: a.png', 'Page 3: b.png']);
    sendPictures();
    // The picture of a removed image would be a 404 in the console.
    const isLoaded = '[...document.querySelectorAll("#page-images img")].every((image) => image.naturalWidth > 0)';
    await until(() => page.evaluate(isLoaded)).toBe(true);
    await page.locator('#page-images li', { hasText: 'a.png' }).getByRole('button', { name: 'Remove' }).focus();
    await page.keyboard.press('Enter');
    await until(captions).toEqual(['Page 1: c.png', 'Page 2: b.png']);
    await until(() => page.evaluate('document.activeElement.closest("li").dataset.name')).toBe('b.png');
    await page.reload();
    await until(() => page.locator('#page-images li').count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it('reject a cross-site form', { tags: ['full'] }, async (test) => {
    const { page } = await openReview(test, 'target.pdf');
    const id = idOf(page);
    const evil = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<form method="post" action="${product.url}/task/${id}/update"><input name="general:owner" value="Nobody"></form>`,
      );
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`;
      await page.context().unroute('**/*');
      await page.goto(url);
      const answered = page.waitForResponse((response) => response.url().includes('/update'));
      await page.evaluate('document.forms[0].submit()');
      expect((await answered).status()).toBe(403);
      expect((await resultOf(page, id)).data.general.owner).toBe(OWNER);
    } finally {
      evil.closeAllConnections();
      await new Promise((resolve) => evil.close(resolve));
    }
  });

  it('work without JavaScript', { tags: ['full'] }, async (test) => {
    const { page } = await signIn(test, { javaScriptEnabled: false });
    await page.locator('#pdfs').setInputFiles(await pdf('без сценариев.pdf'));
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.waitForURL(`${product.url}/`);
    await until(async () => {
      await page.reload();
      return row(page, 'без сценариев.pdf').getAttribute('data-status');
    }).toBe('SUCCESS');
    await row(page, 'без сценариев.pdf').locator('.name').click();
    await page.waitForURL('**/task/*');
    await field(page, 'general:floors').fill('12');
    await page.getByRole('button', { name: 'Save', exact: true }).last().click();
    await page.waitForURL('**/task/*');
    await until(() => value(page, 'general:floors')).toBe('12');
    const { fields, version, confirmed_by: confirmedBy } = await resultOf(page);
    expect([version, confirmedBy]).toEqual([2, null]);
    expect(Object.values(fields).filter((each: any) => each.edited_at !== null)).toMatchObject([{ value: 12 }]);

    await field(page, 'general:floor').fill('3');
    const saveAndConfirm = page.getByRole('button', { name: 'Save and confirm all values' });
    const [left, right] = await Promise.all(
      [page.locator('noscript .primary'), saveAndConfirm].map((button) => button.boundingBox()),
    );
    expect(right!.x - left!.x - left!.width).toBeGreaterThanOrEqual(8);
    await saveAndConfirm.click();
    await page.waitForURL('**/task/*');
    await until(() => page.locator('#confirmation').textContent()).toContain('Confirmed by');
    expect(await resultOf(page)).toMatchObject({ version: 3, data: { general: { floor: 3 } } });

    await page.locator('summary', { hasText: 'Rename' }).click();
    await page.locator('#name').fill('Без сценариев, 12 этажей.pdf');
    await page.locator('.rename button').click();
    await page.waitForURL(`${product.url}/`);
    await until(() => page.locator('#documents .name').allTextContents()).toEqual(['Без сценариев, 12 этажей.pdf']);
  });
});

describe('Passports pages below a path prefix', () => {
  const below = '/registry';
  let isolated: Passports;
  let proxy: Server;
  let url: string;
  beforeAll(async () => {
    proxy = createServer((request, response) => {
      const { method, headers } = request;
      // Like reverse proxies that strip the path prefix.
      const path = request.url!.slice(below.length) || '/';
      const passed = ask(isolated.url + path, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      request.pipe(passed);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${below}`;
    isolated = await startPassports({ PASSPORTS_PUBLIC_URL: url });
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await isolated.stop();
  });

  async function uploadWithoutScript(test: Test, name: string): Promise<{ page: Page; id: string }> {
    const { page } = await openPage(test, `${url}/login`, { javaScriptEnabled: false });
    await page.locator('#api_key').fill(ADMIN_KEY);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/`);
    const { buffer, ...file } = await pdf(name);
    // Unique bytes, because known files are served from the cache.
    const unread = Buffer.concat([buffer, Buffer.from(`%${name}`)]);
    await page.locator('#pdfs').setInputFiles({ ...file, buffer: unread });
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.waitForURL(`${url}/`);
    return { page, id: (await page.locator('#documents li').getAttribute('data-id'))! };
  }

  it('redirect forms within the prefix without JavaScript', { tags: ['full'] }, async (test) => {
    const { page, id } = await uploadWithoutScript(test, 'a.pdf');
    await isolated.succeed(id);
    await page.reload();
    await page.locator('#documents .name').click();
    await page.waitForURL(`${url}/task/${id}`);
    await field(page, 'general:floors').fill('3');
    await page.getByRole('button', { name: 'Save', exact: true }).last().click();
    await page.waitForURL(`${url}/task/${id}`);
    await until(() => value(page, 'general:floors')).toBe('3');
    await field(page, 'general:floors').fill('many');
    await page.getByRole('button', { name: 'Save', exact: true }).last().click();
    await until(() => page.locator('main').textContent()).toContain('Storeys: Enter a whole number.');
    await page.getByRole('link', { name: 'Back' }).click();
    await page.waitForURL(`${url}/`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${url}/login`);
    expect(await page.context().cookies()).toEqual([]);
  });

  it('save a table with more cells than one form may have without JavaScript', { tags: ['full'] }, async (test) => {
    const { page, id } = await uploadWithoutScript(test, 'long.pdf');
    const cell = (value: string | number) => ({
      ...{ value, confidence: 0.9, source: 'text' as const, page: 1, bbox: null, text: String(value) },
    });
    const rows = Array.from({ length: 120 }, (_, i) => i + 1);
    const cells = rows.flatMap((row) => [
      [`rooms:${row}.no`, cell(row)],
      [`rooms:${row}.name`, cell(`комната ${row}`)],
    ]);
    await isolated.succeed(id, { fields: Object.fromEntries(cells) });
    await page.goto(`${url}/task/${id}`);
    await field(page, 'rooms:117.area').fill('7,25');
    await page.getByRole('button', { name: 'Save rows 81–121' }).click();
    await page.waitForURL(`${url}/task/${id}`);
    await until(() => value(page, 'rooms:117.area')).toBe('7.25');
    await field(page, 'general:floors').fill('3');
    await page.getByRole('button', { name: 'Save', exact: true }).last().click();
    await until(() => value(page, 'general:floors')).toBe('3');
    await until(() => value(page, 'rooms:117.area')).toBe('7.25');
  });

  it('reject a form without JavaScript of a document that has changed meanwhile', { tags: ['full'] }, async (test) => {
    const { page, id } = await uploadWithoutScript(test, 'stale.pdf');
    await isolated.succeed(id);
    const other = await page.context().newPage();
    for (const each of [page, other]) await each.goto(`${url}/task/${id}`);
    const save = (each: Page) => each.getByRole('button', { name: 'Save', exact: true }).last().click();
    for (const key of ['rooms:1.name', 'rooms:1.area']) await field(other, key).fill('');
    await save(other);
    await until(() => value(other, 'rooms:1.name')).toBe('жилая');
    await field(page, 'rooms:1.height').fill('2,7');
    await save(page);
    await until(() => page.locator('main').textContent()).toContain('has changed since');
    await page.goto(`${url}/task/${id}`);
    expect([await value(page, 'rooms:1.name'), await value(page, 'rooms:1.height')]).toEqual(['жилая', '']);
    await field(page, 'rooms:1.height').fill('2,7');
    await save(page);
    await until(() => value(page, 'rooms:1.height')).toBe('2.7');
  });
});

describe('Passports pages for every document state', () => {
  let isolated: Passports;
  beforeAll(async () => {
    isolated = await startPassports();
  });
  afterAll(() => isolated.stop());

  async function signInToIsolated(test: Test, options?: Options): Promise<OpenedPage> {
    const it = await openPage(test, `${isolated.url}/login#key=${ADMIN_KEY}`, options);
    await it.page.locator('#login button').click();
    await it.page.waitForURL(`${isolated.url}/`);
    return it;
  }

  it('show rejected files also after the first upload, which creates a session', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openPage(test, isolated.url);
    const file = (name: string, text: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from(text) });
    await page.locator('#pdfs').setInputFiles([file('good.pdf', '%PDF-1.7\n1'), file('notes.pdf', 'notes')]);
    await until(() => page.locator('#documents li').count()).toBe(1);
    await until(() => page.locator('#error').textContent()).toContain('notes.pdf: The file is not');
    await page.reload();
    await until(() => page.locator('#connection-status').textContent()).not.toBe('');
    await until(() => page.locator('#error').isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  it('keep the project and the tags after the first upload, which creates a session', {
    tags: ['full'],
  }, async (test) => {
    const { page } = await openPage(test, isolated.url);
    await page.getByText('Project and tags').click();
    await page.getByLabel('Project', { exact: true }).fill('Shelf 4');
    await page.getByLabel('Tags, separated by commas').fill('old, north');
    await page
      .locator('#pdfs')
      .setInputFiles([{ name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('notes') }]);
    await until(() => page.locator('#error').textContent()).toContain('notes.pdf: The file is not');
    await until(() => page.locator('#project').inputValue()).toBe('Shelf 4');
    expect(await page.getByLabel('Tags, separated by commas').inputValue()).toBe('old, north');
  });

  it('do not upload more photos than a document can have', { tags: ['full'] }, async (test) => {
    const few = await startPassports({ PDF_MAX_IMAGES: '2' });
    onTestFinished(() => few.stop());
    const { page } = await openPage(test, few.url);
    const uploads: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && uploads.push(request.url()));
    const buffer = await sharp({ create: { width: 60, height: 80, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const photos = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `${i}.png`, mimeType: 'image/png', buffer }));
    await page.locator('#photos').setInputFiles(photos(3));
    await until(() => page.locator('#error').textContent()).toContain('at most 2 pages');
    expect(uploads).toEqual([]);
    await page.locator('#photos').setInputFiles(photos(1));
    await until(() => page.locator('#page-images li').count()).toBe(1);
    await page.locator('#photos').setInputFiles(photos(2));
    await until(() => page.locator('#error').textContent()).toContain('at most 2 pages');
    expect(uploads).toHaveLength(1);
  });

  it('filter the list by state and paginate it', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signInToIsolated(test);
    const files = Array.from({ length: 27 }, (_, i) => ({
      name: `${i}.pdf`,
      mimeType: 'application/pdf',
      buffer: Buffer.from(`%PDF-1.7\n${i} ${Math.random()}`),
    }));
    // The files exceed one request; the invalid one is reported.
    const notes = { name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('notes') };
    await page.locator('#pdfs').setInputFiles([...files, notes]);
    await until(() => page.locator('#upload-status').textContent()).toBe('Uploaded: 27');
    await until(() => page.locator('#error').textContent()).toContain('notes.pdf: The file is not');
    await until(() => page.locator('#documents li').count()).toBe(25);
    await until(() => page.locator('#paging').textContent()).toContain('1 of 2');
    await page.getByRole('link', { name: /Older/ }).waitFor();
    const { items } = await (await page.request.get(`${isolated.url}/api/tasks?limit=50`)).json();
    for (const { id, filename } of items) {
      if (filename === '7.pdf') await isolated.succeed(id);
      else await isolated.fail(id, 'PDF_CORRUPT');
    }
    await until(() => page.locator('#documents li[data-status=PERMANENT_ERROR]').count()).toBeGreaterThan(20);
    await page.getByRole('link', { name: 'Unreadable', exact: true }).click();
    await page.waitForURL('**/?status=PERMANENT_ERROR');
    await until(() => page.locator('#documents li').count()).toBe(25);
    await until(() => page.locator('#documents .failure').first().textContent()).toContain(
      'none of its pages can be opened',
    );
    await page.getByRole('link', { name: /Older/ }).click();
    await page.waitForURL('**/?status=PERMANENT_ERROR&page=2');
    await until(() => page.locator('#documents li').count()).toBe(1);
    await page.getByRole('link', { name: 'Completed', exact: true }).click();
    await page.waitForURL('**/?status=SUCCESS');
    await until(() => page.locator('#documents .name').allTextContents()).toEqual(['7.pdf']);
    expect(problems).toEqual([]);
  });

  it('show the last page after the documents of a later one are deleted', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signInToIsolated(test);
    const files = Array.from({ length: 26 }, (_, i) => ({
      name: `${i}.pdf`,
      mimeType: 'application/pdf',
      buffer: Buffer.from(`%PDF-1.7\n${i} ${Math.random()}`),
    }));
    await page.locator('#pdfs').setInputFiles(files);
    await until(() => page.locator('#upload-status').textContent()).toBe('Uploaded: 26');
    await page.getByRole('link', { name: /Older/ }).click();
    await page.waitForURL('**/?page=2');
    await until(() => page.locator('#documents li').count()).toBe(1);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.locator('#documents .remove').click();
    await until(() => page.locator('#documents li').count()).toBe(25);
    await until(() => page.locator('#no-documents').isVisible()).toBe(false);
    await until(() => page.locator('#paging').isVisible()).toBe(false);
    expect(page.url()).toBe(`${isolated.url}/`);
    await page.goto(`${isolated.url}/?page=9&status=SUCCESS`);
    expect(page.url()).toBe(`${isolated.url}/?status=SUCCESS`);
    expect(problems).toEqual([]);
  });

  it('keep photos that are added while a document is created', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signInToIsolated(test);
    const photo = async (name: string) => ({
      ...{ name, mimeType: 'image/png' },
      buffer: await sharp({ create: { width: 60, height: 80, channels: 3, background: '#fff' } })
        .png()
        .toBuffer(),
    });
    const captions = () => page.locator('#page-images .caption').allTextContents();
    await page.locator('#photos').setInputFiles([await photo('a.png'), await photo('b.png')]);
    await until(captions).toEqual(['Page 1: a.png', 'Page 2: b.png']);
    const [started, released] = [new EventEmitter(), new EventEmitter()];
    const [requested, gone] = [once(started, 'started'), once(released, 'go')];
    await page.route('**/api/v1/create-pdf', async (route) => {
      started.emit('started');
      await gone;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create document (2)' }).click();
    await requested;
    await page.locator('#photos').setInputFiles(await photo('c.png'));
    await page.locator('#photos').setInputFiles(await photo('d.png'));
    await until(() => page.locator('#create-document').isDisabled()).toBe(true);
    released.emit('go');
    const names = () =>
      page.locator('#page-images li').evaluateAll((all: any[]) => all.map((item) => item.dataset.name).sort());
    await until(names, 15_000).toEqual(['c.png', 'd.png']);
    await until(() => page.locator('#create-document').isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Create document (2)' }).click();
    await until(() => page.locator('#documents li').count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it('offer a retry for failed documents and show its result', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signInToIsolated(test);
    await page.locator('#pdfs').setInputFiles(await pdf('again.pdf'));
    await row(page, 'again.pdf').waitFor();
    const id = (await row(page, 'again.pdf').getAttribute('data-id'))!;
    await isolated.fail(id, 'STORAGE_ERROR');
    await until(() => row(page, 'again.pdf').locator('.failure').textContent()).toContain('could not be read');
    await row(page, 'again.pdf').getByRole('button', { name: 'Retry' }).click();
    await until(() => row(page, 'again.pdf').getAttribute('data-status')).toBe('PENDING');
    await until(() => row(page, 'again.pdf').locator('.failure').textContent()).toBe('');
    await page.goto(`${isolated.url}/task/${id}`);
    await until(() => page.locator('progress').isVisible()).toBe(true);
    await isolated.succeed(id);
    await until(() => page.locator('#fields').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it('open on the first field to check, go through the others, and confirm after the last', async (test) => {
    const { page, problems } = await signInToIsolated(test);
    const id = await uploadTo(page, 'doubtful.pdf');
    const read = (value: string | number, confidence: number, over: object = {}) => ({
      ...{ value, confidence, source: 'text' as const, page: 1, bbox: null, text: String(value), ...over },
    });
    await isolated.succeed(id, {
      fields: {
        'general:address': read('Южная, 7', 0.99),
        'general:owner': read('Лебедева', 0.6),
        'general:issuer': read('БТИ', 0.97, { disagrees: true }),
        'rooms:1.name': read('кухня', 0.5),
        'rooms:1.area': read(9.1, 0.99),
      },
    });
    await page.goto(`${isolated.url}/task/${id}`);
    const focused = () => page.evaluate<string>('document.activeElement.id');
    await until(focused).toBe('general:owner');
    await until(() => page.locator('[data-field="general:owner"] .mark').textContent()).toContain('Low confidence');
    await until(() => page.locator('#confirmation').textContent()).toContain('Fields to review: 3');
    await page.keyboard.press('Alt+ArrowDown');
    await until(focused).toBe('general:issuer');
    await until(() => page.locator('[data-field="general:issuer"] .mark').textContent()).toContain('Readings disagree');
    await page.keyboard.press('Alt+ArrowUp');
    await until(focused).toBe('general:owner');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Лебедева А. Б.');
    // Two fields were visited: goes to the third.
    await page.keyboard.press('Control+Enter');
    await until(focused).toBe('rooms:1.name');
    await until(() => page.locator('.review-reasons').textContent()).toBe('Low confidence');
    await until(() => page.locator('#confirmation').textContent()).toContain('Fields to review: 2');
    const status = page.locator('#save-status');
    await until(() => status.textContent()).toBe('Not confirmed: Check the remaining fields first. Remaining: 1');
    await page.keyboard.press('Control+Enter');
    await until(() => page.locator('#confirmation').textContent()).toContain('Confirmed by admin');
    // The focus is in the table at the end of the page.
    await until(() => status.textContent()).toBe('Document confirmed');
    expect((await status.boundingBox())!.y).toBeGreaterThanOrEqual(0);
    await until(() => page.locator('[data-review]').count()).toBe(0);
    const result = await (await page.request.get(`${isolated.url}/api/task/${id}/result`)).json();
    expect(result).toMatchObject({ review: [], confirmed_by: 'admin', data: { general: { owner: 'Лебедева А. Б.' } } });
    expect(problems).toEqual([]);
  });

  it('count the first field, which has the focus at once, as visited', async (test) => {
    const { page, problems } = await signInToIsolated(test);
    const id = await uploadTo(page, 'doubtful-once.pdf');
    const read = { value: 'Лебедева', confidence: 0.6, source: 'text' as const, page: 1, bbox: null, text: 'Лебедева' };
    await isolated.succeed(id, { fields: { 'general:owner': read } });
    await page.goto(`${isolated.url}/task/${id}`);
    await until(() => page.evaluate('document.activeElement.id')).toBe('general:owner');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await until(() => page.locator('#confirmation').textContent()).toContain('Confirmed by admin');
    expect(problems).toEqual([]);
  });

  it('confirm a document without fields to check with one key, and show when in the time zone of the browser', {
    tags: ['full'],
  }, async (test) => {
    const timezoneId = 'Asia/Tokyo';
    const { page, problems } = await signInToIsolated(test, { timezoneId });
    const id = await uploadTo(page, 'certain.pdf');
    const owner = { value: 'Лебедева', confidence: 1, source: 'text' as const, page: 1, bbox: null, text: 'Лебедева' };
    await isolated.succeed(id, { fields: { 'general:owner': owner } });
    await page.goto(`${isolated.url}/task/${id}`);
    await until(() => page.locator('#confirmation').textContent()).toContain('Press Enter to confirm');
    await page.keyboard.press('Enter');
    await until(() => page.locator('#confirmation').textContent()).toContain('Confirmed by admin, ');
    const time = page.locator('#confirmation time');
    const local = createDateFormat('en', timezoneId).format(new Date((await time.getAttribute('datetime'))!));
    await until(() => time.textContent()).toBe(local);
    await page.reload();
    await until(() => page.locator('#confirmation').textContent()).toBe(`Confirmed by admin, ${local}`);
    expect(problems).toEqual([]);
  });

  it('show the whole quality table, or scroll it within its box on a phone, and do not break words in its header', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems } = await signInToIsolated(test, { locale: 'ru-RU', viewport: { width: 390, height: 800 } });
    for (const width of [390, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${isolated.url}/quality`);
      const heads = await page.locator('.quality thead th').evaluateAll((all) =>
        all.map((one: any) => {
          const range = one.ownerDocument.createRange();
          range.selectNodeContents(one);
          return [range.getClientRects().length, one.textContent.split(/[ –]/).length] as const;
        }),
      );
      expect(heads.filter(([lines, words]) => lines > words)).toEqual([]);
      const box = page.locator('main .scroll');
      await until(() => box.evaluate((it: any) => it.scrollWidth > it.clientWidth)).toBe(width === 390);
      await until(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    expect(problems).toEqual([]);
  });

  it('update the warnings after edits', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signInToIsolated(test);
    const id = await uploadTo(page, 'sum.pdf');
    // The areas of its rooms add up to 27.5 m².
    const warning = { code: 'SUM_MISMATCH', message: '', fields: ['rooms:1.area', 'rooms:2.area', 'areas:total_area'] };
    await isolated.succeed(id, { warnings: [warning] });
    await page.goto(`${isolated.url}/task/${id}`);
    const warned = () => page.locator('.warning').allTextContents();
    await until(warned).toEqual(['Inconsistent values: Rooms: Area, m² · Total area.']);
    await field(page, 'areas:total_area').fill('27,5');
    await page.keyboard.press('Enter');
    await until(warned).toEqual([]);
    await field(page, 'rooms:2.area').fill('20');
    await page.keyboard.press('Enter');
    await until(warned).toEqual(['Inconsistent values: Rooms: Area, m² · Total area.']);
    expect(problems).toEqual([]);
  });

  /** Opens a new document with `fields` beside those of every test document. */
  async function openDocument(test: Test, name: string, fields: Record<string, string | number> = {}) {
    const { page, problems } = await signInToIsolated(test);
    const id = await uploadTo(page, name);
    const read = (value: string | number) => ({
      ...{ value, confidence: 0.99, source: 'text' as const, page: 1, bbox: null, text: String(value) },
    });
    const added = Object.entries(fields).map(([key, value]) => [key, read(value)]);
    await isolated.succeed(id, { fields: { ...createExtraction().fields, ...Object.fromEntries(added) } });
    await page.goto(`${isolated.url}/task/${id}`);
    const data = async () => (await (await page.request.get(`${isolated.url}/api/task/${id}/result`)).json()).data;
    return { page, problems, id, data };
  }

  it('keep edits when the session has ended, and save them after the next sign-in', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems, id, data } = await openDocument(test, 'session.pdf');
    await page.context().clearCookies();
    page.once('dialog', (dialog) => dialog.accept());
    await page.locator('#confirm').click();
    await until(() => page.locator('#save-status a').textContent()).toBe('Sign in again');
    await field(page, 'general:floors').fill('10');
    await page.keyboard.press('Enter');
    await page.keyboard.type('5');
    const problem = page.locator('[data-field="general:floors"] .problem');
    await until(() => problem.textContent()).toContain('Your session has ended.');
    expect(page.url()).toBe(`${isolated.url}/task/${id}`);
    expect([await value(page, 'general:floors'), await value(page, 'general:floor')]).toEqual(['10', '5']);

    const opened = page.waitForEvent('popup');
    await problem.getByRole('link').click();
    const tab = await opened;
    await tab.locator('#api_key').fill(ADMIN_KEY);
    await tab.keyboard.press('Enter');
    await tab.waitForURL(`${isolated.url}/`);
    for (const key of ['general:floors', 'general:floor']) {
      await field(page, key).focus();
      await page.keyboard.press('Enter');
    }
    await until(async () => (await data()).general).toMatchObject({ floors: 10, floor: 5 });
    await until(() => problem.textContent()).toBe('');
    expect(new Set(problems)).toEqual(new Set([expect.stringContaining('401')]));
  });

  it('ask before they confirm a document with a click while fields to check were not visited', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems } = await openDocument(test, 'unchecked.pdf');
    const questions: string[] = [];
    const click = async (answer: 'accept' | 'dismiss') => {
      page.once('dialog', async (dialog) => {
        questions.push(dialog.message());
        await dialog[answer]();
      });
      await page.locator('#confirm').click();
    };
    const status = page.locator('#save-status');
    // Also the one that has the focus at once.
    const all = await page.locator('[data-review]').count();
    await click('dismiss');
    await until(() => status.textContent()).toContain(`Remaining: ${all}`);
    await page.locator('[data-review]').first().press('Control+Enter');
    await until(() => status.textContent()).toContain(`Remaining: ${all - 1}`);
    // The next one, to which Ctrl+Enter has moved.
    await click('dismiss');
    await until(() => status.textContent()).toContain(`Remaining: ${all - 2}`);
    await click('accept');
    await until(() => page.locator('#confirmation').textContent()).toContain('Confirmed by admin');
    expect(questions).toEqual(
      [all, all - 2, all - 2].map((count) => `Fields not checked yet: ${count}. Confirm all values anyway?`),
    );
    expect(problems).toEqual([]);
  });

  it('keep a table row that could not be deleted', { tags: ['full'] }, async (test) => {
    const { page, data } = await openDocument(test, 'offline.pdf');
    const remove = page.getByRole('button', { name: 'Remove row 1', exact: true });
    await page.context().setOffline(true);
    await remove.click();
    await until(() => page.locator('#save-status').textContent()).toContain('Not saved');
    await until(() => value(page, 'rooms:1.name')).toBe('кухня');
    await until(() => value(page, 'rooms:1.area')).toBe('9.1');
    await until(() => page.locator('[aria-invalid], tr.undo').count()).toBe(0);
    await field(page, 'rooms:1.name').fill('балкон');
    await page.keyboard.press('Enter');
    await until(() => page.locator('[aria-invalid]').count()).toBe(1);
    await remove.click();
    await until(() => value(page, 'rooms:1.area')).toBe('9.1');
    await until(() => value(page, 'rooms:1.name')).toBe('балкон');
    await until(() => page.locator('[aria-invalid]').count()).toBe(1);
    await page.context().setOffline(false);
    await remove.click();
    await until(async () => (await data()).rooms.map(({ name }: { name: string }) => name)).toEqual(['жилая']);
    await until(() => value(page, 'rooms:1.name')).toBe('жилая');
  });

  /** Whether the browser would ask before it leaves the page. */
  const asksBeforeLeaving = (page: Page) =>
    page.evaluate(`(() => {
      const event = new Event('beforeunload', { cancelable: true });
      dispatchEvent(event);
      return event.defaultPrevented;
    })()`);

  it('ask before they are left while a value is typed or saved', { tags: ['full'] }, async (test) => {
    const { page, problems, data } = await openDocument(test, 'leaving.pdf');
    expect(await asksBeforeLeaving(page)).toBe(false);
    await field(page, 'general:floors').focus();
    await page.keyboard.type('10');
    expect(await asksBeforeLeaving(page)).toBe(true);

    const saving = new EventEmitter();
    await page.route('**/update', (route) => void once(saving, 'go').then(() => route.continue()), { times: 1 });
    const requested = page.waitForRequest('**/update');
    await page.keyboard.press('Enter');
    await requested;
    expect(await asksBeforeLeaving(page)).toBe(true);
    saving.emit('go');
    await until(() => asksBeforeLeaving(page)).toBe(false);
    expect((await data()).general.floors).toBe(10);
    expect(problems).toEqual([]);
  });

  it('finish the save of a page that was left, if the value is within the limit of browsers', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems, data } = await openDocument(test, 'keepalive.pdf');
    await page.evaluate(`{
      globalThis.kept = [];
      const send = fetch;
      globalThis.fetch = (path, init) => {
        if (path.endsWith('/update')) kept.push(init.keepalive);
        return send(path, init);
      };
    }`);
    // 9 bytes a character in a form.
    for (const text of ['short', '字'.repeat(10_000)]) {
      await field(page, 'general:owner').fill(text);
      await page.keyboard.press('Enter');
      await until(async () => (await data()).general.owner).toBe(text);
    }
    expect(await page.evaluate('kept')).toEqual([true, false]);
    expect(problems).toEqual([]);
  });

  it('keep all edits when another user has moved the rows, and save those whose values the user did not change', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems, data } = await openDocument(test, 'moved.pdf', { 'general:floor': 2 });
    const other = await page.context().newPage();
    await other.goto(page.url());
    await field(other, 'general:floor').fill('3');
    await other.keyboard.press('Enter');
    await other.getByRole('button', { name: 'Remove row 1' }).click();
    await until(async () => (await data()).rooms.length).toBe(1);
    await until(async () => (await data()).general.floor).toBe(3);

    const refresh = await delayNextUpdate(page);
    await field(page, 'general:floors').fill('10');
    await page.keyboard.press('Enter');
    await refresh.requested;
    await field(page, 'general:floor').fill('4');
    await field(page, 'rooms:1.name').fill('прихожая');
    await field(page, 'rooms:2.area').fill('20,5');
    await field(page, 'rooms:3.name').fill('балкон');
    await page.keyboard.press('Enter');
    await field(page, 'rooms:4.name').fill('лоджия');
    await field(page, 'general:owner').focus();
    await page.keyboard.type('Лебед');
    await page.evaluate('globalThis.isBeforeReload = true');
    refresh.release();

    // Keys during the reload itself are lost.
    await until(() => page.evaluate('!globalThis.isBeforeReload && document.activeElement.id')).toBe('general:owner');
    await page.keyboard.type('ева');
    await until(() => page.locator('[data-field="general:floor"] .problem').textContent()).toBe(
      'Another user has saved “3”. Press Enter to replace it with your value.',
    );
    await until(() => value(page, 'general:floor')).toBe('4');
    await until(() => page.locator('#error').textContent()).toBe(
      'Another user has changed or removed the table rows of these values. They are not saved: “прихожая”.',
    );
    await until(async () => (await data()).rooms).toMatchObject([
      { name: 'жилая', area: 20.5 },
      { name: 'балкон' },
      { name: 'лоджия' },
    ]);
    expect((await data()).general).toMatchObject({ floors: 10, floor: 3, owner: null });
    // The conflict lasts: the rows change again before it is decided.
    await other.reload();
    await other.getByRole('button', { name: 'Remove row 1' }).click();
    await until(async () => (await data()).rooms.length).toBe(2);
    await page.keyboard.press('Enter');
    await until(async () => (await data()).general.owner).toBe('Лебедева');
    await until(() => page.locator('[data-field="general:floor"] .problem').textContent()).toContain('“3”');
    await until(() => value(page, 'general:floor')).toBe('4');
    expect((await data()).general.floor).toBe(3);
    await field(page, 'general:floor').focus();
    await page.keyboard.press('Enter');
    await until(async () => (await data()).general.floor).toBe(4);
    expect(problems).toEqual([expect.stringContaining('412'), expect.stringContaining('412')]);
  });

  it('do not save a value in another row when another user has removed one row and added another', {
    tags: ['full'],
  }, async (test) => {
    const { page, data } = await openDocument(test, 'replaced.pdf');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Remove row 1' }).click();
    await until(async () => (await data()).rooms.length).toBe(1);
    // Before the page shows the answer, its row 2 is the row that remains.
    await until(() => value(other, 'rooms:2.name')).toBe('');
    await field(other, 'rooms:2.name').fill('балкон');
    await other.keyboard.press('Enter');
    await until(async () => (await data()).rooms.length).toBe(2);
    await field(page, 'rooms:2.height').fill('2,7');
    await page.keyboard.press('Enter');
    await until(async () => (await data()).rooms).toMatchObject([
      { name: 'жилая', height: 2.7 },
      { name: 'балкон', height: null },
    ]);
    await until(() => value(page, 'rooms:1.height')).toBe('2.7');
  });

  it('save a value in a row of its own if the service has removed its row meanwhile', {
    tags: ['full'],
  }, async (test) => {
    const { page, data } = await openDocument(test, 'emptied.pdf');
    await page.route('**/update', async (route) => {
      await delay(500);
      await route.continue();
    });
    for (const key of ['rooms:1.name', 'rooms:1.area']) {
      await field(page, key).fill('');
      await page.keyboard.press('Enter');
    }
    await field(page, 'rooms:1.height').fill('2,7');
    await page.keyboard.press('Enter');
    await until(async () => (await data()).rooms).toMatchObject([
      { name: 'жилая', height: null },
      { name: null, height: 2.7 },
    ]);
  });

  it('save a value in a new row after the one above it was cleared again', { tags: ['full'] }, async (test) => {
    const { page, data } = await openDocument(test, 'cleared-row.pdf');
    await field(page, 'rooms:3.area').fill('abc');
    await page.keyboard.press('Enter');
    await until(() => page.locator('[data-table="rooms"] .problem').textContent()).toBe('Enter a number.');
    await field(page, 'rooms:3.area').press('Escape');
    await field(page, 'rooms:4.name').fill('балкон');
    await page.keyboard.press('Enter');
    await until(async () => (await data()).rooms.map(({ name }: { name: string }) => name)).toEqual([
      ...['кухня', 'жилая', 'балкон'],
    ]);
    await until(() => value(page, 'rooms:3.name')).toBe('балкон');
  });

  /** The values of each update request. */
  function recordUpdates(page: Page): Record<string, string>[] {
    const updates: Record<string, string>[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/update')) updates.push(Object.fromEntries(new URLSearchParams(request.postData()!)));
    });
    return updates;
  }

  it('save a date once, when its field is left', { tags: ['full'] }, async (test) => {
    const { page, problems, data } = await openDocument(test, 'date.pdf', { 'general:issue_date': '2001-02-03' });
    const updates = recordUpdates(page);
    await field(page, 'general:issue_date').focus();
    await page.keyboard.type('11111979');
    await until(() => value(page, 'general:issue_date')).toBe('1979-11-11');
    await page.waitForTimeout(300);
    expect(updates).toEqual([]);
    await field(page, 'general:owner').focus();
    await until(async () => (await data()).general.issue_date).toBe('1979-11-11');
    await field(page, 'general:issue_date').focus();
    await page.keyboard.type('12121980');
    await page.keyboard.press('Enter');
    await until(() => page.locator('#history summary').textContent()).toBe('History (2)');
    expect(updates).toEqual([{ 'general:issue_date': '1979-11-11' }, { 'general:issue_date': '1980-12-12' }]);
    expect(problems).toEqual([]);
  });

  it('forget the problem of an incomplete date that is cleared again', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openDocument(test, 'cleared.pdf');
    const problem = page.locator('[data-field="general:issue_date"] .problem');
    await field(page, 'general:issue_date').focus();
    await page.keyboard.type('12');
    await field(page, 'general:owner').focus();
    await until(() => problem.textContent()).toBe('Enter a date.');
    await field(page, 'general:issue_date').focus();
    await page.keyboard.press('Backspace');
    await field(page, 'general:owner').focus();
    await until(() => problem.textContent()).toBe('');
    await until(() => page.locator('[aria-invalid]').count()).toBe(0);
    // A rejected value that is typed back to the saved one.
    const saved = await value(page, 'general:floors');
    const rejected = page.locator('[data-field="general:floors"] .problem');
    await field(page, 'general:floors').fill('x');
    await page.keyboard.press('Enter');
    await until(() => rejected.textContent()).toBe('Enter a whole number.');
    await field(page, 'general:floors').fill(saved);
    await field(page, 'general:owner').focus();
    await until(() => rejected.textContent()).toBe('');
    expect(problems).toEqual([expect.stringContaining('422')]);
  });

  it('show the history of a save that a second one without changes followed', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openDocument(test, 'followed.pdf');
    const saving = new EventEmitter();
    await page.route('**/update', (route) => void once(saving, 'go').then(() => route.continue()), { times: 1 });
    const requested = page.waitForRequest('**/update');
    await field(page, 'general:floors').fill('10');
    await page.keyboard.press('Enter');
    await requested;
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Enter');
    saving.emit('go');
    await until(() => page.locator('#history summary').textContent()).toBe('History (1)');
    expect(problems).toEqual([]);
  });

  it('do not change values with line breaks or outer spaces that the keyboard passes through', {
    tags: ['full'],
  }, async (test) => {
    const fields = {
      'general:purpose': '\nжилое\nпомещение',
      'general:owner': ' Лебедева ',
      'rooms:1.name': 'жилая\nкомната',
    };
    const { page, problems, data } = await openDocument(test, 'lines.pdf', fields);
    const updates = recordUpdates(page);
    await until(() => value(page, 'general:purpose')).toBe('\nжилое\nпомещение');
    for (const key of Object.keys(fields)) {
      await field(page, key).focus();
      await page.keyboard.press('Enter');
    }
    expect(await asksBeforeLeaving(page)).toBe(false);
    await field(page, 'general:floors').fill('10');
    await page.keyboard.press('Enter');
    await until(async () => (await data()).general.floors).toBe(10);
    expect(updates).toEqual([{ 'general:floors': '10' }]);
    expect(await data()).toMatchObject({
      general: { purpose: '\nжилое\nпомещение', owner: ' Лебедева ' },
      rooms: [{ name: 'жилая\nкомната' }, {}],
    });
    expect(problems).toEqual([]);
  });

  it('show that a value is not saved when the page cannot be loaded after a conflict', {
    tags: ['full'],
  }, async (test) => {
    const { page, data } = await openDocument(test, 'offline.pdf');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await field(other, 'general:floor').fill('3');
    await other.keyboard.press('Enter');
    await until(async () => (await data()).general.floor).toBe(3);
    await page.route(page.url(), (route) => route.abort(), { times: 1 });
    await field(page, 'general:floors').fill('10');
    await page.keyboard.press('Enter');
    const problem = page.locator('[data-field="general:floors"] .problem');
    await until(() => problem.textContent()).toBe('The server does not answer.');
    await field(page, 'general:floors').focus();
    await page.keyboard.press('Enter');
    await until(async () => (await data()).general.floors).toBe(10);
    await until(() => problem.textContent()).toBe('');
  });

  it('stop polling a document in progress when the session has ended', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signInToIsolated(test);
    const id = await uploadTo(page, 'ended.pdf');
    await page.goto(`${isolated.url}/task/${id}`);
    await page.context().clearCookies();
    await until(() => page.locator('#error').textContent()).toContain('Your session has ended.');
    await until(() => page.locator('#error a').getAttribute('target')).toBe('_blank');
    const failed = () => problems.filter((problem) => problem.includes('401')).length;
    const before = failed();
    // Longer than two polls.
    await page.waitForTimeout(2500);
    expect(failed()).toBe(before);
  });
});

/** Uploads a new document with its own content, so that it is not answered from the cache. */
async function uploadTo(page: Page, name: string): Promise<string> {
  const { buffer, ...file } = await pdf(name);
  await page.locator('#pdfs').setInputFiles({ ...file, buffer: Buffer.concat([buffer, Buffer.from(`%${name}`)]) });
  await row(page, name).waitFor();
  return (await row(page, name).getAttribute('data-id'))!;
}

async function photosOf(path: string): Promise<Buffer[]> {
  const document = await openPdf(path, { maxPages: 10, signal });
  const photos: Buffer[] = [];
  for (let page = 1; page <= document.pages; page++) {
    const { data, width, height, channels } = await document.render(page, { dpi: 170, maxPixels: 4e6 }, signal);
    photos.push(await sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 90 }).toBuffer());
  }
  await document.close();
  return photos;
}

async function wordsOf(bytes: Buffer): Promise<string[]> {
  const path = join(scratch, 'report.pdf');
  await writeFile(path, bytes);
  const document = await openPdf(path, { maxPages: 50, signal });
  const words: string[] = [];
  for (let page = 1; page <= document.pages; page++) {
    words.push(...(await document.text(page, signal)).words.map(({ text }) => text));
  }
  await document.close();
  return words;
}

const room = (no: number, name: string, living_area: number | null, auxiliary_area: number | null) => ({
  ...{ no: String(no), name, area: living_area ?? auxiliary_area, living_area, auxiliary_area, height: 2.64 },
});
const EXPECTED_VALUES = {
  general: {
    address: 'Пермский край, г. Кедровск, ул. Садовая, д. 14, кв. 37',
    cadastral_number: '59:99:0410023:1847',
    inventory_number: '57-3081',
    purpose: 'жилое',
    year_built: 1978,
    floors: 9,
    floor: 5,
    inventory_value: 412_630.5,
    issue_date: '2011-05-18',
    issuer: 'МУП «Кедровское БТИ»',
    owner: OWNER,
    head: 'Гордеев А. Б.',
    technician: 'Цветкова В. Г.',
  },
  areas: { total_area: 54.7, living_area: 31.8, auxiliary_area: 22.9, ceiling_height: 2.64 },
  construction: {
    foundation: 'железобетонный ленточный',
    wall_material: 'кирпичные',
    partitions: 'гипсолитовые',
    floors_material: 'железобетонные плиты',
    roof: 'рулонная по железобетонным плитам',
    wear_percent: 24,
  },
  rooms: [
    room(1, 'прихожая', null, 8.4),
    room(2, 'кухня', null, 9.1),
    room(3, 'жилая комната', 18.6, null),
    room(4, 'жилая комната', 13.2, null),
    room(5, 'ванная', null, 3.2),
    room(6, 'санузел', null, 1.3),
    room(7, 'кладовая', null, 0.9),
  ],
  notes: { text: 'Самовольной перепланировки не обнаружено' },
};
const DISPLAYED_VALUES = {
  'general:address': 'Пермский край, г. Кедровск, ул. Садовая, д. 14, кв. 37',
  'general:issue_date': '2011-05-18',
  'general:inventory_value': '412630,5',
  'areas:total_area': '54,7',
  'rooms:3.living_area': '18,6',
};
