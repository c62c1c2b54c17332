import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBackgroundContext, createModelContext } from '../../src/role-contexts.ts';
import { createRecords } from '../../src/services/catalog/records/records.ts';
import { createShadowTally } from '../../src/services/defectoscopy/deployments/shadow-tally.ts';
import { FAILURES } from '../../src/services/defectoscopy/failures.ts';
import type { BackgroundService, TaskService } from '../../src/services/shared/service.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { openPage } from '../support/browser/open-page.ts';
import { findViolations } from '../support/browser/page-checks.ts';
import { CRACK_OUTCOME, createWallPhoto } from '../support/browser/photos.ts';
import { MODERATOR, READER } from '../support/catalog.ts';
import { createClient } from '../support/passports.ts';
import { waitUntil } from '../support/processes/until.ts';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';
import { createFakeSpeechModel, createSilence } from '../support/speech/fake-model.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The folder for screenshots named `service-page-width-theme-language.png`; none are saved if unset. */
const SCREENS = process.env['ASSAY_SCREENSHOTS'];
const THEMES = ['light', 'dark'] as const;
const DEVICES = [
  { width: 390, height: 844, language: 'ru', touch: true },
  { width: 1440, height: 900, language: 'en', touch: false },
] as const;
type Device = (typeof DEVICES)[number];
type Service = 'defectoscopy' | 'stt' | 'passports' | 'catalog';

const KEY = 'browser-key-1234567890';
/** Long words must not widen a page. */
const GROUPING = { project: `Мост-${'7'.repeat(90)}`, tags: ['опора 3', 'x'.repeat(50), 'north'] };
const DOCUMENT = 'Паспорт кв. 37 — Садовая.pdf';
const EXAMPLES = new URL('../../examples/', import.meta.url);

interface SeededRecords {
  readonly document: string;
  readonly photo: string;
  readonly failed: string;
  readonly speech: string;
  readonly report: string;
  readonly receipt: string;
  readonly view: string;
}

let product: Product;
let records: SeededRecords;
const stop = new AbortController();
let catalogWorker: Promise<void>;

