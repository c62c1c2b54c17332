import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { TaskFailure } from '../../src/tasks/task.ts';
import { openPage } from '../support/browser/open-page.ts';
import { createFakeModel, RESULT, startProduct, TOKEN } from '../support/product.ts';

vi.setConfig({ testTimeout: 120_000 });
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 30_000, interval: 50 });

it('The page of a batch sends files as an archive, shows them as a table, retries failed ones and saves the results', async (test) => {
  let isFailing = true;
  const product = await startProduct({
    env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
    model: createFakeModel({
      run: async ({ input }) => {
        if (isFailing && (input as { file_name?: string }).file_name === 'b.jpg')
          throw new TaskFailure({ code: 'IMAGE_CORRUPT', message: 'The file is not a readable image.' });
        return { result: RESULT };
      },
    }),
  });
  onTestFinished(() => product.stop());
  const { page, problems } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  const file = (name: string, mimeType = 'image/jpeg') => ({
    ...{ name, mimeType },
    buffer: Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from(name)]),
  });
  const cells = (column: number) => page.locator(`#rows td:nth-child(${column})`).allTextContents();

  await page.locator('#files').setInputFiles([file('notes.txt', 'text/plain')]);
  await until(() => page.locator('#refused').textContent()).toBe('There are no supported files.');
  await page.locator('#files').setInputFiles([file('a.jpg'), file('notes.txt', 'text/plain'), file('b.jpg')]);
  await until(() => page.locator('#status').textContent()).toBe('Completed. Files: 2');
  expect(await page.locator('#left-out').textContent()).toBe('Files of other types that were left out: 1.');
  expect(await cells(2)).toEqual(['a.jpg', 'b.jpg']);
  expect(await cells(3)).toEqual(['Completed', 'Failed']);
  expect(await cells(4)).toEqual(['', 'The file is not a readable image.']);

  isFailing = false;
  await page.reload();
  await page.locator('#retry').focus();
  await page.keyboard.press('Enter');
  await until(() => cells(3)).toEqual(['Completed', 'Completed']);
  await until(() => page.locator('#downloads').isVisible()).toBe(true);
  const saving = page.waitForEvent('download');
  await page.locator('#downloads button[data-format=csv]').click();
  const csv = await readFile(await (await saving).path(), 'utf8');
  expect(csv).toMatch(/^position,task_id,status,error_code,error,name,surface/);
  expect(csv).toContain(',b.jpg,');
  expect(problems).toEqual([]);
});

it('The page of a batch names the files that the service refuses, and accepts no part of them', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.locator('#files').setInputFiles([{ name: 'a.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('text') }]);
  await until(() => page.locator('#refused').textContent()).toContain('a.jpg: The file is not an image');
  expect(await page.locator('#progress').isVisible()).toBe(false);
  await page.evaluate(`{
    const { items, files } = new DataTransfer();
    for (let i = 0; i <= 10_000; i++) items.add(new File(['x'], i + '.jpg', { type: 'image/jpeg' }));
    Object.assign(document.getElementById('files'), { files }).dispatchEvent(new Event('change'));
  }`);
  await until(() => page.locator('#refused').textContent()).toBe('A batch has at most 10000 files. These are 10001.');
});

it('The page of a batch creates one batch of a selection that is sent again after its response was lost', async (test) => {
  const product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  onTestFinished(() => product.stop());
  const { page } = await openPage(test, `${product.url}/batch#token=${TOKEN}`);
  await page.route('**/batches', async (route) => {
    await route.fetch();
    await route.abort();
  });
  const buffer = Buffer.from([0xff, 0xd8, 0xff]);
  const created = async () => (await product.call('/batches')).body.data.batches.length;
  await page.locator('#files').setInputFiles([{ name: 'a.jpg', mimeType: 'image/jpeg', buffer }]);
  await until(() => page.locator('#refused').textContent()).toBe('The server is not responding.');
  expect(await created()).toBe(1);
  await page.unroute('**/batches');
  await page.locator('#files').dispatchEvent('change');
  await until(() => page.locator('#rows td:nth-child(2)').allTextContents()).toEqual(['a.jpg']);
  expect(await created()).toBe(1);
  await page.locator('#files').dispatchEvent('change');
  await until(created).toBe(2);
});
