import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { createModelContext } from '../../src/role-contexts.ts';
import { FAILURES } from '../../src/services/defectoscopy/failures.ts';
import type { Model, Outcome, TaskService } from '../../src/services/shared/service.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { openPage } from '../support/browser/open-page.ts';
import { findViolations } from '../support/browser/page-checks.ts';
import {
  CRACK_OUTCOME,
  createBlockedModel,
  createWallPhoto,
  NO_DEFECTS_OUTCOME,
  REGIONS_OUTCOME,
  UNFAMILIAR_OUTCOME,
} from '../support/browser/photos.ts';
import { createFakeModel, MODEL_DETAILS, type Product, startProduct, TOKEN } from '../support/product.ts';

const REVIEWER = 'a-reviewer-of-the-photos';
const jpeg = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/jpeg', buffer });
const stepItem = (page: Page, name: string) => page.locator('#steps li', { hasText: name });
const choosePhoto = async (page: Page, name = 'wall.jpg') =>
  page.locator('#file').setInputFiles(jpeg(name, await createWallPhoto()));
const isHeatmapPainted = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const canvas = document.querySelector('#heatmap');
    return !canvas.hidden && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean);
  })()`);
const transferFile = (page: Page, kind: 'drop' | 'paste', file: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(${file});
    const how = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
    const event = '${kind}' === 'drop' ? new DragEvent('drop', how) : new ClipboardEvent('paste', how);
    document.querySelector('main').dispatchEvent(event);
  })()`);
/** A test per row, which begins with the locale. Russian is a variation, which the full tier runs. */
const itInBothLanguages =
  <Row extends readonly [locale: string, ...texts: string[]]>(rows: readonly Row[], tier?: 'full') =>
  (title: string, run: (row: Row, test: TestContext) => Promise<void>) => {
    for (const row of rows) {
      const tags = row[0] === 'ru-RU' || tier ? ['full'] : [];
      it(title.replace('%s', row[0]), { tags }, (test) => run(row, test));
    }
  };
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 8000, interval: 50 });

