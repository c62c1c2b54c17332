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
    await until(() => page.locator('#refused').textContent()).toBe(
      'Папку нельзя загрузить на этой странице. Загрузите её здесь: Много файлов',
    );
    expect(await page.locator('#refused a').getAttribute('href')).toBe('batch');
  },
);
