import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEntry } from '../../src/services/catalog/records/entry.ts';
import { writeRecords } from '../../src/services/catalog/records/write.ts';
import { createDateFormat } from '../../src/ui/browser/date-format.ts';
import {
  DOCUMENT,
  DOCUMENT_ID,
  FAILED_ID,
  HOSTILE_ID,
  HOSTILE_TITLE,
  PHOTO_ID,
  SPEECH_ID,
  seedAudio,
  seedRecords,
} from '../support/browser/catalog-records.ts';
import { type OpenedPage, openPage } from '../support/browser/open-page.ts';
import { findViolations } from '../support/browser/page-checks.ts';
import { type Catalog, MODERATOR, OTHER_MODERATOR, READER, startCatalog } from '../support/catalog.ts';

vi.setConfig({ testTimeout: 120_000 });

type Test = Parameters<typeof openPage>[0];
type Options = Parameters<typeof openPage>[2];

let catalog: Catalog;
beforeAll(async () => {
  catalog = await startCatalog();
  await seedRecords(catalog);
}, 60_000);
afterAll(() => catalog.stop());

const NUMBERS = ['area', 'floors', 'height', 'length', 'rooms', 'width'];
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 15_000, interval: 50 });
const address = (recordId: string) => `${catalog.url}/row/${encodeURIComponent(recordId)}`;
const card = (page: Page, recordId: string) => page.locator(`[data-record="${recordId.replaceAll('"', '\\"')}"]`);
const shownRecords = (page: Page) =>
  page.locator('#hits [data-record]').evaluateAll((all) => all.map((one: any) => one.dataset.record));
async function takeScreenshot(page: Page, name: string): Promise<void> {
  const shots = process.env['ASSAY_SCREENSHOTS'];
  if (shots !== undefined) await page.screenshot({ path: `${shots}/catalog-${name}.png`, fullPage: true });
}
const focused = (page: Page) => page.evaluate<string>('document.activeElement.id');
const press = (page: Page, ...keys: string[]) =>
  keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;
const sessions = new Map<string, Session>();

/** Opens the search page as this user. Reuses the session cookie because sign-ins are rate-limited. */
async function signIn(test: Test, token: string, options?: Options): Promise<OpenedPage> {
  const session = sessions.get(token);
  if (session !== undefined) return openPage(test, `${catalog.url}/`, { ...options, storageState: session });
  const it = await openPage(test, `${catalog.url}/login`, options);
  await it.page.locator('#token').fill(token);
  await it.page.locator('#login button').click();
  await it.page.waitForURL(`${catalog.url}/`);
  const { cookies, origins } = await it.page.context().storageState();
  sessions.set(token, { cookies: cookies.filter(({ name }) => name === 'assay_catalog'), origins });
  return it;
}

/** Creates a report as the reader; returns its id. */
async function createReport(recordId: string, action: string, description?: string): Promise<string> {
  const json = { record_id: recordId, action_type: action, ...(description !== undefined && { description }) };
  const { body } = await catalog.reader.post('/reports', { json });
  return body.id;
}
const decideReport = (id: string, json: object) =>
  catalog.moderator.request(`/reports/${id}`, { method: 'PATCH', json });
const stateOf = async (id: string) => (await catalog.moderator.get(`/reports/${id}`)).body.status;