beforeAll(async () => {
  product = await startProduct({
    env: {
      SERVICES: 'defectoscopy,stt,passports,catalog',
      DEFECTOSCOPY_REVIEWER_TOKENS: TOKEN,
      ...{ STT_PORT: '0', STT_API_TOKENS: TOKEN },
      ...{ PASSPORTS_PORT: '0', PASSPORTS_API_KEYS: `anna:${KEY}`, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' },
      ...{ CATALOG_PORT: '0', REPORTS_API_TOKENS: READER, REPORTS_MODERATOR_TOKENS: MODERATOR },
      CATALOG_SOURCES: 'defectoscopy,stt,passports',
    },
  });
  const { context } = product;
  const service = (name: Service) => context.services.find((one) => one.name === name);
  const passports = service('passports') as TaskService;
  const catalog = service('catalog') as BackgroundService;
  const run = async ({ input }: { input: unknown }) => {
    if (JSON.stringify(input).includes('broken')) throw new TaskFailure(FAILURES.corrupt);
    return CRACK_OUTCOME;
  };
  await product.startWorker(createFakeModel({ run }));
  await product.startWorker(createFakeSpeechModel(), 'stt');
  await product.startWorker(await passports.work.load(await createModelContext(context)), 'passports');
  catalogWorker = catalog.runBackgroundJob(await createBackgroundContext(context), stop.signal);
  records = await seedOneOfEach();
  if (SCREENS !== undefined) await mkdir(SCREENS, { recursive: true });
});
afterAll(async () => {
  stop.abort();
  await catalogWorker;
  await product.stop();
});

async function seedOneOfEach(): Promise<SeededRecords> {
  const clerk = createClient(product.addresses['passports']!, undefined);
  clerk.token = (await clerk.post('/auth/token', { json: { api_key: KEY } })).body.token;
  const example = { name: DOCUMENT, bytes: await readFile(new URL('passport.pdf', EXAMPLES)) };
  const fields = { project: GROUPING.project, tags: GROUPING.tags.join(',') };
  const sent = { files: [example], fields, headers: { accept: 'application/json' } };
  const document: string = (await clerk.post('/upload', sent)).body.items[0].id;

  const photo = await uploadFile('defectoscopy', 'image/jpeg', await createWallPhoto());
  const photoId = await product.predict({ image_url: photo, webhook_url: 'http://127.0.0.1:9999/hook', ...GROUPING });
  await seedComparison(photoId);
  await seedTraining();
  const failedId = await product.predict({ image_url: 'https://storage-1.example.com/broken.jpg' });
  const sound = await uploadFile('stt', 'audio/mpeg', await readFile(new URL('voice-note.mp3', EXAMPLES)));
  const speaker = createClient(product.addresses['stt']!, TOKEN);
  const speechId = (await speaker.post('/transcribe/audio_url', { json: { url: sound } })).body.data.task_id;
  const moderator = createClient(product.addresses['catalog']!, MODERATOR);
  const wanted = { name: 'Мост', query: `q=${encodeURIComponent('мост')}`, alert: {} };
  const { id: view } = (await moderator.post('/views', { json: wanted })).body;
  await createRecords(product.context).import([
    {
      recordId: 'bridge-7',
      title: 'Мост № 7, опора 3',
      text: 'Штукатурка отслаивается на площади около двух метров. Осмотр повторить весной.',
      attributes: { inspector: 'Ёлкина Л. Ф.', floor: 3, tags: ['штукатурка', 'опора'] },
    },
  ]);

  const { db } = product.database;
  await waitUntil(async () => (await db.query('update webhook_endpoints set paused_at = now()')).rowCount > 0);
  const reader = createClient(product.addresses['catalog']!, READER);
  await waitUntil(async () => (await reader.get('/search')).body.total === 5, 60_000);
  const pictured = [`defectoscopy:${photoId}`, `passports:${document}`];
  for (const id of pictured) {
    await waitUntil(async () => (await reader.get(`/row/${encodeURIComponent(id)}`)).body.image !== null);
  }
  await waitUntil(async () => (await moderator.get(`/views/${view}/matches`)).body.items.length === 1, 60_000);
  const reportInput = { record_id: 'bridge-7', action_type: 'edit', description: 'Опора не 3, а 4.' };
  const { id: report, receipt } = (await reader.post('/reports', { json: reportInput })).body;
  return {
    ...{ document: document!, report, receipt, view, photo: pictured[0]!, failed: `defectoscopy:${failedId}` },
    speech: `stt:${speechId}`,
  };
}

/** What a worker writes of a shadow version. */
async function seedComparison(photoId: string): Promise<void> {
  const tally = createShadowTally();
  const photo = { taskId: photoId, shadowVersion: 'own-2', defaultVersion: '1.0.0', defaultLabel: 'crack' };
  tally.add({ ...photo, shadowLabel: 'crack' });
  tally.add({ ...photo, shadowLabel: 'fair_corrosion' });
  await tally.write(product.database.db);
}

/** What a worker writes of a training. */
async function seedTraining(): Promise<void> {
  const change = { before: 0.628, after: 0.766 };
  const comparison = {
    ...{ photos: 1263, accuracy: change },
    classes: ['crack', 'fair_corrosion'].map((name) => ({ name, photos: 120, recall: change, precision: change })),
  };
  const head = { head: 'defects', held_back: comparison, test: comparison };
  const report = { base: '1.0.0', photos: { training: 150, held_back: 50 }, heads: [head] };
  await product.database.db.query(
    `insert into defectoscopy_trainings (version, actor, ended_at, report, files) values ('own-2', 'reviewer', now(), $1, '{}')`,
    [report],
  );
}

async function uploadFile(service: Service, type: string, bytes: Buffer): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type };
  const answer = await fetch(`${product.addresses[service]}/files`, { method: 'POST', headers, body: bytes as never });
  return ((await answer.json()) as { data: { url: string } }).data.url;
}

/** A page and the steps that prepare it. */
interface PageCheck {
  readonly name: string;
  /** Default: the current page. */
  readonly path?: string;
  readonly ready?: (page: Page) => Promise<unknown>;
  /** The expected HTTP error status. */
  readonly status?: number;
}

const waitForVisible = (selector: string) => (page: Page) =>
  page.locator(selector).first().waitFor({ state: 'visible' });
const openTimeline = async (page: Page) => {
  await page.locator('.timeline summary').click();
  await waitForVisible('.timeline li:last-child')(page);
};
const row = (id: string) => `/row/${encodeURIComponent(id)}`;
const HELP: PageCheck = { name: 'help', path: '/help' };
const OVERVIEW: PageCheck = { name: 'overview', path: '/overview', ready: waitForVisible('.figure .current') };

const SIGN_IN = {
  passports: { credential: KEY, field: '#api_key' },
  catalog: { credential: MODERATOR, field: '#token' },
} as const;

