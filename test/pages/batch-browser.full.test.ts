import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { TaskFailure } from '../../src/tasks/task.ts';
import { archiveOf } from '../support/archive.ts';
import { openPage } from '../support/browser/open-page.ts';
import { ADMIN_KEY, createFakeExtractionModel, createPdf } from '../support/passports.ts';
import { createFakeModel, RESULT, startProduct, TOKEN } from '../support/product.ts';
import { createFakeSpeechModel, createSilence, TRANSCRIPT } from '../support/speech/fake-model.ts';

vi.setConfig({ testTimeout: 120_000 });
const file = (name: string, mimeType = 'image/jpeg') => ({
  ...{ name, mimeType },
  buffer: Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from(name)]),
});
const cellsOf = (page: Page, column: number) => page.locator(`#rows td:nth-child(${column})`).allTextContents();
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 30_000, interval: 50 });

it('The page of a batch sends files as an archive, shows them as a table, retries failed ones and saves the results', async (test) => {
  let isFailing = true;
  const product = await startProduct({
    env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
    model: createFakeModel({
      run: async ({ input }) => {
        if (isFailing && (input as { file_name?: string }).file_name === 'b.jpg')
          throw new TaskFailure({ code: 'IMAGE_FETCH_FAILED', message: 'The image could not be downloaded.' });
        return { result: RESULT };
      },
    }),
  });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  const cells = (column: number) => cellsOf(page, column);

  expect(await page.locator('#limits').textContent()).toBe(
    'JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC, up to 20 MB. At most 10,000 files and 4 GB together.',
  );
  await page.locator('#file').setInputFiles([file('notes.txt', 'text/plain')]);
  await until(() => page.locator('#error').textContent()).toBe('There are no supported files.');
  await page.getByText('Project and tags').click();
  await page.getByLabel('Project', { exact: true }).fill('Bridge 7');
  await page.getByLabel('Tags, separated by commas').fill('north, pier 3');
  await page.locator('#file').setInputFiles([file('a.jpg'), file('notes.txt', 'text/plain'), file('b.jpg')]);
  await until(() => page.locator('#status').textContent()).toBe('Finished. Completed: 1, failed: 1, cancelled: 0');
  expect(await page.locator('#remaining').isVisible()).toBe(false);
  const leftOut = page.locator('#omitted-files');
  expect(await leftOut.locator('summary').textContent()).toBe('Files of other types that were left out: 1');
  expect(await leftOut.getByText('notes.txt').isVisible()).toBe(false);
  await leftOut.locator('summary').press('Enter');
  expect(await leftOut.getByText('notes.txt').isVisible()).toBe(true);
  await until(() => cells(3)).toEqual(['Completed', 'Failed']);
  expect(await cells(2)).toEqual(['a.jpg', 'b.jpg']);
  expect(await cells(4)).toEqual(['Concrete wall: crack 90%', 'The image could not be downloaded.']);

  expect(await page.locator('#progress-title').textContent()).toBe('Batch: a.jpg');
  expect(await page.locator('#groups .group').allTextContents()).toEqual(['Bridge 7', 'north', 'pier 3']);
  await page.getByLabel('Failed files only').check();
  await until(() => cells(2)).toEqual(['b.jpg']);
  expect(await page.locator('#range').textContent()).toBe('1–1 / 1');
  await page.getByLabel('Failed files only').uncheck();
  await until(() => cells(2)).toEqual(['a.jpg', 'b.jpg']);

  isFailing = false;
  await page.goto(`${product.url}/batch`);
  await until(() => page.locator('#recent-rows td:not(:nth-child(2))').allTextContents()).toEqual([
    'a.jpg',
    'Bridge 7, north, pier 3',
    'Finished. Completed: 1, failed: 1, cancelled: 0',
  ]);
  await page.setViewportSize({ width: 390, height: 800 });
  const overflow =
    'document.querySelector("#recent .scroll").scrollWidth - document.querySelector("#recent").clientWidth';
  expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator('#recent-rows a').press('Enter');
  await page.waitForURL('**/batch?id=*');
  await page.locator('#retry').waitFor();
  await page.locator('#retry').focus();
  await page.keyboard.press('Enter');
  await until(() => cells(3)).toEqual(['Completed', 'Completed']);
  expect(await page.getByLabel('Failed files only').isVisible()).toBe(false);
  expect(await cells(4)).toEqual(['Concrete wall: crack 90%', 'Concrete wall: crack 90%']);
  await until(() => page.locator('#downloads').isVisible()).toBe(true);
  const save = async (format: string) => {
    const saving = page.waitForEvent('download');
    await page.locator(`#downloads button[data-format=${format}]`).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe(`a.jpg.${format}`);
    return readFile(await saved.path());
  };
  const csv = String(await save('csv'));
  expect(csv).toMatch(/^\ufeffposition,task_id,status,error_code,error,name,surface/);
  expect(csv).toContain(',b.jpg,');
  expect(csv).toContain(',Bridge 7,north; pier 3');
  expect((await save('zip')).includes('items/b.jpg.json')).toBe(true);
  expect((await save('xlsx')).subarray(0, 4)).toEqual(Buffer.from('PK\x03\x04'));
  expect(problems).toEqual([]);
});

