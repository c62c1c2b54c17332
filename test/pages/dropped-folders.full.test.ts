import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { drop } from '../support/browser/drop.ts';
import { openPage } from '../support/browser/open-page.ts';
import { ADMIN_KEY } from '../support/passports.ts';
import { startProduct, TOKEN } from '../support/product.ts';

const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 30_000, interval: 50 });

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-drop-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it.for(['defectoscopy', 'stt', 'passports'])(
  'The start page of %s names the page for folders when a folder is dropped',
  async (service, test) => {
    const product = await startProduct({ service, env: { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}` } });
    onTestFinished(() => product.stop());
    const folder = await createFolder();
    await writeFile(join(folder, 'a.jpg'), 'x');
    const { page } = await openPage(test, `${product.url}/#token=${TOKEN}`, { locale: 'ru' });
    await drop(page, [folder]);
    await until(() => page.locator('#error').textContent()).toBe(
      'Папку нельзя загрузить на этой странице. Загрузите её здесь: Много файлов',
    );
    expect(await page.locator('#error a').getAttribute('href')).toBe('batch');
  },
);

it('The page of a batch counts the files of a dropped folder while it opens them and says when there are too many or none', {
  tags: ['full'],
}, async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.evaluate(`{
    window.shown = [];
    const status = document.getElementById('status');
    new MutationObserver(() => shown.push(status.textContent)).observe(status, { childList: true });
  }`);
  const folder = await createFolder();
  await mkdir(join(folder, 'north'));
  await mkdir(join(folder, 'south'));
  await drop(page, [join(folder, 'south')]);
  await until(() => page.locator('#error').textContent()).toBe('There are no supported files.');
  expect(await page.locator('#progress').isVisible()).toBe(false);

  for (let i = 0; i <= 10_000; i++) await writeFile(join(folder, 'north', `${i}.jpg`), 'x');
  await drop(page, [folder]);
  await until(() => page.locator('#error').textContent()).toBe(
    'A batch has at most 10,000 files. Divide them into several batches.',
  );
  expect(await page.evaluate<string[]>('shown')).toContainEqual(expect.stringMatching(/^Files found: [1-9],\d{3}$/));
  expect(problems).toEqual([]);
});