const PAGE_CHECKS: Readonly<Record<Service, () => readonly PageCheck[]>> = {
  defectoscopy: () => [
    { name: 'empty', path: '/', ready: (page) => page.locator('#token-input').waitFor({ state: 'attached' }) },
    {
      name: 'result',
      path: `/#token=${TOKEN}`,
      async ready(page) {
        const photo = { name: 'wall.jpg', mimeType: 'image/jpeg', buffer: await createWallPhoto() };
        await page.reload();
        await page.locator('#file').setInputFiles(photo);
        await waitForVisible('#heatmap')(page);
        await openTimeline(page);
      },
    },
    {
      name: 'webhooks',
      path: `/webhooks#token=${TOKEN}`,
      async ready(page) {
        await waitForVisible('#endpoint-list li')(page);
        await page.locator('#deliveries summary').first().click();
      },
    },
    {
      name: 'batch',
      path: `/batch#token=${TOKEN}`,
      async ready(page) {
        const buffer = await createWallPhoto();
        const photo = (name: string) => ({ name, mimeType: 'image/jpeg', buffer });
        const other = { name: `${'notes'.repeat(30)}.txt`, mimeType: 'text/plain', buffer: Buffer.from('x') };
        await page.locator('#file').setInputFiles([photo('pier 1.jpg'), photo(`${'long'.repeat(30)}.jpg`), other]);
        await waitForVisible('#downloads')(page);
        await page.locator('#omitted-files summary').click();
        await page.locator('.grouping summary').click();
      },
    },
    { name: 'models', path: '/model-versions', ready: waitForVisible('#differing-results a') },
    OVERVIEW,
    HELP,
  ],
  stt: () => [
    { name: 'empty', path: `/#token=${TOKEN}` },
    {
      name: 'transcript',
      async ready(page) {
        await page
          .locator('#file')
          .setInputFiles({ name: 'note.wav', mimeType: 'audio/wav', buffer: createSilence(3) });
        await page.locator('#transcript p').first().waitFor();
        await openTimeline(page);
      },
    },
    {
      name: 'editor',
      async ready(page) {
        await page.locator('#edit').click();
        await page.locator('#transcript textarea').fill('The north wall shows a leak.');
        await page.keyboard.press('Enter');
        await waitForVisible('.term-offers button')(page);
        await page.locator('#history summary').click();
        await waitForVisible('#history button')(page);
      },
    },
    {
      name: 'earlier',
      status: 404,
      async ready(page) {
        await page.route('**/recording', (route) => route.fulfill({ status: 404, json: { ok: false } }));
        await page.reload();
        await waitForVisible('#recording-missing')(page);
      },
    },
    { name: 'help-page', path: '/help/webhooks' },
    { name: 'help-missing', path: '/help/nothing', status: 404 },
  ],
  passports: () => [
    {
      name: 'list',
      async ready(page) {
        const buffer = await readFile(new URL('passport.pdf', EXAMPLES));
        await page.locator('#pdfs').setInputFiles({ name: DOCUMENT, mimeType: 'application/pdf', buffer });
        await waitForVisible('#documents li[data-status=SUCCESS]')(page);
      },
    },
    {
      name: 'assembly',
      async ready(page) {
        const photo = (name: string) => createWallPhoto().then((buffer) => ({ name, mimeType: 'image/jpeg', buffer }));
        await page.locator('#photos').setInputFiles([await photo('лист 1.jpg'), await photo('лист 2.jpg')]);
        await page.locator('#page-images li img').nth(1).waitFor();
      },
    },
    {
      name: 'document',
      async ready(page) {
        await page.locator('#documents li .name').first().click();
        await page.waitForURL('**/task/*');
        await waitForVisible('.box')(page);
        await openTimeline(page);
      },
    },
    { name: 'batch', path: '/batch' },
    { name: 'quality', path: '/quality' },
    { name: 'refusal', path: '/task/01938b7e-0000-7000-8000-000000000001', status: 404 },
  ],
  catalog: () => [
    { name: 'search', path: '/' },
    { name: 'similar', path: `/search/similar?grey=${'f39_'.repeat(341)}fA`, ready: waitForVisible('canvas') },
    { name: 'table', path: '/?view=table' },
    { name: 'nothing', path: '/?q=zzzzzz&service=stt&view=gallery' },
    { name: 'row-photo', path: row(records.photo), ready: waitForVisible('#heatmap') },
    { name: 'row-speech', path: row(records.speech) },
    { name: 'row-document', path: row(`passports:${records.document}`), ready: waitForVisible('.box') },
    { name: 'row-import', path: row('bridge-7') },
    { name: 'row-failed', path: row(records.failed) },
    { name: 'reports', path: '/admin/reports' },
    { name: 'report', path: `/admin/reports/${records.report}` },
    { name: 'matches', path: `/views/${records.view}/matches` },
    {
      name: 'alert',
      path: '/?q=мост#filters',
      ready: async (page) => {
        await page.evaluate(
          "document.querySelectorAll('.saved details').forEach((each) => each.setAttribute('open', ''))",
        );
      },
    },
    { name: 'receipt', path: `/receipt/${records.report}?receipt=${records.receipt}` },
    { name: 'refusal', path: row('none'), status: 404 },
  ],
};