it('The page of a batch shows the name of the chosen archive', { tags: ['full'] }, async (test) => {
  const product = await startProduct();
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  const buffer = await archiveOf([['a.jpg', file('a.jpg').buffer]]);
  await page.locator('#file').setInputFiles([{ name: 'pier.zip', mimeType: 'application/zip', buffer }]);
  await until(() => page.locator('#progress-title').textContent()).toBe('Batch: pier.zip');
});

it('The page of a batch lists the files that the service refuses and, after a click, sends the others', {
  tags: ['full'],
}, async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`, { locale: 'ru' });
  const text = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('text') };
  await page.locator('#file').setInputFiles([text]);
  await until(() => page.locator('#invalid-files').textContent()).toBe('a.jpg: Тип файла не поддерживается.');
  expect(await page.locator('#continue').isVisible()).toBe(false);
  expect(await page.locator('#progress').isVisible()).toBe(false);
  const none = { name: 'b.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(0) };
  await page.locator('#file').setInputFiles([none]);
  await until(() => page.locator('#invalid-files').textContent()).toBe('b.jpg: Файл пуст.');
  const refused = page.locator('#error');
  const cut = Buffer.from('PK\x03\x04');
  await page.locator('#file').setInputFiles([{ name: 'cut.zip', mimeType: 'application/zip', buffer: cut }]);
  await until(() => refused.textContent()).toBe('ZIP-архив неполный или повреждён.');
  const many = await archiveOf(Array.from({ length: 10_001 }, (_, i) => [`${i}.jpg`, Buffer.from('x')]));
  await page.locator('#file').setInputFiles([{ name: 'many.zip', mimeType: 'application/zip', buffer: many }]);
  await until(() => refused.textContent()).toBe(
    'Слишком много файлов для одного пакета: допускается не больше 10\u00a0000.',
  );
  await page.locator('.grouping summary').press('Enter');
  await page.locator('#tags').fill(`север, ${'м'.repeat(51)}`);
  await page.locator('#file').setInputFiles([file('b.jpg')]);
  await until(() => refused.textContent()).toBe(`Метка «${'м'.repeat(51)}» длиннее 50 символов.`);
  await page.goto(`${product.url}/`);
  await page.locator('.grouping summary').press('Enter');
  await page.locator('#tags').fill('т,'.repeat(21));
  await page.locator('#file').setInputFiles([file('b.jpg')]);
  await until(() => refused.textContent()).toBe('Меток может быть не больше 20.');
  await page.goto(`${product.url}/batch`);
  await page.locator('#file').setInputFiles([text, file('b.jpg')]);
  await until(() => page.locator('#invalid-counts').textContent()).toBe('1 из 2. Обработка ещё не началась.');
  await page.locator('#continue').press('Enter');
  await until(() => cellsOf(page, 2)).toEqual(['b.jpg']);
  await until(() => page.locator('#remaining').textContent()).toBe('Осталось примерно 5 мин');
  expect(await page.locator('#omitted-files p').allTextContents()).toEqual([
    'Пропущено: 1.',
    'a.jpg: Тип файла не поддерживается.',
  ]);
  await page.evaluate(`{
    const { items, files } = new DataTransfer();
    for (let i = 1; i <= 101; i++) items.add(new File(['x'], i + '.txt', { type: 'text/plain' }));
    Object.assign(document.getElementById('file'), { files }).dispatchEvent(new Event('change'));
  }`);
  await until(() => page.locator('#omitted-files summary').textContent()).toBe('Пропущено файлов других типов: 101');
  expect((await page.locator('#omitted-files li').allTextContents()).slice(-2)).toEqual(['100.txt', 'и ещё 1']);
  await page.evaluate(`{
    const { items, files } = new DataTransfer();
    for (let i = 0; i <= 10_000; i++) items.add(new File(['x'], i + '.jpg', { type: 'image/jpeg' }));
    Object.assign(document.getElementById('file'), { files }).dispatchEvent(new Event('change'));
  }`);
  await until(() => page.locator('#error').textContent()).toBe(
    'В пакете может быть не больше 10\u00a0000 файлов. Разделите их на несколько пакетов.',
  );
});

it('The page of a batch sends a selection again after its response was lost, without a second batch', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  const keys: unknown[] = [];
  await page.route('**/batches?*', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 2) return route.continue();
    await route.fetch();
    await route.abort();
  });
  const photo = fileURLToPath(new URL('../../examples/wall.jpg', import.meta.url));
  const created = async () => (await product.call('/batches')).body.data.batches.length;
  await page.locator('#file').setInputFiles(photo);
  await until(() => page.locator('#status').textContent()).toMatch(
    /^The server is not responding\. Retrying in \d s\.$/,
  );
  await until(() => page.locator('#rows td:nth-child(2)').allTextContents()).toEqual(['wall.jpg']);
  expect(await created()).toBe(1);
  expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  await page.locator('#file').setInputFiles(photo);
  await until(created).toBe(2);
  await until(() => page.locator('#recent-rows td:first-child').allTextContents()).toEqual(['wall.jpg', 'wall.jpg']);
  await page.locator('#rows a').click();
  await until(() => page.locator('#file-name').textContent()).toBe('wall.jpg');
  await page.locator('img#photo').waitFor();
});

it('The page of a batch can cancel an upload, then accepts the same files again, sorted by name', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch#token=${TOKEN}`, {
    viewport: { width: 1366, height: 768 },
  });
  const isShown = (id: string) =>
    page.evaluate<boolean>(`{
      const { top, bottom, height } = document.getElementById('${id}').getBoundingClientRect();
      height > 0 && top >= 0 && bottom <= innerHeight;
    }`);
  const isLeavingPrevented = () =>
    page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
  const files = [file('pier 10.jpg'), file('pier 2.jpg')];
  const blocked = '**/batches?*';
  const uploading = page.waitForRequest(blocked);
  await page.route(blocked, () => undefined);
  await page.locator('#file').setInputFiles(files);
  await uploading;
  expect(await isShown('bar')).toBe(true);
  expect(await page.locator('#file').isDisabled()).toBe(true);
  expect(await page.locator('#folder').isDisabled()).toBe(true);
  expect(await isLeavingPrevented()).toBe(true);
  await page.locator('#cancel').click();
  await until(() => page.locator('#omitted-files').textContent()).toBe('The upload was cancelled.');
  expect(await isShown('omitted-files')).toBe(true);
  expect(await page.locator('#live').textContent()).toBe('The upload was cancelled.');
  expect(await page.locator('#error').isVisible()).toBe(false);
  expect(await page.locator('#progress').isVisible()).toBe(false);
  expect(await isLeavingPrevented()).toBe(false);
  await until(() => page.locator('#file').isEnabled()).toBe(true);
  expect(await page.locator('#file').inputValue()).toBe('');

  await page.unroute(blocked);
  await page.locator('#file').setInputFiles(files);
  await until(() => cellsOf(page, 2)).toEqual(['pier 2.jpg', 'pier 10.jpg']);
  expect(await page.locator('#omitted-files').textContent()).toBe('');
  expect(await isLeavingPrevented()).toBe(false);
  expect(problems).toEqual([]);
});

