import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage } from '../support/browser/open-page.ts';
import { type Product, startProduct } from '../support/product.ts';

const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 15_000, interval: 50 });

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.stop());

const search = (page: Page) => page.getByRole('searchbox', { name: 'Search help' });
const found = (page: Page) => page.locator('#help-results a');

describe('Help pages', () => {
  it('have no serious axe violations and no horizontal overflow', { timeout: 60_000 }, async (test) => {
    const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    // A page with code blocks and, on the phone, one with wide tables.
    const looks = [
      { path: 'help/api', viewport: { width: 1440, height: 900 }, colorScheme: 'light', locale: 'en-GB' },
      { path: 'help/api', viewport: { width: 1440, height: 900 }, colorScheme: 'dark', locale: 'ru-RU' },
      { path: 'help/models', viewport: { width: 390, height: 844 }, colorScheme: 'light', locale: 'ru-RU' },
      { path: 'help/models', viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'en-GB' },
    ] as const;
    for (const { path, ...look } of looks) {
      const { page, problems } = await openPage(test, `${product.url}/${path}`, { ...look, bypassCSP: true });
      const name = `${path.replace('/', '-')} ${look.viewport.width} ${look.colorScheme} ${look.locale}`;
      await page.addScriptTag({ content: source });
      const grave = await page.evaluate<string[]>(`axe.run().then(({ violations }) => violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`);
      expect(grave, name).toEqual([]);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide, name).toBeLessThanOrEqual(look.viewport.width);
      expect(problems, name).toEqual([]);
      const shots = process.env['ASSAY_SCREENSHOTS'];
      if (shots !== undefined) {
        await page.screenshot({ path: `${shots}/${name.replaceAll(' ', '-')}.png`, fullPage: true });
      }
    }
  });

  it('find a section by words of its title or text and open it', async (test) => {
    const { page, problems } = await openPage(test, `${product.url}/help/installation`);
    await search(page).fill('  BACKUP killed ');
    await until(() => found(page).first().textContent()).toBe('Backup');
    expect(await page.locator('#help-results mark').first().textContent()).toMatch(/^backup$/i);
    expect(await page.locator('#help-count').textContent()).toMatch(/^Results: \d+$/);
    const shots = process.env['ASSAY_SCREENSHOTS'];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/help-search.png` });
    await search(page).press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${product.url}/help/operations#backup`);
    expect((await page.locator('#backup').boundingBox())!.y).toBeLessThan(100);

    await search(page).fill('zzzz');
    await until(() => page.locator('#help-count').textContent()).toBe('No results.');
    await search(page).fill('');
    await until(() => page.locator('#help-results').isHidden()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('copy a code block unchanged', async (test) => {
    const { page } = await openPage(test, `${product.url}/help/installation`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const block = page.locator('.code').first();
    const button = block.getByRole('button');
    expect(await button.textContent()).toBe('Copy');
    await button.click();
    await until(() => button.textContent()).toBe('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await block.locator('code').textContent());
    await until(() => button.textContent()).toBe('Copy');
  });

  it('show the table of contents in a sidebar, and on a phone on demand', async (test) => {
    const { page } = await openPage(test, `${product.url}/help/api`);
    const current = page.getByRole('link', { name: 'API guide' });
    expect(await current.isVisible()).toBe(true);
    expect(await current.getAttribute('aria-current')).toBe('page');
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Errors' }).click();
    await page.waitForURL(`${product.url}/help/api#errors`);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await current.isVisible()).toBe(false);
    await page.getByText('Contents', { exact: true }).click();
    expect(await current.isVisible()).toBe(true);
  });

  it('are readable without JavaScript', async (test) => {
    const { page } = await openPage(test, `${product.url}/help`, { javaScriptEnabled: false });
    expect(await search(page).isVisible()).toBe(false);
    await page.getByRole('article').getByRole('link', { name: 'Installation' }).click();
    await page.waitForURL(`${product.url}/help/installation`);
    expect(await page.locator('.code button').count()).toBe(0);
    await page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link').last().click();
    await page.waitForURL(`${product.url}/help/api`);
  });
});