describe('Defectoscopy upload page', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ env: { DEFECTOSCOPY_REVIEWER_TOKENS: REVIEWER } });
  });
  afterAll(() => product.stop());
  const work = async (model: Model) => onTestFinished(await product.startWorker(model));
  const predict = (outcome: Outcome) => work(createFakeModel({ run: async () => outcome }));

  it('shows a photo as queued, processing and done, and sends no request to other hosts', async (test) => {
    const { page, problems } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    expect(page.url()).toBe(`${product.url}/`);
    expect(await page.locator('#token-form').isVisible()).toBe(false);
    await until(() => page.locator('#model-status').textContent()).toContain('No model is loaded');

    await choosePhoto(page);
    await until(() => stepItem(page, 'Queued').getAttribute('aria-current')).toBe('step');
    await until(() => page.locator('#note').textContent()).toContain('within 5 min');
    await until(() => page.locator('#live').textContent()).toBe('Queued');

    const { model, release } = createBlockedModel();
    await work(model);
    await until(() => stepItem(page, 'In progress').getAttribute('aria-current')).toBe('step');
    release(CRACK_OUTCOME);
    await until(() => stepItem(page, 'Completed').getAttribute('data-state')).toBe('past');

    expect(await page.locator('#result-title').textContent()).toBe('Crack, 84% · chip, 6%');
    expect(await page.locator('.result-head .surface').textContent()).toBe('SurfaceConcrete wall');
    expect(await page.locator('.bar').allTextContents()).toEqual([
      'Crack84%',
      'Chip6%',
      'Cracking88%',
      'Mechanical7%',
      'Sound5%',
    ]);
    await until(() => isHeatmapPainted(page)).toBe(true);
    await until(() => page.locator('#heatmap-caption').textContent()).toBe('Crack: strongest in the upper left.');

    await page.getByText('Chip', { exact: true }).click();
    await until(() => page.locator('#heatmap-caption').textContent()).toBe('Chip: strongest in the lower right.');
    await page.getByLabel('Show heatmap').uncheck();
    expect(await page.locator('#heatmap').isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  it('is in Russian for a browser that prefers Russian', async (test) => {
    await predict(CRACK_OUTCOME);
    const { page, problems } = await openPage(test, `${product.url}/#token=${TOKEN}`, { locale: 'ru-RU' });
    expect(await page.locator('html').getAttribute('lang')).toBe('ru');
    await choosePhoto(page, 'стена.jpg');
    await until(() => page.locator('#result-title').textContent()).toMatch(/^Трещина, 84\s%/);
    await until(() => page.locator('#heatmap-caption').textContent()).toBe('Трещина: сильнее всего слева вверху.');
    expect(await page.locator('main').textContent()).not.toMatch(/[a-z]{4,} [a-z]{4,} [a-z]{4,}/);
    expect(problems).toEqual([]);
  });

  it('sends the project and the tags of the form, and shows those of the result', { tags: ['full'] }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page, problems } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    await page.getByText('Project and tags').click();
    await page.getByLabel('Project', { exact: true }).fill('Bridge 7');
    await page.getByLabel('Tags, separated by commas').fill('north, pier 3 ,');
    await choosePhoto(page);
    await until(() => page.locator('#result-title').textContent()).toContain('Crack');
    expect(await page.locator('#outcome .group').allTextContents()).toEqual(['Bridge 7', 'north', 'pier 3']);
    expect(problems).toEqual([]);
  });

  it('works with the keyboard alone', async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    // Registered before the key press, so that the event cannot be missed.
    const opened = page.waitForEvent('filechooser');
    const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.value');
    const tabTo = async (id: string) => {
      for (let i = 0; i < 30 && (await focused()) !== id; i++) await page.keyboard.press('Tab');
      expect(await focused()).toBe(id);
    };
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('main');
    await tabTo('file');
    await page.keyboard.press('Enter');
    const chooser = await opened;
    await chooser.setFiles(jpeg('wall.jpg', await createWallPhoto()));
    await until(() => isHeatmapPainted(page)).toBe(true);
    expect(await focused()).toBe('file');
    await tabTo('heatmap-opacity');
    await page.keyboard.press('End');
    expect(await page.evaluate('document.querySelector("#heatmap").style.opacity')).toBe('1');
    await tabTo('crack');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('chip');
    await until(() => page.locator('#heatmap-caption').textContent()).toContain('Chip');
  });

  itInBothLanguages([
    ['en-GB', 'Confirm result', 'Save correction', 'Correction saved.', 'Result confirmed.'],
    ['ru-RU', 'Подтвердить результат', 'Сохранить исправление', 'Исправление сохранено.', 'Результат подтверждён.'],
  ] as const)(
    'confirms and corrects a result with the keyboard alone (%s)',
    async ([locale, confirm, save, saved, confirmed], test) => {
      await predict(CRACK_OUTCOME);
      const { page, problems } = await openPage(test, `${product.url}/#token=${REVIEWER}`, { locale });
      await choosePhoto(page);
      const summary = page.locator('.correction summary');
      await until(() => summary.isVisible()).toBe(true);
      await summary.focus();
      await page.keyboard.press('Enter');
      const button = page.locator('.correction button');
      expect(await button.textContent()).toBe(confirm);
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowDown');
      expect(await button.textContent()).toBe(save);
      await button.press('Enter');
      await until(() => page.locator('.correction [role=status]').textContent()).toBe(saved);
      await page.locator('.correction select').first().focus();
      await page.keyboard.press('ArrowUp');
      await button.press('Enter');
      await until(() => page.locator('.correction [role=status]').textContent()).toBe(confirmed);
      expect(await findViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it('keeps the choices that are made while a correction is saved', { tags: ['full'] }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, `${product.url}/#token=${REVIEWER}`);
    await choosePhoto(page);
    await page.locator('.correction summary').click();
    const surface = page.locator('.correction select').first();
    await surface.press('ArrowDown');
    let save!: () => void;
    const maySave = new Promise<void>((resolve) => (save = resolve));
    await page.route('**/correction', (route) => maySave.then(() => route.continue()));
    await page.getByRole('button', { name: 'Save correction' }).click();
    await surface.press('ArrowDown');
    const chosen = await surface.inputValue();
    save();
    await until(() => page.locator('.correction [role=status]').textContent()).toBe('Correction saved.');
    expect(await surface.inputValue()).toBe(chosen);
    expect(await page.locator('.correction button').textContent()).toBe('Save correction');
  });

  it.for([
    ['en', 'Too many requests: try again in 45 s.'],
    ['ru', 'Слишком много запросов. Повторите через 45 с.'],
  ] as const)(
    'says in %s when a correction that the rate limit rejects can be repeated',
    {
      tags: ['full'],
    },
    async ([locale, text], test) => {
      await predict(CRACK_OUTCOME);
      const { page } = await openPage(test, `${product.url}/#token=${REVIEWER}`, { locale });
      await choosePhoto(page);
      await page.locator('.correction summary').click();
      const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests: try again in 45 s.' };
      await page.route('**/correction', (route) =>
        route.fulfill({ status: 429, headers: { 'retry-after': '45' }, json: { ok: false, error } }),
      );
      await page.locator('.correction button').click();
      await until(() => page.locator('.correction [role=status]').textContent()).toBe(text);
    },
  );

  it('keeps the choices of a correction when another reviewer has corrected the result', {
    tags: ['full'],
  }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, `${product.url}/#token=${REVIEWER}`);
    await choosePhoto(page);
    await page.locator('.correction summary').click();
    const surface = page.locator('.correction select').first();
    await page.route('**/correction', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 412, json: { ok: false, error: { code: 'PRECONDITION_FAILED', message: '' } } })
        : route.fulfill({
            json: {
              ok: true,
              data: {
                ...{ task_id: 'x', may_correct: true, version: 1 },
                history: [{ surface: 'wall', master: 'sound', defects: [], confirmed: false }],
              },
            },
          }),
    );
    await surface.focus();
    await page.keyboard.press('ArrowDown');
    const chosen = await surface.inputValue();
    await page.getByRole('button', { name: 'Save correction' }).click();
    const status = page.locator('.correction [role=status]');
    await until(() => status.textContent()).toContain('Another reviewer has corrected this result: ');
    expect(await surface.inputValue()).toBe(chosen);
  });

  it('confirms a result of unlisted surfaces whose group is not the group of its first defect', {
    tags: ['full'],
  }, async (test) => {
    const masters = [{ name: 'mechanical', conf: 0.6 }];
    const result = { ...(CRACK_OUTCOME.result as object), masters, model_version: 'early' };
    const versions = () => [{ version: 'early', details: { ...MODEL_DETAILS, surfaces: [] } }];
    await work(createFakeModel({ versions, run: async () => ({ ...CRACK_OUTCOME, result }) }));
    const { page } = await openPage(test, `${product.url}/#token=${REVIEWER}`);
    await choosePhoto(page);
    await page.locator('.correction summary').click();
    await page.getByRole('button', { name: 'Confirm result' }).click();
    await until(() => page.locator('.correction [role=status]').textContent()).toBe('Result confirmed.');
  });

  itInBothLanguages(
    [
      [
        'en-GB',
        'Promote: own-2',
        'Run as shadow: 1.0.0',
        'Roll back to 1.0.0: own-2',
        'own-2 promoted',
        'No photos were',
      ],
      [
        'ru-RU',
        'Сделать основной: own-2',
        'Сделать теневой: 1.0.0',
        'Вернуть 1.0.0: own-2',
        'Основная версия: own-2',
        'За этот',
      ],
    ] as const,
    'full',
  )(
    'promotes, shadows and rolls back a version with the keyboard alone (%s)',
    async ([locale, promote, shadow, rollBack, promoted, none], test) => {
      await predict(CRACK_OUTCOME);
      const { page, problems } = await openPage(test, `${product.url}/#token=${REVIEWER}`, { locale });
      await page.locator('a[href="model-versions"]').press('Enter');
      const badges = () => page.locator('#versions .badge').count();
      const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
      await until(badges).toBe(1);
      await press(promote);
      await until(() => page.locator('#history li').first().textContent()).toContain(promoted);
      await press(shadow);
      await until(badges).toBe(2);
      expect(await page.locator('#comparisons').textContent()).toContain(none);
      expect(await findViolations(page)).toEqual([]);
      // The shadow version becomes the default.
      await press(rollBack);
      await until(badges).toBe(1);
      expect(problems).toEqual([]);
    },
  );

  itInBothLanguages(
    [
      [
        'en-GB',
        'Train from corrections',
        'queued for a worker',
        'Photos: 90',
        'held-back corrections',
        'Promote: trained-1',
        'few photos (30)',
      ],
      [
        'ru-RU',
        'Обучить на исправлениях',
        'ожидает',
        'фото: 90',
        'отложенные исправления',
        'Сделать основной: trained-1',
        'малом числе фото (30)',
      ],
    ] as const,
    'full',
  )(
    'trains a version with the keyboard alone and compares it with the shipped one (%s)',
    async ([locale, start, queued, completed, heldBack, promote, few], test) => {
      const { db } = product.database;
      await db.query('delete from defectoscopy_trainings');
      await db.query(
        `insert into defectoscopy_corrected_photos (task_id, model_version, network, features, version)
         select 'corrected-' || n, '1.0.0', repeat('a', 64), '', 1 from generate_series(1, 30) n on conflict do nothing`,
      );
      await predict(CRACK_OUTCOME);
      const { page, problems } = await openPage(test, `${product.url}/model-versions#token=${REVIEWER}`, { locale });
      await until(() => page.locator('#corrected').textContent()).toContain('30');
      const name = page.locator('#train-version');
      const button = page.getByRole('button', { name: start });
      await name.fill('1.0.0');
      await name.press('Enter');
      await until(() => page.locator('#error').isVisible()).toBe(true);
      await name.fill('trained-1');
      await button.press('Enter');
      await until(() => page.locator('#training').textContent()).toContain(queued);
      expect(await page.locator('#training progress').count()).toBe(1);
      await button.press('Enter');
      await until(() => page.locator('#error').isVisible()).toBe(true);

      // The fake model trains nothing.
      const change = { before: 0.5, after: 0.75 };
      const comparison = (photos: number) => ({
        ...{ photos, accuracy: change },
        classes: [{ name: 'crack', photos, recall: change, precision: { after: 1 } }],
      });
      const defects = { head: 'defects', held_back: comparison(30), test: comparison(1263) };
      await db.query(
        `update defectoscopy_trainings set version = 'trained-1', ended_at = now(), files = '{}', report = $1`,
        [{ base: '1.0.0', photos: { training: 90, held_back: 30 }, heads: [defects] }],
      );
      await until(() => page.locator('#training').textContent()).toContain(completed);
      await until(() => page.locator('#training summary').first().textContent()).toContain(heldBack);
      expect(await page.locator('#training tbody').first().textContent()).toMatch(/50[.,]0\s?% → 75[.,]0\s?%/);
      expect(await page.locator('#training').getByRole('button', { name: promote }).count()).toBe(1);
      expect(await page.locator('#training .tools button').count()).toBe(2);
      expect(await page.locator('#training .caution').textContent()).toContain(few);
      expect(await page.locator('#versions .caution').count()).toBe(0);
      expect(await findViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      const head = page.locator('#training details[open] thead th').last();
      const lines = await head.evaluate((cell: any) => {
        const range = cell.ownerDocument.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      });
      expect(lines).toBe(1);
      expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
    },
  );

  it('shows versions without buttons to tokens without the role reviewer', { tags: ['full'] }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, `${product.url}/model-versions#token=${TOKEN}`);
    await page.getByRole('heading', { name: 'own-2' }).waitFor();
    expect(await page.locator('#versions button').count()).toBe(0);
    expect(await page.locator('#train').isVisible()).toBe(false);
  });

  it('shows no form without the role reviewer', { tags: ['full'] }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    const modelsResponse = page.waitForResponse((response) => response.url().endsWith('/models'));
    await choosePhoto(page);
    await modelsResponse;
    await until(() => page.locator('#result-title').textContent()).toContain('Crack');
    expect(await page.locator('.correction').count()).toBe(0);
  });

  itInBothLanguages([
    ['en-GB', 'Regions of the photo', 'Chip', 'Zoom in', 'Whole photo'],
    ['ru-RU', 'Участки фото', 'Скол', 'Увеличить', 'Всё фото'],
  ] as const)('lists the regions with their boxes and zooms to them (%s)', async (words, test) => {
    const [locale, heading, chip, zoomIn, wholePhoto] = words;
    await predict(REGIONS_OUTCOME);
    const { page, problems } = await openPage(test, `${product.url}/#token=${TOKEN}`, { locale });
    await choosePhoto(page);
    await page.getByRole('heading', { name: heading }).waitFor();
    const entry = page.getByRole('button', { name: chip });
    const box = page.locator('#boxes .box[data-key="1"]');
    const transform = () => page.evaluate<string>('document.querySelector("#stage").style.transform');
    const whole = await transform();

    await entry.focus();
    await until(() => box.getAttribute('class')).toBe('box highlighted');
    await page.locator('#boxes .box[data-key="0"]').hover();
    await until(() => page.locator('[data-region="0"]').getAttribute('class')).toContain('highlighted');
    expect(await box.getAttribute('class')).toBe('box');

    await entry.press('Enter');
    expect(await transform()).not.toBe(whole);
    await page.getByRole('button', { name: wholePhoto }).press('Enter');
    expect(await transform()).toBe(whole);
    await page.getByRole('button', { name: zoomIn }).click();
    expect(await transform()).toContain('scale(1.5)');

    await page.locator('#frame').focus();
    await page.keyboard.press('+');
    expect(await transform()).toContain('scale(2.25)');
    const before = await transform();
    await page.keyboard.press('ArrowRight');
    expect(await transform()).not.toBe(before);
    await page.keyboard.press('0');
    expect(await transform()).toBe(whole);
    await page.locator('#frame').hover();
    await page.mouse.wheel(0, -200);
    await until(transform).toContain('scale(2.25)');
    const zoomed = await transform();
    await page.mouse.down();
    await page.mouse.move(200, 300, { steps: 4 });
    await page.mouse.up();
    expect(await transform()).not.toBe(zoomed);
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('shows “Looks sound” and hides the heatmap when the model finds no defects', { tags: ['full'] }, async (test) => {
    await predict(NO_DEFECTS_OUTCOME);
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    await choosePhoto(page);
    await until(() => page.locator('#result-title').textContent()).toBe('No defects detected');
    expect(await page.locator('#heatmap').isVisible()).toBe(false);
  });

  it('does not show a photo with regions as sound when the overview shows no defects', {
    tags: ['full'],
  }, async (test) => {
    await predict({ ...REGIONS_OUTCOME, result: { ...(REGIONS_OUTCOME.result as object), defects: [] } });
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    await choosePhoto(page);
    await until(() => page.locator('#result-title').textContent()).toBe('No defects in overview');
    expect(await page.locator('.result-head').getAttribute('data-positive')).toBe('false');
    expect(await page.locator('[data-region]').count()).toBe(2);
  });

  itInBothLanguages([
    ['en-GB', 'Unfamiliar photo'],
    ['ru-RU', 'Незнакомое фото'],
  ] as const)('warns of an unfamiliar photo before the defects (%s)', async ([locale, title], test) => {
    await predict(UNFAMILIAR_OUTCOME);
    const { page, problems } = await openPage(test, `${product.url}/#token=${TOKEN}`, { locale });
    await choosePhoto(page);
    await until(() => page.locator('#outcome h2').first().textContent()).toBe(title);
    expect(await page.locator('#result-title').textContent()).toContain('84');
    expect(problems).toEqual([]);
  });

  it('asks for a token when it has none, and again when the server rejects it', async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, product.url);
    const form = page.locator('#token-form');
    await form.waitFor();
    await choosePhoto(page);
    await page.locator('#token-input').fill('not-the-token');
    await page.keyboard.press('Enter');
    await until(() => page.locator('#token-why').textContent()).toContain('Invalid access token');
    await page.locator('#token-input').fill(TOKEN);
    await page.keyboard.press('Enter');
    await until(() => page.locator('#result-title').textContent()).toContain('Crack');
    expect(await form.isVisible()).toBe(false);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await until(() => page.locator('#model-status').textContent()).not.toBe('');
    expect(await form.isVisible()).toBe(false);
  });

  it('shows the message and the code of rejected uploads and failed tasks', { tags: ['full'] }, async (test) => {
    const run = () => Promise.reject(new TaskFailure(FAILURES.corrupt));
    await work(createFakeModel({ run }));
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    await page
      .locator('#file')
      .setInputFiles(jpeg('letter.jpg', Buffer.from('Dear all, this is no photo. '.repeat(99))));
    await until(() => page.locator('.result-head').textContent()).toContain('Unsupported image format');
    expect(await page.locator('.result-head').textContent()).toContain('UNSUPPORTED_MEDIA_TYPE');
    await choosePhoto(page);
    await until(() => page.locator('.result-head').textContent()).toContain(FAILURES.corrupt.message);
    expect(await page.locator('.result-head').textContent()).toContain('IMAGE_CORRUPT');
    const states = () => page.locator('#steps li').evaluateAll((items) => items.map((item) => item.dataset.state));
    expect(await states()).toEqual(['past', 'past', 'bad', 'bad']);
    // An earlier task, whose steps were not followed.
    await page.reload();
    await until(() => page.locator('.result-head').textContent()).toContain('IMAGE_CORRUPT');
    expect(await states()).toEqual(['past', 'past', 'bad', 'bad']);

    await page.locator('#file').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await until(() => page.getByRole('alert').textContent()).toContain('notes.txt');
    await transferFile(
      page,
      'drop',
      `new File([new Uint8Array(20 * 2 ** 20 + 1)], 'huge.jpg', { type: 'image/jpeg' })`,
    );
    await until(() => page.getByRole('alert').textContent()).toMatch(/huge\.jpg is too large \(20 MB\)/);
  });

  it('cancels a queued photo and keeps the earlier photos of the session', { tags: ['full'] }, async (test) => {
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    await choosePhoto(page, 'first.jpg');
    await until(() => stepItem(page, 'Queued').getAttribute('aria-current')).toBe('step');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await until(() => page.locator('#result-title').textContent()).toBe('Processing was cancelled.');

    await predict(CRACK_OUTCOME);
    await choosePhoto(page, 'second.jpg');
    await until(() => page.locator('#result-title').textContent()).toContain('Crack');
    await page.getByRole('button', { name: /first.jpg/ }).click();
    expect(await page.locator('#result-title').textContent()).toBe('Processing was cancelled.');
  });

  it('asks before it is left until the server has accepted the files', { tags: ['full'] }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    const asks = () => page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    expect(await asks()).toBe(false);
    const held = new Promise<Route>((resolve) => void page.route('**/predict', resolve));
    await choosePhoto(page);
    const request = await held;
    expect(await asks()).toBe(true);
    await request.fallback();
    await until(() => page.locator('#result-title').textContent()).toContain('Crack');
    expect(await asks()).toBe(false);
  });

  it('rotates a photo by its EXIF orientation and shows a placeholder for formats without preview', {
    tags: ['full'],
  }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    const ratio = () =>
      page.evaluate<number>(
        '(({ clientWidth, clientHeight }) => clientWidth / clientHeight)(document.querySelector("#frame"))',
      );
    await page.locator('#file').setInputFiles(jpeg('phone.jpg', await createWallPhoto({ orientation: 6 })));
    await until(ratio).toBeCloseTo(400 / 600, 1);
    const tiff = Buffer.concat([Buffer.from('II*\0'), Buffer.alloc(500)]);
    await page.locator('#file').setInputFiles({ name: 'scan.tiff', mimeType: 'image/tiff', buffer: tiff });
    await until(() => page.locator('#no-preview').textContent()).toContain('No preview available for scan.tiff');
    await until(() => isHeatmapPainted(page)).toBe(true);
  });

  it('accepts dropped and pasted files and shows their names as text', { tags: ['full'] }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page, problems } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    const name = '<img src=x onerror=alert(1)>.jpg';
    const bytes = `Uint8Array.from(atob('${(await createWallPhoto()).toString('base64')}'), (c) => c.charCodeAt(0))`;
    const bring = async (kind: 'drop' | 'paste') => {
      await transferFile(page, kind, `new File([${bytes}], '${kind} ${name}', { type: 'image/jpeg' })`);
      await until(() => page.locator('#file-name').textContent()).toBe(`${kind} ${name}`);
      await until(() => page.locator('#result-title').textContent()).toContain('Crack');
    };
    await bring('drop');
    await bring('paste');
    expect(problems).toEqual([]);
  });

  it('shows the reason and retries while the server is unreachable or rate-limited', {
    tags: ['full'],
  }, async (test) => {
    await predict(CRACK_OUTCOME);
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`);
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.' };
    let [busy, away] = [1, 1];
    await page.route('**/predict', (route) => {
      if (away-- > 0) return route.abort('connectionrefused');
      if (busy-- <= 0) return route.fallback();
      return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { ok: false, error } });
    });
    await choosePhoto(page);
    await until(() => page.locator('#note').textContent()).toBe('The server is not responding. Retrying in 1 s.');
    await until(() => page.locator('#note').textContent()).toBe('Too many requests. Retrying in 1 s.');
    await until(() => page.locator('#result-title').textContent()).toContain('Crack');
  });

  it('states that uploads are disabled, and asks for no token when authentication is disabled', {
    tags: ['full'],
  }, async (test) => {
    const closed = await startProduct({ env: { FILES_HOST: undefined } });
    onTestFinished(() => closed.stop());
    expect((await closed.call('/', { token: null })).text).toContain('Uploads are disabled');
    const open = await startProduct({
      env: { DEFECTOSCOPY_AUTH: 'disabled', DEFECTOSCOPY_API_TOKENS: undefined },
      model: createFakeModel({ run: async () => NO_DEFECTS_OUTCOME }),
    });
    onTestFinished(() => open.stop());
    const { page, problems } = await openPage(test, open.url);
    await choosePhoto(page);
    await until(() => page.locator('#result-title').textContent()).toBe('No defects detected');
    expect(problems).toEqual([]);
  });

  it('shows a notice instead of the form when JavaScript is disabled', { tags: ['full'] }, async (test) => {
    const { page } = await openPage(test, product.url, { javaScriptEnabled: false });
    expect(await page.locator('noscript').textContent()).toContain('requires JavaScript');
    expect(await page.locator('.drop-area').isVisible()).toBe(false);
  });

  it('fits a phone and a desktop screen in light and dark mode', { tags: ['full'], timeout: 60_000 }, async (test) => {
    await predict(CRACK_OUTCOME);
    const folder = process.env['ASSAY_SCREENSHOTS'] ?? (await mkdtemp(join(tmpdir(), 'assay-screens-')));
    for (const width of [390, 1440]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`, {
          ...{ colorScheme, viewport: { width, height: width === 390 ? 1600 : 900 }, reducedMotion: 'reduce' },
          ...(width === 390 && { hasTouch: true, isMobile: true }),
        });
        await choosePhoto(page);
        await until(() => isHeatmapPainted(page)).toBe(true);
        const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await page.evaluate(wider)).toBe(0);
        // A full-page screenshot would end the touch emulation that the phone layout depends on.
        const path = join(folder, `photo-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: width !== 390 });
      }
    }
  });

  it('serves its assets as immutable under content-hashed paths, and no other files', async () => {
    const { text, headers } = await product.call('/', { token: null });
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(text).not.toMatch(/<style|style=|onclick|javascript:|https?:/);
    const preloaded = Array.from(text.matchAll(/rel="modulepreload" href="([^"]+)"/g), ([, name]) => name!);
    const names = preloaded.map((url) => url.replace(/^assets\/[0-9a-f]{16}\//, ''));
    expect(names).toContain('services/defectoscopy/browser/photo-page.js');
    expect(names).toContain('ui/browser/dom.js');
    // Of other pages and of the server.
    expect(names).not.toContain('services/defectoscopy/browser/models-page.js');
    expect(names).not.toContain('services/defectoscopy/browser/texts.js');
    expect(new Set(names).size).toBe(names.length);
    const [address] = /assets\/[0-9a-f]{16}\/ui\/styles\.css/.exec(text) ?? [];
    const part = await product.call(`/${address}`, { token: null });
    expect(part).toMatchObject({ status: 200 });
    expect(part.headers.get('cache-control')).toContain('immutable');
    const etag = { 'if-none-match': part.headers.get('etag')! };
    expect((await product.call(`/${address}`, { headers: etag, token: null })).status).toBe(304);
    for (const name of ['ui/assets.js', 'services/defectoscopy/gateway.js', '../package.json', '%2e%2e/package.json']) {
      expect((await product.call(`/${address?.replace('ui/styles.css', name)}`, { token: null })).status).toBe(404);
    }
  });

  it.skipIf(!existsSync(new URL('../../models/defectoscopy/1.0.0/manifest.json', import.meta.url)))(
    'shows the prediction of the shipped model for the example photo',
    async (test) => {
      await work(
        await (product.context.services[0] as TaskService).work.load(await createModelContext(product.context)),
      );
      const { page, problems } = await openPage(test, `${product.url}/#token=${TOKEN}`);
      await page.getByRole('button', { name: 'Use the example photo' }).click();
      await until(() => page.locator('#result-title').textContent()).not.toBe('');
      expect(await page.locator('.bars').count()).toBe(2);
      expect(problems).toEqual([]);
    },
  );
});