it('The page of a batch repeats an upload that is refused with Retry-After, until it is cancelled', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`, { locale: 'ru' });
  let seconds = 600;
  const keys: unknown[] = [];
  await page.route('**/batches?*', (route) => {
    if (route.request().method() === 'GET') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    const error = { code: 'QUEUE_UNAVAILABLE', message: 'Other batches are being received; nothing was accepted.' };
    const headers = { 'retry-after': String(seconds) };
    return keys.length > 2 ? route.continue() : route.fulfill({ status: 503, headers, json: { ok: false, error } });
  });
  const status = () => page.locator('#status').textContent();
  await page.locator('#file').setInputFiles([file('a.jpg')]);
  await until(status).toMatch(/^Сейчас принимаются другие пакеты, или в очереди нет места\. Повтор через [1-6]\d с\.$/);
  await page.locator('#cancel').click();
  await until(() => page.locator('#omitted-files').textContent()).toBe('Загрузка отменена.');
  seconds = 1;
  await page.locator('#file').setInputFiles([file('a.jpg')]);
  await until(() => cellsOf(page, 2)).toEqual(['a.jpg']);
  expect(keys).toHaveLength(3);
  expect(keys[2]).toBe(keys[1]);
  expect(await page.locator('#error').isVisible()).toBe(false);
});

it('The page of a batch lists the latest batches once they are no longer refused with Retry-After', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.locator('#file').setInputFiles([file('a.jpg')]);
  await until(() => cellsOf(page, 2)).toEqual(['a.jpg']);
  let refused = 0;
  await page.route('**/batches?*', (route) => {
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests: try again in 1 s.' };
    if (refused++ > 0) return route.continue();
    return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { ok: false, error } });
  });
  await page.goto(`${product.url}/batch`);
  await until(() => page.locator('#recent-rows td:first-child').allTextContents()).toEqual(['a.jpg']);
  expect(refused).toBe(2);
});

it('The page of a batch reads only the failed items, by pages, and shows the number of items of a batch without names', async (test) => {
  const product = await startProduct({
    env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
    model: createFakeModel({
      run: async ({ input }) => {
        if ((input as { image_url: string }).image_url.endsWith('/1.jpg')) return { result: RESULT };
        throw new TaskFailure({ code: 'IMAGE_CORRUPT', message: 'The file is not a readable image.' });
      },
    }),
  });
  onTestFinished(() => product.stop());
  const line = (_: unknown, at: number) => JSON.stringify({ image_url: `https://storage-1.example.com/${at + 1}.jpg` });
  const headers = { 'content-type': 'application/x-ndjson' };
  const body = Array.from({ length: 203 }, line).join('\n');
  await product.call('/batches', { method: 'POST', headers, body });
  const { page, problems } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await until(() => page.locator('#recent-rows td:first-child').allTextContents()).toEqual(['Items: 203']);
  await page.locator('#recent-rows a').press('Enter');
  await until(() => page.locator('#filter').isVisible()).toBe(true);
  await until(() => page.locator('#range').textContent()).toBe('1–100 / 203');
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/items?')) requests.push(new URL(request.url()).search);
  });
  await page.getByLabel('Failed files only').check();
  const shown = async () => [await page.locator('#range').textContent(), (await cellsOf(page, 1))[0]];
  await until(shown).toEqual(['1–100 / 202', '2']);
  await page.locator('#next').click();
  await until(shown).toEqual(['101–200 / 202', '102']);
  await page.locator('#next').click();
  await until(shown).toEqual(['201–202 / 202', '202']);
  expect(await page.locator('#next').isDisabled()).toBe(true);
  await page.locator('#previous').click();
  await until(shown).toEqual(['101–200 / 202', '102']);
  expect(requests).toEqual([0, 101, 201, 101].map((after) => `?status=failed&after=${after}&limit=100`));
  expect(problems).toEqual([]);
});

