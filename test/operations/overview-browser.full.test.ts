import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../src/services/shared/service.ts';
import { openPage } from '../support/browser/open-page.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';

const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 15_000, interval: 50 });

let product: Product;
beforeAll(async () => {
  const env = { SERVICES: 'defectoscopy,stt', STT_PORT: '0', STT_API_TOKENS: TOKEN };
  product = await startProduct({ env });
});
afterAll(() => product.stop());

const panel = (page: Page, title: string) => page.getByRole('region', { name: title });
const figure = (page: Page, title: string, label: string) =>
  panel(page, title).locator('.figure', { has: page.getByRole('heading', { name: label, exact: true }) });
const line = (page: Page, title: string, label: string) =>
  figure(page, title, label).locator('.line').getAttribute('d');

describe('Overview page', () => {
  it('updates without a reload', async (test) => {
    const { page, problems } = await openPage(test, `${product.url}/overview`);
    const waiting = figure(page, 'Defectoscopy', 'Queued');
    await until(() => waiting.locator('.current').textContent()).toBe('0');
    await page.evaluate('window.sameDocument = true');
    const before = await line(page, 'Defectoscopy', 'Queued');

    const id = await product.predict();
    await until(() => waiting.locator('.current').textContent()).toBe('1');
    expect(await waiting.getByRole('img').getAttribute('aria-label')).toMatch(/^Queued: 1 now, maximum 1/);
    expect(await waiting.locator('.hint').textContent()).toMatch(/^realtime 1, batch 0; oldest: \d+ sec/);
    expect(await line(page, 'Defectoscopy', 'Queued')).not.toBe(before);

    let release: () => void = () => {};
    const run = () =>
      new Promise<Outcome>((resolve) => {
        release = () => resolve({ result: RESULT });
      });
    onTestFinished(await product.startWorker(createFakeModel({ run })));
    await until(() => figure(page, 'Defectoscopy', 'In progress').locator('.current').textContent()).toBe('1');
    await until(() => panel(page, 'Defectoscopy').locator('.workers li').textContent()).toMatch(
      /^ready, 1\.0\.0, \d in progress$/,
    );
    await until(() => panel(page, 'Defectoscopy').locator('.worker-state').textContent()).toBe('Ready');
    release();
    await product.waitForResult(id);
    await until(() => figure(page, 'Defectoscopy', 'Completed per minute').locator('.current').textContent()).toBe('1');
    expect(await panel(page, 'Speech to text').locator('.worker-state').textContent()).toBe('No active workers');
    expect(await page.evaluate('window.sameDocument')).toBe(true);
    expect(problems).toEqual([]);
  });

  it('pauses its requests while hidden, and shows when the server does not respond', async (test) => {
    const { page } = await openPage(test, `${product.url}/overview`);
    // From here the test controls the page's clock.
    await page.clock.install();
    await page.reload();
    let requestCount = 0;
    await page.route('**/overview', (route) => {
      requestCount++;
      return route.abort();
    });
    await page.clock.runFor(4000);
    await until(async () => requestCount).toBeGreaterThan(0);
    await until(() => page.locator('#offline').isVisible()).toBe(true);
    const hide = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await hide(true);
    const before = requestCount;
    await page.clock.runFor(60_000);
    await hide(false);
    await until(async () => requestCount).toBeGreaterThan(before);
    expect(requestCount).toBe(before + 1);
    await page.unroute('**/overview');
    await page.clock.runFor(4000);
    await until(() => page.locator('#offline').isVisible()).toBe(false);
  });

  it('links to the other services with the keyboard alone', async (test) => {
    const { page } = await openPage(test, `${product.url}/`);
    const serviceLink = (name: string) =>
      page.getByRole('navigation', { name: 'Services' }).getByRole('link', { name });
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    // The other service is another origin, which `openPage` blocks.
    await page.context().unrouteAll();
    const go = async (name: string) => {
      for (let i = 0; i < 30 && (await focused()) !== name; i++) await page.keyboard.press('Tab');
      expect(await focused()).toBe(name);
      await page.keyboard.press('Enter');
    };
    expect(await serviceLink('Defectoscopy').getAttribute('aria-current')).toBe('true');
    await go('Speech to text');
    await page.waitForURL(`${product.addresses['stt']}/`);
    expect(await serviceLink('Speech to text').getAttribute('aria-current')).toBe('true');
    await go('Overview');
    await page.waitForURL(`${product.addresses['stt']}/overview`);
    expect(await serviceLink('Overview').getAttribute('aria-current')).toBe('page');
    await go('Defectoscopy');
    await page.waitForURL(`${product.addresses['defectoscopy']}/`);
  });

  it('works without JavaScript and has a refresh link', async (test) => {
    const { page } = await openPage(test, `${product.url}/overview`, { javaScriptEnabled: false });
    expect(await figure(page, 'Defectoscopy', 'Queued').locator('.current').textContent()).toMatch(/^\d+$/);
    await page.getByRole('link', { name: 'Refresh' }).click();
    await page.waitForURL(`${product.url}/overview`);
    expect(await panel(page, 'Speech to text').isVisible()).toBe(true);
  });
});