async function checkPage(page: Page, service: Service, place: PageCheck, { width, height, language, touch }: Device) {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const name = [service, place.name, width, theme, language].join('-');
    expect.soft(await findViolations(page, { colours: theme === 'dark' }), name).toEqual([]);
    if (SCREENS === undefined) continue;
    // A full-page screenshot would end the touch emulation that the phone layout depends on.
    const tall = await page.evaluate<number>('document.documentElement.scrollHeight');
    if (touch) await page.setViewportSize({ width, height: Math.min(tall, 6000) });
    await page.screenshot({ path: join(SCREENS, `${name}.png`), fullPage: !touch });
    if (touch) await page.setViewportSize({ width, height });
  }
}

describe.each(DEVICES)('Layout and accessibility at $width px in $language, light and dark', (device) => {
  it.for(Object.keys(PAGE_CHECKS) as Service[])(
    'has no violations on any page of %s, and no page requests other hosts',
    async (service, test) => {
      const { width, height, language, touch } = device;
      const url = product.addresses[service]!;
      const signIn = service === 'passports' || service === 'catalog' ? SIGN_IN[service] : undefined;
      const { page, problems } = await openPage(test, signIn === undefined ? url : `${url}/login`, {
        ...{ viewport: { width, height }, locale: language === 'ru' ? 'ru-RU' : 'en-GB' },
        ...(touch && { hasTouch: true, isMobile: true }),
      });
      if (signIn !== undefined) {
        await checkPage(page, service, { name: 'login' }, device);
        await page.locator(signIn.field).fill(signIn.credential);
        await page.keyboard.press('Enter');
        await page.waitForURL(`${url}/`);
      }
      for (const place of PAGE_CHECKS[service]()) {
        if (place.path !== undefined) await page.goto(url + place.path);
        await place.ready?.(page);
        expect(await page.locator('html').getAttribute('lang'), place.name).toBe(language);
        await checkPage(page, service, place, device);
        const expected = place.status === undefined ? [] : [expect.stringContaining(String(place.status))];
        expect.soft(problems.splice(0), place.name).toEqual(expected);
      }
    },
  );
});

describe('Layout and accessibility checks', () => {
  it.for([
    ['low contrast in the dark theme', "document.querySelector('h1').style.color = '#333'", /^color-contrast/, true],
    [
      'a button without a name',
      "document.querySelector('main').append(document.createElement('button'))",
      /^button-name/,
    ],
    [
      'a heading out of order',
      "document.querySelector('h2').after(Object.assign(document.createElement('h6'), { textContent: 'Later' }))",
      /^heading-order/,
    ],
    [
      'targets too small and too close',
      `document.querySelector('main').append(...['a', 'b'].map((text) => {
        const button = Object.assign(document.createElement('button'), { textContent: text });
        button.style.cssText = 'min-block-size: 0; padding: 0; inline-size: 10px; block-size: 10px';
        return button;
      }))`,
      /^target-size/,
    ],
    [
      'a heading wider than the window',
      "document.querySelector('h1').style.width = '3000px'",
      /px wide in a window of 1440/,
    ],
  ] as const)('detect %s', async ([, change, expectedProblems, colours = false], test) => {
    const colorScheme = colours ? 'dark' : 'light';
    const { page } = await openPage(test, `${product.url}/overview`, { colorScheme, reducedMotion: 'reduce' });
    expect(await findViolations(page, { colours })).toEqual([]);
    await page.evaluate(change);
    expect(await findViolations(page, { colours })).toContainEqual(expect.stringMatching(expectedProblems));
  });

  it('detect a request to another host', async (test) => {
    const { page, problems } = await openPage(test, `${product.url}/overview`);
    await page.evaluate("document.body.style.backgroundImage = 'url(https://elsewhere.example/a.png)'");
    await expect.poll(() => problems.join()).toContain('elsewhere.example');
  });
});