it('The page of a batch says that an upload waits for a valid token, and then continues', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch`);
  const status = () => page.locator('#status').textContent();
  await page.locator('#file').setInputFiles([file('a.jpg'), file('b.jpg')]);
  await until(status).toBe('Enter the access token above to upload the files.');
  await page.locator('#token-input').fill('wrong');
  await page.keyboard.press('Enter');
  await until(() => page.locator('#token-why').textContent()).toContain('Invalid access token');
  await until(status).toBe('Enter the access token above to upload the files.');
  await page.locator('#token-input').fill(TOKEN);
  await page.keyboard.press('Enter');
  await until(() => cellsOf(page, 2)).toEqual(['a.jpg', 'b.jpg']);
});

it('The page of a batch asks before it cancels, and then says how cancelled files are processed', async (test) => {
  const product = await startProduct({
    env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
    model: createFakeModel({
      run: ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
    }),
  });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.locator('#file').setInputFiles([file('a.jpg'), file('b.jpg')]);
  await until(() => page.locator('#count-processing').textContent()).toMatch(/[12]/);
  expect(await page.locator('#cancelled-note').isVisible()).toBe(false);
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.message());
    return questions.length === 1 ? dialog.dismiss() : dialog.accept();
  });
  await page.locator('#cancel').press('Enter');
  await until(async () => questions.length).toBe(1);
  expect((await product.call('/batches')).body.data.batches[0].counts.cancelled).toBe(0);
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  await page.route('**/cancel', (route) => sent.then(() => route.continue()));
  await page.locator('#cancel').press('Enter');
  await until(() => page.locator('#status').textContent()).toBe('Cancelling…');
  expect(await page.locator('#cancel').isVisible()).toBe(false);
  send();
  await until(() => page.locator('#status').textContent()).toBe('Finished. Completed: 0, failed: 0, cancelled: 2');
  expect(questions).toEqual(Array(2).fill('Cancel the batch? Files that are not finished will not be processed.'));
  await page.getByText('choose them again').waitFor();
  expect(await page.locator('#retry').isVisible()).toBe(false);
  expect(problems).toEqual([]);
});

it('The page of a batch says which result has no defect, names the folder of the files and asks for a token first', async (test) => {
  const product = await startProduct({
    env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
    model: createFakeModel({ run: async () => ({ result: { ...RESULT, defects: [] } }) }),
  });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch`, { locale: 'ru' });
  await page.locator('#token-input').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.evaluate(`{
    const { items, files } = new DataTransfer();
    for (const name of ['мост/опора 1.jpg', 'мост/север/2.jpg']) {
      const photo = new File([new Uint8Array([255, 216, 255, items.length])], name.split('/').at(-1), { type: 'image/jpeg' });
      items.add(Object.defineProperty(photo, 'webkitRelativePath', { value: name }));
    }
    Object.defineProperty(document.getElementById('file'), 'files', { value: files });
    document.getElementById('file').dispatchEvent(new Event('change'));
  }`);
  await until(() => page.locator('#recent-rows td:first-child').allTextContents()).toEqual(['мост']);
  await until(() => cellsOf(page, 4)).toEqual(Array(2).fill('Бетонная стена: дефектов не обнаружено'));
  await page.locator('#rows a').first().click();
  await until(() => page.locator('#file-name').textContent()).toBe('мост/опора 1.jpg');
  expect(await page.locator('#result-title').textContent()).toBe('Дефектов не обнаружено');
  expect(problems).toEqual([]);
});