describe('Catalog pages', () => {
  it('sign a reader in, return to the requested page, and sign out', { tags: ['full'] }, async (test) => {
    const { page, problems } = await openPage(test, `${catalog.url}/row/bridge-7`);
    expect(problems.splice(0)).toEqual([expect.stringContaining('401')]);
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    await page.locator('#token').fill('not-a-token');
    await page.keyboard.press('Enter');
    await until(() => page.locator('[role=alert]').textContent()).not.toBe('');
    expect(problems.splice(0)).toEqual([expect.stringContaining('401')]);
    await page.locator('#token').fill(READER);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${catalog.url}/row/bridge-7`);
    expect(await page.locator('h1').textContent()).toBe('Мост № 7, опора 3');
    expect(await page.getByRole('link', { name: 'Reports', exact: true }).count()).toBe(0);
    await page.goto(`${catalog.url}/admin/reports`);
    expect(await page.locator('main').textContent()).toContain('This requires a moderator token');
    expect(problems.splice(0)).toEqual([expect.stringContaining('403')]);
    await page.goto(catalog.url);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${catalog.url}/login`);
    await page.goto(catalog.url);
    await page.waitForURL(`${catalog.url}/login`);
    // The link of the start-up banner fills in the token without submitting it.
    await page.goto(`${catalog.url}/login#token=${MODERATOR}`);
    await until(() => page.locator('#token').inputValue()).toBe(MODERATOR);
    await page.waitForTimeout(500);
    expect([page.url(), await page.context().cookies()]).toEqual([`${catalog.url}/login`, []]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${catalog.url}/`);
    expect(problems).toEqual([]);
  });

  it('find a record by a misspelt Russian word, hide it after an accepted report, and show it again when the report is reopened', async (test) => {
    const reader = await signIn(test, READER, { locale: 'ru-RU' });
    const { page } = reader;
    await page.evaluate('globalThis.here = true');
    await page.locator('#q').focus();
    await page.keyboard.type('штукотурка');
    await until(() => shownRecords(page)).toEqual(['bridge-7']);
    await until(() => page.locator('#live').textContent()).toBe('1 запись');
    expect(await page.evaluate('globalThis.here')).toBe(true);
    expect(new URL(page.url()).searchParams.get('q')).toBe('штукотурка');

    await card(page, 'bridge-7').locator('a.name').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/row/bridge-7');
    await page.locator('[name=action_type]').focus();
    await page.locator('[name=action_type]').selectOption('hide');
    await press(page, 'Tab');
    await page.keyboard.type('Мост давно разобран.');
    await press(page, 'Tab', 'Tab', 'Enter');
    await page.waitForURL('**/row/bridge-7?reported=*');
    expect(await page.locator('#report-confirmation').textContent()).toContain('Жалоба отправлена');
    const receipt = await page.locator('#receipt-link').getAttribute('href');

    const { page: desk, problems } = await signIn(test, MODERATOR, { locale: 'ru-RU' });
    await desk.goto(`${catalog.url}/admin/reports`);
    await press(desk, 'j');
    const item = desk.locator('.report-item', { hasText: 'Мост № 7' });
    expect(await focused(desk)).toBe(await item.getAttribute('id'));
    await press(desk, 'a');
    await until(() => item.getAttribute('data-status')).toBe('accepted');
    expect(await item.locator('.outcome-line').textContent()).toBe('Статус: Принята.');
    expect(await desk.locator('[data-tab=open] .count').textContent()).toBe('0');
    expect(await desk.locator('[data-tab=accepted] .count').textContent()).toBe('1');

    await page.goto(`${catalog.url}/?q=${encodeURIComponent('штукотурка')}`);
    expect(await shownRecords(page)).toEqual([]);
    await page.goto(address('bridge-7'));
    expect(await page.locator('main').textContent()).toContain('Запись не найдена');
    await page.goto(new URL(receipt!, address('bridge-7')).href);
    expect(await page.locator('.receipt .state').textContent()).toBe('Принята');

    // Reopening requires a note, which gets the focus.
    await press(desk, 'o');
    expect(await item.locator('.outcome-line').textContent()).toContain('Укажите в примечании');
    await desk.keyboard.type('Мост стоит, проверено.');
    await press(desk, 'Control+Enter');
    await until(() => item.getAttribute('data-status')).toBe('open');
    expect(await focused(desk)).toBe(await item.getAttribute('id'));
    await page.goto(`${catalog.url}/?q=${encodeURIComponent('штукотурка')}`);
    expect(await shownRecords(page)).toEqual(['bridge-7']);

    await press(desk, 't');
    await desk.waitForURL('**/admin/reports/rep_*');
    const rows = await desk.locator('.audit-trail tbody tr').allTextContents();
    expect(rows).toHaveLength(3);
    expect(rows[1]).toContain('открыта → принята');
    expect(rows[2]).toContain('Мост стоит, проверено.');
    await decideReport((await item.getAttribute('id'))!, { status: 'rejected' });
    expect(problems).toEqual([]);
    expect(reader.problems).toEqual([expect.stringContaining('404')]);
  });

  it('support search, reports and moderation without JavaScript', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test, MODERATOR, { javaScriptEnabled: false });
    await page.locator('#q').fill('штукотурка');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    expect(await shownRecords(page)).toEqual(['bridge-7']);
    await page.locator('a.name').click();
    await page.locator('[name=action_type]').selectOption('delete');
    await page.locator('[name=description]').fill('No longer there.');
    await page.getByRole('button', { name: 'Send report' }).click();
    expect(await page.locator('#report-confirmation').textContent()).toContain('Your report has been received');
    await page.getByRole('link', { name: 'Reports', exact: true }).click();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.waitForURL('**/admin/reports');
    expect(await page.locator('main').textContent()).toContain('There are no open reports');
    await page.goto(`${catalog.url}/?q=${encodeURIComponent('штукотурка')}`);
    expect(await shownRecords(page)).toEqual([]);
    // The filter for hidden records excludes all others.
    await page.getByLabel('Hidden records only').check();
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await shownRecords(page)).toEqual(['bridge-7']);

    await page.getByRole('link', { name: 'Reports', exact: true }).click();
    await page.locator('[data-tab=accepted]').click();
    await page.getByRole('button', { name: 'Reopen' }).click();
    expect(await page.locator('[role=alert]').textContent()).toContain('Add a note');
    await page.locator('textarea').fill('It is there.');
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.waitForURL('**/admin/reports');
    await page.goto(`${catalog.url}/?q=${encodeURIComponent('штукотурка')}`);
    expect(await shownRecords(page)).toEqual(['bridge-7']);
    await page.goto(`${catalog.url}/admin/reports`);
    await page.getByRole('button', { name: 'Reject' }).click();

    await page.goto(`${catalog.url}/?view=table`);
    await page.locator('#facet-defect-crack').check();
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await shownRecords(page)).toEqual([PHOTO_ID]);
    await page.locator('#chip-defect-0').click();
    expect(await shownRecords(page)).toHaveLength(6);
    expect(await page.locator('table.hits').count()).toBe(1);
    expect(problems.filter((line) => !line.includes('422'))).toEqual([]);
  });

  it('show a second moderator the decision that was made meanwhile', { tags: ['full'] }, async (test) => {
    const id = await createReport(PHOTO_ID, 'reclassify', 'This is no crack but a joint.');
    const { page, problems } = await signIn(test, OTHER_MODERATOR);
    await page.goto(`${catalog.url}/admin/reports`);
    await decideReport(id, { status: 'rejected', resolver_note: 'It is a crack.' });
    await page.locator(`#${id}`).focus();
    await press(page, 'a');
    await until(() => page.locator(`#${id} .outcome-line`).textContent()).toBe(
      'Another moderator has changed this report. Current status: rejected.',
    );
    expect(await page.locator(`#${id}`).textContent()).toContain('It is a crack.');
    expect(await page.locator(`#${id}`).getAttribute('data-status')).toBe('rejected');
    expect(await stateOf(id)).toBe('rejected');
    expect(problems).toEqual([expect.stringContaining('409')]);
  });

  it("keep a moderator's notes when another decides first and when the report cannot be read again", {
    tags: ['full'],
  }, async (test) => {
    const ids = [
      await createReport(PHOTO_ID, 'edit', 'first'),
      await createReport(SPEECH_ID, 'edit', 'second'),
      await createReport('bridge-7', 'edit', 'third'),
    ];
    const { page, problems } = await signIn(test, MODERATOR);
    await page.goto(`${catalog.url}/admin/reports`);
    await page.evaluate('globalThis.here = true');
    const item = (i: number) => page.locator(`#${ids[i]}`);
    const note = (i: number) => item(i).locator('textarea');
    const outcome = (i: number) => item(i).locator('.outcome-line').textContent();
    await note(0).fill('A long note.');
    await note(1).fill('Another note.');
    const asked = page.waitForEvent('dialog');
    await page
      .locator('.queue-filters')
      .evaluate((form) => (form as unknown as { requestSubmit(): void }).requestSubmit());
    await (await asked).dismiss();
    await decideReport(ids[0]!, { status: 'rejected' });
    await item(0).getByRole('button', { name: 'Accept' }).click();
    await until(() => outcome(0)).toContain('Another moderator has changed this report');
    expect(await note(0).inputValue()).toBe('A long note.');
    expect(await item(0).getByRole('button').allTextContents()).toEqual(['Reopeno']);
    await item(0).getByRole('button').click();
    await until(() => outcome(0)).toBe('Status: Open.');
    expect(await note(0).inputValue()).toBe('');

    await page.route('**/admin/reports/*?view=queue', (route) => route.abort());
    await item(2).getByRole('button', { name: 'Reject' }).click();
    await until(() => outcome(2)).toBe('Status: Rejected.');
    expect(await note(1).inputValue()).toBe('Another note.');
    expect(await page.evaluate('globalThis.here')).toBe(true);
    await page.context().clearCookies();
    await item(1).getByRole('button', { name: 'Reject' }).click();
    await until(() => outcome(1)).not.toBe('');
    expect(await note(1).inputValue()).toBe('Another note.');
    for (const id of ids.slice(0, 2)) await decideReport(id, { status: 'rejected' });
    expect(problems.filter((line) => !/409|401|ERR_FAILED/.test(line))).toEqual([]);
  });

  it('keep an unsent report when a key of the neighbouring records is pressed', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test, READER);
    await page.goto(address(PHOTO_ID));
    const description = page.locator('[name=description]');
    await description.fill('Not sent yet.');
    for (const place of ['#report form button', '#back']) {
      await page.locator(place).focus();
      await press(page, 'ArrowLeft', 'ArrowRight', 'j', 'k');
      await page.waitForTimeout(300);
      expect(page.url()).toBe(address(PHOTO_ID));
      expect(await description.inputValue()).toBe('Not sent yet.');
    }
    const isLeavingPrevented = () =>
      page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    expect(await isLeavingPrevented()).toBe(true);
    await description.fill('');
    expect(await isLeavingPrevented()).toBe(false);
    await page.locator('#back').focus();
    await press(page, 'ArrowRight');
    await page.waitForURL(address(SPEECH_ID));
    // The expired recording.
    expect(problems.filter((line) => !line.includes('404'))).toEqual([]);
  });

  it('support the report queue with the keyboard alone and list the shortcuts', { tags: ['full'] }, async (test) => {
    const ids = [
      await createReport(PHOTO_ID, 'edit', 'first'),
      await createReport(SPEECH_ID, 'edit', 'second'),
      await createReport('no such record', 'other', 'third'),
    ];
    const { page, problems } = await signIn(test, MODERATOR);
    await page.goto(`${catalog.url}/admin/reports`);
    await press(page, '?');
    expect(await page.locator('#keyboard-shortcuts').getAttribute('open')).not.toBeNull();
    expect(await page.locator('#keyboard-shortcuts').textContent()).toContain('reopen (with a note)');
    await press(page, 'j', 'j');
    expect(await focused(page)).toBe(ids[1]);
    await press(page, 'i');
    await until(() => page.locator(`#${ids[1]}`).getAttribute('data-status')).toBe('in_review');
    await press(page, 'n');
    await page.keyboard.type('ad');
    await press(page, 'Escape');
    expect(await focused(page)).toBe(ids[1]);
    await press(page, 'r');
    await until(() => page.locator(`#${ids[1]}`).getAttribute('data-status')).toBe('rejected');
    expect((await catalog.moderator.get(`/reports/${ids[1]}`)).body.resolver_note).toBe('ad');
    await press(page, 'j', 'd');
    await until(() => page.locator(`#${ids[2]}`).getAttribute('data-status')).toBe('duplicate');
    await press(page, 'k', 'k', 'Enter');
    await page.waitForURL(address(PHOTO_ID));
    await decideReport(ids[0]!, { status: 'rejected' });
    expect(problems).toEqual([]);
  });

  it('accept keyboard shortcuts by physical key on non-Latin layouts', { tags: ['full'] }, async (test) => {
    const ids = [await createReport(PHOTO_ID, 'edit', 'one'), await createReport(SPEECH_ID, 'edit', 'two')];
    const { page, problems } = await signIn(test, MODERATOR, { locale: 'ru-RU' });
    const pressKey = (key: string, code: string) =>
      page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
          ${JSON.stringify({ key, code, bubbles: true, cancelable: true })}))`,
      );
    await page.goto(`${catalog.url}/admin/reports`);
    expect(await page.locator('[data-tab=open]').textContent()).toContain('Открытые');
    await pressKey('о', 'KeyJ');
    expect(await focused(page)).toBe(ids[0]);
    await pressKey('о', 'KeyJ');
    expect(await focused(page)).toBe(ids[1]);
    await pressKey('л', 'KeyK');
    // On a Latin layout the letter decides, not the physical key.
    await pressKey('j', 'KeyC');
    expect(await focused(page)).toBe(ids[1]);
    await pressKey('к', 'KeyR');
    await until(() => page.locator(`#${ids[1]}`).getAttribute('data-status')).toBe('rejected');
    await page.goto(address(PHOTO_ID));
    await pressKey('о', 'KeyJ');
    await page.waitForURL(address(SPEECH_ID));
    await decideReport(ids[0]!, { status: 'rejected' });
    expect(problems.filter((line) => !line.includes('404'))).toEqual([]);
  });

  it('reject a report without an action and keep the description', { tags: ['full'] }, async (test) => {
    const { page } = await signIn(test, READER, { javaScriptEnabled: false, locale: 'ru-RU' });
    const send = page.getByRole('button', { name: 'Отправить жалобу' });
    const filed = async () => (await catalog.moderator.get('/reports')).body.total;
    const before = await filed();
    await page.goto(address('bridge-7'));
    await page.locator('[name=description]').fill('Опора <b>снята</b>.');
    // The browser blocks the first submission; without its check the server returns the filled form.
    await send.click();
    expect(page.url()).toBe(address('bridge-7'));
    await page.locator('[name=action_type]').evaluate((it: any) => it.removeAttribute('required'));
    await send.click();
    await page.waitForURL(`${address('bridge-7')}/report`);
    await takeScreenshot(page, 'report-again');
    expect(await page.locator('main').textContent()).toContain('Что сделать: ');
    expect(await page.locator('[name=description]').inputValue()).toBe('Опора <b>снята</b>.');
    expect(await filed()).toBe(before);
    await page.locator('[name=action_type]').selectOption('edit');
    await send.click();
    await page.waitForURL('**/row/bridge-7?reported=*');
    await decideReport(new URL(page.url()).searchParams.get('reported')!, { status: 'rejected' });
  });

  it("show the content of the reported record in the queue, and the audit trail in the user's language", {
    tags: ['full'],
  }, async (test) => {
    const id = await createReport('bridge-7', 'hide', 'Снесён.');
    const { page, problems } = await signIn(test, MODERATOR, {
      locale: 'ru-RU',
      viewport: { width: 320, height: 700 },
    });
    await page.goto(`${catalog.url}/admin/reports`);
    const item = page.locator(`#${id}`);
    expect(await item.textContent()).toContain('Штукатурка отслаивается');
    expect(await item.locator('dl').textContent()).toContain('Ёлкина');
    expect(await item.locator('dt').first().textContent()).toBe('inspector');
    await takeScreenshot(page, 'queue-320');
    await page.goto(`${catalog.url}/admin/reports/${id}`);
    const [first] = await page.locator('.audit-trail tbody tr').allTextContents();
    expect(first).toContain('Скрыть: Мост № 7, опора 3');
    expect(first).not.toContain('hide bridge-7');
    await decideReport(id, { status: 'rejected' });
    expect(problems).toEqual([]);
  });

  it('link to the last page when the page number is too large', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test, READER);
    await page.goto(`${catalog.url}/?page=999`);
    expect(await page.locator('.empty-state').textContent()).toContain('The last page of these results is 1.');
    await page.locator('#page-last').click();
    await until(() => shownRecords(page)).toHaveLength(6);
    expect(problems).toEqual([]);
  });

  it('scroll wide tables within their box on a phone and do not break words in the header', {
    tags: ['full'],
  }, async (test) => {
    const { page } = await signIn(test, MODERATOR, { viewport: { width: 320, height: 800 }, locale: 'ru-RU' });
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const place of ['/?view=table', new URL(address(DOCUMENT_ID)).pathname, '/admin/reports?status=all']) {
        await page.goto(catalog.url + place);
        const name = `${place} ${width}`;
        await takeScreenshot(page, `phone-${width}-${place.replace(/\W+/g, '-').slice(0, 20)}`);
        expect(await findViolations(page), name).toEqual([]);
        const tall = await page
          .locator('header nav a')
          .evaluateAll(
            (all) => all.filter((one: any) => !one.textContent.includes(' ') && one.getClientRects().length > 1).length,
          );
        expect(tall, name).toBe(0);
      }
      await page.goto(`${catalog.url}/?view=table`);
      const box = page.locator('main .scroll').first();
      expect(await box.evaluate((it: any) => it.scrollWidth > it.clientWidth)).toBe(true);
      const name = (await page.locator('.hits a.name').first().boundingBox())!;
      expect(name.x + name.width).toBeLessThanOrEqual(width);
    }
  });

  it('link to the help from every page, also below a path prefix', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test, MODERATOR);
    for (const place of ['/', new URL(address(PHOTO_ID)).pathname, '/admin/reports']) {
      await page.goto(catalog.url + place);
      const link = page.getByRole('link', { name: 'Help', exact: true });
      const href = (await link.getAttribute('href'))!;
      expect(new URL(href, `https://example.org/assay${place}`).pathname).toBe('/assay/help');
      await link.click();
      await page.waitForURL(`${catalog.url}/help`);
      expect(await page.locator('article h1').count()).toBe(1);
    }
    expect(problems).toEqual([]);
  });

  it('keep the complete search state in the address for typing, filters and history', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems } = await signIn(test, MODERATOR);
    await page.locator('#facet-service-defectoscopy').click();
    await until(() => shownRecords(page)).toEqual([PHOTO_ID, FAILED_ID]);
    expect(await focused(page)).toBe('facet-service-defectoscopy');
    await page.locator('[name=min_conf]').selectOption('0.9');
    await until(() => shownRecords(page)).toEqual([PHOTO_ID]);
    await page.locator('#q').fill('трещин');
    await until(async () => new URL(page.url()).search).toBe(
      `?${new URLSearchParams({ q: 'трещин', service: 'defectoscopy', min_conf: '0.9' })}`,
    );
    await page.goBack();
    await until(() => shownRecords(page)).toEqual([PHOTO_ID, FAILED_ID]);
    expect(await page.locator('[name=min_conf]').inputValue()).toBe('');
    expect(await page.locator('#q').inputValue()).toBe('');
    await page.goForward();
    await until(() => page.locator('[name=min_conf]').inputValue()).toBe('0.9');
    await page.locator('#view-table').click();
    await until(() => page.locator('table.hits').count()).toBe(1);
    const [line] = (
      await (
        await page.request.get(
          new URL((await page.locator('.exports a').last().getAttribute('href'))!, page.url()).href,
        )
      ).text()
    ).split('\n');
    expect(JSON.parse(line!).record_id).toBe(PHOTO_ID);
    // The view is remembered without being in the address.
    await page.locator('.hits a.name').click();
    await page.locator('#back').click();
    await until(() => shownRecords(page)).toEqual([PHOTO_ID]);
    await page.locator('#reset').click();
    await until(() => shownRecords(page)).toHaveLength(6);
    expect(await page.locator('table.hits').count()).toBe(1);
    await page.locator('#view-gallery').click();
    await until(() => page.locator('.gallery').count()).toBe(1);

    await page.goto(`${catalog.url}/?q=${encodeURIComponent('штукатурка')}&service=stt&status=done`);
    const ways = page.locator('.empty-state ul a');
    expect(await ways.allTextContents()).toEqual(['Without “штукатурка”: 1', 'Without Speech: 1']);
    await ways.last().click();
    await until(() => shownRecords(page)).toEqual(['bridge-7']);
    expect(problems).toEqual([]);
  });

  it('select and exclude several values of a facet with the keyboard', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test, READER);
    await page.locator('#facet-service-stt').focus();
    await page.keyboard.press('Space');
    await until(() => shownRecords(page)).toEqual([SPEECH_ID]);
    expect(await focused(page)).toBe('facet-service-stt');
    await page.locator('#facet-service-defectoscopy').press('Space');
    await until(() => shownRecords(page)).toEqual([PHOTO_ID, SPEECH_ID, FAILED_ID]);
    await page.locator('#facet-not_service-stt').press('Space');
    await until(() => shownRecords(page)).toEqual([PHOTO_ID, FAILED_ID]);
    expect(new URL(page.url()).search).toBe('?service=defectoscopy&not_service=stt');
    expect(await page.locator('.chip').allTextContents()).toEqual(['Defectoscopy ×', 'not Speech ×']);
    await page.goBack();
    await until(() => page.locator('#facet-service-stt').isChecked()).toBe(true);
    expect(await page.locator('#facet-not_service-stt').isChecked()).toBe(false);
    await page.locator('#facet-not_status-failed').click();
    await until(() => shownRecords(page)).toEqual([PHOTO_ID, SPEECH_ID]);
    expect(problems).toEqual([]);
  });

  it('keep excluded values in the addresses of links and forms', { tags: ['full'] }, async (test) => {
    const { page } = await signIn(test, READER);
    await page.goto(`${catalog.url}/?service=defectoscopy&not_surface=other&not_master=other`);
    const links = await page.locator('a[href*="?"]').evaluateAll((all) => all.map((one: any) => one.href));
    const values = await page.locator('input').evaluateAll((all) => all.map((one: any) => one.value));
    expect(decodeURIComponent([...links, ...values].join('\n'))).not.toContain('¬');
    const query = 'not_surface=other&not_master=other';
    expect(links.filter((link) => link.includes(`/?${query}`))).not.toEqual([]);
  });

  it('filter by the value and the presence of an attribute, also without scripts', { tags: ['full'] }, async (test) => {
    const records = [
      { record_id: 'site-1', attributes: { surveyor: 'Petrov', note: 'wet' } },
      { record_id: 'site-2', attributes: { surveyor: 'Иванова' } },
    ];
    await catalog.moderator.post('/index', { json: { records } });
    test.onTestFinished(async () => {
      await catalog.context.db.query(`delete from catalog_records where record_id like 'site-%'`);
    });
    const { page, problems } = await signIn(test, READER);
    const surveyors = page.getByRole('region', { name: 'surveyor' });
    await surveyors.getByLabel('Petrov', { exact: false }).first().check();
    await until(() => shownRecords(page)).toEqual(['site-1']);
    expect(await page.locator('.chip').allTextContents()).toEqual(['surveyor: Petrov ×']);
    expect(await surveyors.locator('li').count()).toBe(2);
    // The filter stays when another query has no such value, and no such field.
    await page.locator('#q').fill('nothing-like-this');
    await until(() => shownRecords(page)).toEqual([]);
    await page.locator('#q').fill('site-1');
    await until(() => shownRecords(page)).toEqual(['site-1']);
    expect(new URL(page.url()).searchParams.getAll('attribute')).toEqual(['surveyor=Petrov']);
    await page.locator('#q').fill('');
    await until(async () => new URL(page.url()).search).toBe('?attribute=surveyor%3DPetrov');
    // The next choice, before the answer, does not restore the filter that a link removed.
    await page.route(`${catalog.url}/`, () => undefined);
    const removeAndChoose = async (chip: string) => {
      await page.locator(chip).click();
      await page.getByLabel('With the field').selectOption('surveyor');
      await until(async () => new URL(page.url()).search).toBe('?has=surveyor');
    };
    await removeAndChoose('#chip-attribute-0');
    await until(async () => (await shownRecords(page)).sort()).toEqual(['site-1', 'site-2']);
    await page.getByLabel('Without the field').selectOption('note');
    await until(() => shownRecords(page)).toEqual(['site-2']);
    expect(new URL(page.url()).search).toBe('?has=surveyor&not_has=note');
    await page.locator('#chip-has-0').click();
    await until(() => page.locator('.chip').count()).toBe(1);
    // What a form without scripts sends.
    await page.goto(`${catalog.url}/?q=&has=surveyor&has=&not_has=note&not_has=`);
    expect(await shownRecords(page)).toEqual(['site-2']);
    await page.goto(`${catalog.url}/?min_conf=0.9`);
    await removeAndChoose('#chip-min_conf-0');
    expect(problems).toEqual([]);
  });

  it('name the filters on fields of documents by their labels', { tags: ['full'] }, async (test) => {
    const taskId = 'labelled';
    const fields = { 'general:address': 'Энск', 'general:year_built': 1978 };
    await catalog.context.db.transaction((tx) =>
      writeRecords(tx, [createEntry('passports', { ...DOCUMENT, taskId, fields })]),
    );
    test.onTestFinished(async () => {
      await catalog.context.db.query(`delete from catalog_records where record_id = 'passports:labelled'`);
    });
    const { page, problems } = await signIn(test, READER, { locale: 'ru-RU' });
    const filters = {
      'range=general:year_built:1970..1978': 'Год постройки: 1970 – 1978',
      'range=general:year_built:..1978': 'Год постройки: ≤ 1978',
      'has=general:address': 'есть «Адрес»',
      'not_has=project': 'нет «Проект»',
      'attribute=general:address%3DЭнск': 'Адрес: Энск',
      'not_attribute=general:address%3DОмск': 'кроме «Адрес: Омск»',
    };
    await page.goto(`${catalog.url}/?${Object.keys(filters).join('&')}`);
    expect(await shownRecords(page)).toEqual([`passports:${taskId}`]);
    const chips = await page.locator('.chip').allTextContents();
    expect(chips).toEqual(Object.values(filters).map((label) => `${label} ×`));
    await page.goto(`${catalog.url}/?has=general:address&service=stt`);
    expect(await page.locator('.empty-state li').allTextContents()).toContain('Без фильтра Речь: 1');
    expect(await page.locator('.empty-state li').allTextContents()).toContain('Без фильтра есть «Адрес»: 1');
    expect(problems).toEqual([]);
  });

  it('show times in the time zone of the browser, and values of documents in its language', {
    tags: ['full'],
  }, async (test) => {
    const timezoneId = 'Asia/Tokyo';
    const { page, problems } = await signIn(test, READER, { locale: 'ru-RU', timezoneId });
    const local = createDateFormat('ru', timezoneId).format(DOCUMENT.createdAt);
    const time = card(page, DOCUMENT_ID).locator('time');
    await until(() => time.textContent()).toBe(local);
    // Replaced by the script.
    await page.locator('#view-table').click();
    await until(() => page.locator('table.hits').count()).toBe(1);
    expect(await time.textContent()).toBe(local);
    const fields = card(page, DOCUMENT_ID).locator('.hit-fields > div');
    const labelled = () =>
      fields.evaluateAll((all) => all.map((field: any) => [...field.children].map((part) => part.innerText.trim())));
    const [place, year] = [
      ['Адрес', 'г. Энск, ул. Садовая, д. 7'],
      ['Год постройки', '1978'],
    ];
    expect(await labelled()).toEqual([place, year, ['Дата выдачи', '12.03.2009']]);
    // Those that match are among them.
    await page.locator('#q').fill('кухня');
    await until(labelled).toEqual([place, ['Помещение', 'кухня'], year]);
    await page.goto(address(DOCUMENT_ID));
    expect(await page.locator('.record-head time').textContent()).toBe(local);
    const values = await page.locator('.field-value').allTextContents();
    expect(values).toEqual(['г. Энск, ул. Садовая, д. 7', '1978', '12.03.2009', 'кухня', '9,1', 'жилая']);
    expect(problems).toEqual([]);
  });

  it('show dates and saved views above the fields of documents, and collapse nearly unique fields', {
    tags: ['full'],
  }, async (test) => {
    const records = Array.from({ length: 24 }, (_, i) => ({
      record_id: `plan-${i}`,
      attributes: {
        owner: `Owner ${i}`,
        kind: `kind ${i % 3}`,
        ...Object.fromEntries(NUMBERS.map((name) => [name, i])),
      },
    }));
    await catalog.moderator.post('/index', { json: { records } });
    test.onTestFinished(async () => {
      await catalog.context.db.query(`delete from catalog_records where record_id like 'plan-%'`);
    });
    const { page, problems } = await signIn(test, READER);
    await page.goto(`${catalog.url}/?service=import`);
    const region = (name: string) => page.getByRole('region', { name, exact: true });
    const top = async (name: string) => (await region(name).boundingBox())!.y;
    expect(await top('Saved views')).toBeLessThan(await top('kind'));
    expect((await page.getByLabel('Minimum confidence').boundingBox())!.y).toBeLessThan(await top('Saved views'));
    expect(await page.getByLabel('kind 1', { exact: false }).first().isVisible()).toBe(true);
    expect((await region('owner').boundingBox())!.height).toBeLessThan(40);
    expect(await page.locator('.range-field:visible').count()).toBeLessThan(NUMBERS.length);
    await region('owner').locator('summary').first().click();
    await region('owner').getByLabel('Owner 10', { exact: false }).first().check();
    await until(() => shownRecords(page)).toEqual(['plan-10']);
    // A selected value stays visible.
    expect(await region('owner').getByLabel('Owner 10', { exact: false }).first().isChecked()).toBe(true);
    await page.locator('#chip-attribute-0').click();
    await until(() => shownRecords(page)).toHaveLength(26);
    expect(await region('owner').getByLabel('Owner 10', { exact: false }).first().isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  it('filter by the number of an attribute', { tags: ['full'] }, async (test) => {
    await catalog.moderator.post('/index', {
      json: { records: [1960, 1980].map((built) => ({ record_id: `house-${built}`, attributes: { built } })) },
    });
    test.onTestFinished(async () => {
      await catalog.context.db.query(`delete from catalog_records where record_id like 'house-%'`);
    });
    const { page, problems } = await signIn(test, READER);
    await page.getByRole('spinbutton', { name: 'built: minimum' }).fill('1970');
    await until(() => shownRecords(page)).toEqual(['house-1980']);
    expect(await page.locator('.chip').allTextContents()).toEqual(['built: ≥ 1970 ×']);
    expect(await page.locator('.exports a').last().getAttribute('href')).toContain('range=built%3A1970..');
    await page.locator('#chip-range-0').click();
    await until(() => page.getByRole('spinbutton', { name: 'built: minimum' }).inputValue()).toBe('');
    await page.goto(`${catalog.url}/?range=built:..1970&has=built`);
    expect(await page.getByRole('spinbutton', { name: 'built: maximum' }).inputValue()).toBe('1970');
    await page.locator('#facet-service-import').check();
    await until(async () => new URL(page.url()).search).toContain('service=import');
    expect(await shownRecords(page)).toEqual(['house-1960']);
    const built = page.locator('[id="range-built"]');
    await page.goto(`${catalog.url}/`);
    expect(await built.isVisible()).toBe(true);
    await page.locator('#facet-service-defectoscopy').check();
    await until(() => built.isVisible()).toBe(false);
    await page.goto(`${catalog.url}/?service=defectoscopy`);
    expect(await built.isVisible()).toBe(false);
    await page.locator('#facet-service-import').check();
    await until(() => built.isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('keep the results while an incomplete query is invalid, and show the error on submission', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems } = await signIn(test, READER, { locale: 'ru-RU' });
    await page.locator('#q').fill(Array.from({ length: 30 }, (_, i) => `слово${i}`).join(' '));
    await until(async () => problems.length).toBe(1);
    expect(problems.splice(0)).toEqual([expect.stringContaining('422')]);
    expect(await shownRecords(page)).toHaveLength(6);
    await page.keyboard.press('Enter');
    await until(() => page.locator('main').textContent()).toContain('Недопустимый фильтр');
    await page.goto(`${catalog.url}/?from=yesterday`);
    expect(await page.locator('main').textContent()).toContain('Введите дату или дату и время.');
    for (const [query, message] of [
      ['range=x', 'Нужен диапазон значений поля'],
      ['attribute=x', 'ПОЛЕ=ЗНАЧЕНИЕ'],
      [`q=${Array.from({ length: 21 }, (_, i) => `w${i}`).join('+')}`, 'Не больше 20 слов.'],
    ] as const) {
      await page.goto(`${catalog.url}/?${query}`);
      expect(await page.locator('main').textContent()).toContain(message);
    }
    await page.goto(`${catalog.url}/?range=built:2005..1990`);
    expect(await page.locator('.empty-state').textContent()).toContain('built: 2005 – 1990: минимум больше максимума.');
  });

  it('show the filters as a separate page on a phone, with and without JavaScript', {
    tags: ['full'],
  }, async (test) => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, problems } = await signIn(test, READER, {
        viewport: { width: 390, height: 844 },
        javaScriptEnabled,
      });
      expect(await page.locator('#facets').isVisible()).toBe(false);
      await page.locator('.filters-link').click();
      expect(await page.locator('#hits').isVisible()).toBe(false);
      await page.locator('#facet-service-stt').check();
      if (javaScriptEnabled) {
        await until(() => page.locator('#total').textContent()).toBe('1 record');
        await page.getByRole('link', { name: 'Close filters' }).click();
      } else await page.getByRole('button', { name: 'Apply' }).click();
      expect(await page.locator('#hits').isVisible()).toBe(true);
      expect(await shownRecords(page)).toEqual([SPEECH_ID]);
      expect(await page.locator('.filters-link').textContent()).toBe('Filters (1)');
      expect(problems).toEqual([]);
    }
  });

  it('save a view under a name, open it and delete it', { tags: ['full'] }, async (test) => {
    const { page, problems } = await signIn(test, READER);
    // The name stays while the results change.
    await page.getByText('Save this view').click();
    await page.locator('#view-name').fill('Broken <b>ones</b>');
    await page.locator('#facet-status-failed').click();
    await until(() => shownRecords(page)).toEqual([FAILED_ID]);
    expect(await page.locator('#view-name').inputValue()).toBe('Broken <b>ones</b>');
    await page.locator('#view-name').press('Enter');
    const saved = page.locator('.saved li', { hasText: 'Broken <b>ones</b>' });
    await until(() => saved.count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?status=failed');
    await saved.getByText('Notify about new records').click();
    expect(await saved.locator('.hint').textContent()).toMatch(/^Empty: only the keys/);
    await saved.getByRole('button', { name: 'Turn on' }).click();
    await saved.getByText('Alert is on').click();
    expect(await saved.getByRole('link', { name: 'Announced records' }).getAttribute('href')).toMatch(/matches$/);
    await saved.getByRole('button', { name: 'Turn off' }).click();
    await until(() => saved.getByText('Notify about new records').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?status=failed');
    // A name in use keeps the search.
    await page.goto(`${catalog.url}/?service=stt&tag=a%26b`);
    await page.getByText('Save this view').click();
    await page.locator('#view-name').fill('Broken <b>ones</b>');
    await page.keyboard.press('Enter');
    await until(() => page.locator('main').textContent()).toContain('already have a saved view with this name');
    expect(problems.splice(0)).toEqual([expect.stringContaining('409')]);
    expect(await page.locator('#view-name').inputValue()).toBe('Broken <b>ones</b>');
    const back = page.getByRole('link', { name: 'Back to the results' });
    expect(await back.evaluate((link: any) => link.href)).toBe(`${catalog.url}/?service=stt&tag=a%26b`);
    await page.locator('#view-name').fill('Other');
    await page.keyboard.press('Enter');
    const other = page.locator('.saved li', { hasText: 'Other' });
    await until(() => other.count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?service=stt&tag=a%26b');
    await other.getByRole('button', { name: 'Delete Other' }).click();
    await page.goto(catalog.url);
    await saved.locator('a').click();
    await until(() => shownRecords(page)).toEqual([FAILED_ID]);
    await saved.getByRole('button').click();
    await until(() => saved.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('show a photo with its heatmap, a document with the positions of its values, and the error of a failed task', async (test) => {
    const { page, problems } = await signIn(test, READER);
    await page.goto(address(PHOTO_ID));
    await until(() => page.locator('#heatmap-caption').textContent()).toBe('Crack: strongest in the upper left.');
    expect(await page.locator('#heatmap').isVisible()).toBe(true);
    await page.locator('.bar', { hasText: 'Sound' }).click();
    expect(await page.locator('#heatmap-caption').textContent()).toContain('No heatmap');
    // Arrow keys select classes if one has the focus.
    await press(page, 'ArrowUp');
    expect(new URL(page.url()).pathname).toBe(new URL(address(PHOTO_ID)).pathname);
    await page.locator('h1').click();
    await press(page, 'ArrowRight');
    await page.waitForURL(address(SPEECH_ID));
    await press(page, 'j');
    await page.waitForURL(address(DOCUMENT_ID));
    await page.locator('.field-value[data-key="general:address"]').focus();
    expect(await page.locator('.box.highlighted').getAttribute('data-key')).toBe('general:address');
    await page.locator('.box[data-key="general:year_built"]').click();
    expect(await page.evaluate('document.activeElement.dataset.key')).toBe('general:year_built');
    await press(page, 'k');
    await page.waitForURL(address(SPEECH_ID));
    await press(page, 'ArrowLeft');
    await page.waitForURL(address(PHOTO_ID));
    await page.goto(address(FAILED_ID));
    expect(await page.locator('main').textContent()).toContain('The image is damaged or incomplete.');
    expect(problems.filter((line) => !line.includes('404'))).toEqual([]);
  });

  it('state that a recording has expired, and highlight the text of one that plays', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems } = await signIn(test, READER);
    await page.goto(address(SPEECH_ID));
    await until(() => page.locator('#playback-error').isVisible()).toBe(true);
    expect(await page.locator('#audio').isVisible()).toBe(false);
    expect(problems.splice(0)).toEqual([expect.stringContaining('404')]);
    await seedAudio(catalog);
    await page.reload();
    await page.getByRole('button', { name: 'Play from 0:03' }).click();
    await until(() => page.locator('.word.current').textContent()).toBe('Нужен ремонт до зимы.');
    expect(await page.evaluate('document.getElementById("audio").currentTime')).toBeGreaterThan(3.8);
    expect(problems).toEqual([]);
  });

  it('show hostile text as text in every place', { tags: ['full'] }, async (test) => {
    const nasty = `</script><svg onload=alert(1)>\u202E`;
    const id = await createReport(HOSTILE_ID, 'other', nasty);
    await catalog.moderator.post('/views', {
      json: { name: `<img src=x onerror=alert(1)>`, query: 'q=%22%3E%3Cscript%3E' },
    });
    const { page, problems } = await signIn(test, MODERATOR);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const displayed = HOSTILE_TITLE.replace('\u202E', '‹U+202E›');
    const q = encodeURIComponent(nasty);
    const places = [
      '/',
      '/?view=table',
      `/?q=${q}&surface=${q}`,
      new URL(address(HOSTILE_ID)).pathname,
      '/admin/reports',
      `/admin/reports/${id}`,
      `/login?back=${q}`,
      // Property names of every object.
      '/?defect=constructor&service=__proto__&surface=toString&view=gallery',
    ];
    for (const place of places) {
      await page.goto(catalog.url + place);
      const text = (await page.locator('body').innerText()) + (await page.title());
      expect(text, place).not.toContain('\u202E');
      expect(await page.locator('svg[onload], img[onerror], main script').count(), place).toBe(0);
      if (!/login|[?&](q|defect)=/.test(place)) expect(text, place).toContain(displayed);
    }
    await page.locator('#q').fill(nasty);
    await until(() => page.locator('.chip').first().textContent()).toContain('‹U+202E›');
    await decideReport(id, { status: 'rejected' });
    expect(dialogs).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('have no layout or accessibility violations with hostile text and on the filter page', {
    tags: ['full'],
  }, async (test) => {
    await createReport(HOSTILE_ID, 'edit', 'again');
    const looks = [
      { viewport: { width: 1440, height: 900 }, colorScheme: 'light', locale: 'ru-RU' },
      { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'en-GB' },
    ] as const;
    for (const look of looks) {
      const { page } = await signIn(test, MODERATOR, look);
      for (const place of [new URL(address(HOSTILE_ID)).pathname, '/admin/reports?status=all', '/#filters']) {
        await page.goto(catalog.url + place);
        expect(await findViolations(page), `${place} ${look.viewport.width} ${look.colorScheme}`).toEqual([]);
      }
    }
  });
});

describe('Empty catalog', () => {
  it('explains how to create a record', { tags: ['full'] }, async (test) => {
    const empty = await startCatalog({ CATALOG_PUBLIC: 'true' });
    try {
      const { page, problems } = await openPage(test, empty.url);
      expect(await page.locator('.empty-state').textContent()).toContain('No records yet');
      expect(await page.getByRole('link', { name: 'Sign in' }).isVisible()).toBe(true);
      expect(problems).toEqual([]);
    } finally {
      await empty.stop();
    }
  });
});