it('The page of a batch names recordings without speech', async (test) => {
  const model = createFakeSpeechModel({
    run: async () => ({ result: { ...TRANSCRIPT, transcription: '', words: [] } as never }),
  });
  const product = await startProduct({ service: 'stt', env: { STT_RATE_LIMIT_PER_MINUTE: '0' }, model });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch#token=${TOKEN}`, { locale: 'ru' });
  await page.locator('#file').setInputFiles([{ name: 'a.wav', mimeType: 'audio/wav', buffer: createSilence(3) }]);
  await until(() => cellsOf(page, 4)).toEqual(['Речь не обнаружена']);
  expect(problems).toEqual([]);
});

it('The page of a batch sends the language and the terms of all recordings, and names speech that could not be recognized', async (test) => {
  const inputs: unknown[] = [];
  const model = createFakeSpeechModel({
    run: async ({ input }) => {
      inputs.push(input);
      const warning = { warnings: ['SPEECH_NOT_RECOGNIZED'], unrecognized: [{ start: 0, end: 1 }] };
      return { result: { ...TRANSCRIPT, transcription: '', segments: [], words: [], ...warning } as never };
    },
  });
  const product = await startProduct({ service: 'stt', env: { STT_RATE_LIMIT_PER_MINUTE: '0' }, model });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.getByLabel('Spoken language').selectOption('ru');
  await page.locator('.terms summary').click();
  const terms = Array.from({ length: 300 }, (_, i) => `${'стяжка '.repeat(4)}${i}`);
  await page.locator('#vocabulary').fill(['nginx = engine x', ...terms].join('\n'));
  const recording = (name: string) => ({ name, mimeType: 'audio/wav', buffer: createSilence(1) });
  await page.locator('#file').setInputFiles([recording('a.wav'), recording('b.wav')]);
  await until(() => page.locator('#status').textContent()).toBe('Finished. Completed: 2, failed: 0, cancelled: 0');
  const vocabulary = [{ term: 'nginx', spoken: ['engine x'] }, ...terms.map((term) => ({ term }))];
  expect(inputs).toMatchObject([
    { language: 'ru', vocabulary },
    { language: 'ru', vocabulary },
  ]);
  await until(() => cellsOf(page, 4)).toEqual(['Speech not recognized', 'Speech not recognized']);
  expect(problems).toEqual([]);

  await page.locator('#vocabulary').fill('a'.repeat(66_000));
  await page.locator('#file').setInputFiles([recording('c.wav')]);
  await until(() => page.locator('#error').textContent()).toBe('The field vocabulary is too long.');
});

it('The page of a batch offers no cancel and no remaining time when all items have ended', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.locator('#file').setInputFiles([file('a.jpg')]);
  await until(() => page.locator('#remaining').isVisible()).toBe(true);
  expect(await page.locator('#cancel').isVisible()).toBe(true);
  // The state before the cleanup completes the batch.
  await page.route(/\/batches\/\w+$/, async (route) => {
    const response = await route.fetch();
    const { ok, data } = (await response.json()) as { ok: boolean; data: object };
    const counts = { queued: 0, processing: 0, done: 0, failed: 0, cancelled: 1 };
    return route.fulfill({ response, json: { ok, data: { ...data, counts, estimated_wait_seconds: 1 } } });
  });
  await until(() => page.locator('#status').textContent()).toBe('Finished: 1 of 1');
  expect(await page.locator('#remaining').isVisible()).toBe(false);
  expect(await page.locator('#cancel').isVisible()).toBe(false);
});

it('The page of a batch of passports needs a sign-in, creates a document per PDF and saves their fields as a table', async (test) => {
  const product = await startProduct({
    service: 'passports',
    env: { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}`, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' },
    model: createFakeExtractionModel(),
  });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch`);
  expect(page.url()).toBe(`${product.url}/login`);
  await page.locator('#api_key').fill(ADMIN_KEY);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Many files' }).click();
  await page.waitForURL('**/batch');
  await page.getByText('PDF files only').waitFor();
  expect(await page.locator('#file').getAttribute('accept')).toContain('.pdf');
  const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from(createPdf().bytes) });
  await page.locator('#file').setInputFiles([pdf('b.pdf'), file('photo.jpg'), pdf('a.pdf')]);
  await until(() => page.locator('#status').textContent()).toBe('Finished. Completed: 2, failed: 0, cancelled: 0');
  expect(await page.locator('#omitted-files').textContent()).toBe(
    'Files of other types that were left out: 1photo.jpg',
  );
  await until(() => cellsOf(page, 4)).toEqual([
    'Fields: 3, table rows: 2, to review: 7',
    'Fields: 3, table rows: 2, to review: 7',
  ]);
  await until(() => cellsOf(page, 2)).toEqual(['a.pdf', 'b.pdf']);
  const signIn = { method: 'POST', body: { api_key: ADMIN_KEY }, token: null };
  const { token } = (await product.call('/auth/token', signIn)).body;
  const { events } = (await product.call('/events', { token })).body;
  expect(events).toContainEqual(expect.objectContaining({ type: 'batch.completed' }));
  const saving = page.waitForEvent('download');
  await page.locator('#downloads button[data-format=csv]').click();
  expect(String(await readFile(await (await saving).path()))).toMatch(/,general:year_built,[\s\S]*,1978,/);
  await page.locator('#rows a').first().click();
  await page.waitForURL('**/task/*');
  expect(await page.locator('h1').textContent()).toContain('a.pdf');
  expect(problems).toEqual([]);
});

it('The page of a batch shows its items also if neither the recent batches nor summaries can be read, and offers no retry of damaged and missing files', async (test) => {
  const product = await startProduct({
    env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
    model: createFakeModel({
      run: async ({ input }) => {
        if ((input as { file_name?: string }).file_name === 'b.jpg')
          throw new TaskFailure({ code: 'IMAGE_CORRUPT', message: 'The file is not a readable image.' });
        if ((input as { file_name?: string }).file_name === 'c.jpg')
          throw new TaskFailure({ code: 'IMAGE_NOT_FOUND', message: 'No image was found at this URL.' });
        return { result: RESULT };
      },
    }),
  });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.route('**/batches?limit=*', (route) => route.abort());
  await page.route('**/items?*summary=true', (route) => route.abort());
  await page.locator('#file').setInputFiles([file('a.jpg'), file('b.jpg'), file('c.jpg')]);
  await until(() => page.locator('#status').textContent()).toBe('Finished. Completed: 1, failed: 2, cancelled: 0');
  await until(() => cellsOf(page, 3)).toEqual(['Completed', 'Failed', 'Failed']);
  await page.getByText('Retrying would not help').waitFor();
  expect(await page.locator('#retry').isVisible()).toBe(false);
  expect(await page.locator('#error').isVisible()).toBe(false);
});

it('The page of an unknown batch says so and sends no more requests', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.clock.install();
  await page.goto(`${product.url}/batch?id=unknown`);
  await until(() => page.locator('#error').textContent()).toBe('The batch does not exist or has expired.');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.clock.runFor(5000);
  expect(requests).toEqual([]);
  expect(await page.locator('#error').isVisible()).toBe(true);
});
