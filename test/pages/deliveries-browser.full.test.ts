import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openPage } from '../support/browser/open-page.ts';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

vi.setConfig({ testTimeout: 120_000 });
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 30_000, interval: 50 });

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string) {
  await page.locator(selector).first().waitFor();
  for (let presses = 0; presses < 60; presses++) {
    if (await page.evaluate<boolean>(`document.querySelector('${selector}') === document.activeElement`)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${selector}.`);
}

describe('Page of webhook deliveries', () => {
  let product: Product;
  let receiver: Receiver;
  let isDown: boolean;
  beforeEach(async () => {
    isDown = true;
    product = await startProduct({
      env: { WEBHOOK_RETRY_SCHEDULE: '0,0', DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
      model: createFakeModel(),
    });
    onTestFinished(() => product.stop());
    receiver = await startReceiver(() => (isDown ? 500 : 204));
    onTestFinished(() => receiver.close());
  });

  const stateOf = async (id: string) => (await product.call(`/result/${id}`)).body.data.webhook.state;
  const failWebhooks = async (count: number) => {
    const ids = await Promise.all(Array.from({ length: count }, () => product.predict({ webhook_url: receiver.url })));
    for (const id of ids) await until(() => stateOf(id)).toBe('failed');
    return ids;
  };
  const pauseEndpoint = async () => {
    const { db } = product.database;
    await db.query("update webhook_endpoints set failures = 20, failing_since = now() - interval '1 day'");
    const id = await product.predict({ webhook_url: receiver.url });
    await until(async () => (await product.call('/deliveries/endpoints')).body.data.endpoints[0].held).toBe(1);
    return id;
  };
  const rows = (page: Page) => page.locator('#deliveries > li');
  const open = (test: Parameters<typeof openPage>[0], options = {}) =>
    openPage(test, `${product.url}/webhooks#token=${TOKEN}`, options);

  it('lists deliveries with their attempts by state, and sends one again, by keyboard', async (test) => {
    const [failed] = await failWebhooks(1);
    isDown = false;
    await product.predict({ webhook_url: receiver.url });
    const { page, problems } = await open(test);
    await until(() => rows(page).locator('.state').allTextContents()).toEqual(['Delivered', 'Failed']);
    await tabTo(page, '#filter input:checked');
    await page.keyboard.press('ArrowRight');
    await until(() => rows(page).locator('.state').allTextContents()).toEqual(['Failed']);

    await tabTo(page, '#deliveries summary');
    await page.keyboard.press('Enter');
    expect(await rows(page).locator('dd').first().textContent()).toBe(failed);
    expect(await rows(page).locator('ol .hint').allTextContents()).toEqual([
      expect.stringMatching(/^500 · The receiver answered with an error · \d+ ms$/),
      expect.stringMatching(/^500 · The receiver answered with an error · \d+ ms$/),
    ]);
    expect(await rows(page).locator('ol .hint').first().getAttribute('title')).toBe('http_status');
    await tabTo(page, '#deliveries button');
    await page.keyboard.press('Enter');
    await until(() => page.locator('#live').textContent()).toBe('Queued for redelivery: 1');
    await until(() => stateOf(failed!)).toBe('delivered');
    await until(() => page.locator('#no-deliveries').isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('keeps open deliveries and the focus while it refreshes the list', { tags: ['full'] }, async (test) => {
    const [failed] = await failWebhooks(1);
    const { page } = await open(test);
    await tabTo(page, '#deliveries summary');
    await page.keyboard.press('Enter');
    isDown = false;
    await product.call('/deliveries/redeliver', { method: 'POST', body: { task_id: failed } });
    await until(() => rows(page).locator('.state').allTextContents()).toEqual(['Delivered']);
    expect(await rows(page).locator('ol > li').count()).toBe(3);
    expect(await rows(page).locator('details').getAttribute('open')).toBe('');
    expect(await page.evaluate('document.activeElement.localName')).toBe('summary');
  });

  it('sends all failed webhooks again, by keyboard', async (test) => {
    const ids = await failWebhooks(3);
    isDown = false;
    const { page } = await open(test);
    await until(() => rows(page).count()).toBe(3);
    await tabTo(page, '#redeliver button');
    await page.keyboard.press('Enter');
    await until(() => page.locator('#redeliver-result').textContent()).toBe('Queued for redelivery: 3');
    for (const id of ids) await until(() => stateOf(id)).toBe('delivered');
  });

  it('shows a paused receiver and resumes it, in Russian', async (test) => {
    await failWebhooks(1);
    const held = await pauseEndpoint();
    isDown = false;
    const { page, problems } = await open(test, { locale: 'ru-RU' });
    await until(() => page.locator('#endpoint-list .state').textContent()).toBe('Приостановлен');
    expect(await page.locator('#endpoint-list .url').textContent()).toBe(new URL(receiver.url).origin);
    expect(await page.locator('#endpoint-list .hint').textContent()).toContain('Отложено: 1.');
    await until(() => rows(page).locator('.state').first().textContent()).toBe('Отложен');
    await tabTo(page, '#endpoint-list button');
    await page.keyboard.press('Enter');
    await until(() => page.locator('#live').textContent()).toBe(
      `Отправка возобновлена: ${new URL(receiver.url).origin}`,
    );
    await until(() => stateOf(held)).toBe('delivered');
    await until(() => page.locator('#endpoints').isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  it('sends a test event and shows its outcome', async (test) => {
    const { page } = await open(test);
    await page.locator('#receiver').fill(receiver.url);
    await page.keyboard.press('Enter');
    await until(() => page.locator('#test-result').textContent()).toMatch(
      /^Not delivered: 500 · The receiver answered with an error · /,
    );
    isDown = false;
    await page.keyboard.press('Enter');
    await until(() => page.locator('#test-result').textContent()).toMatch(/^Delivered: 204 · /);
    await page.locator('#receiver').fill('http://10.0.0.1/');
    await page.keyboard.press('Enter');
    await until(() => page.locator('#error').textContent()).toContain('url: ');
  });

  it('shows further pages', async (test) => {
    isDown = false;
    const ids: string[] = [];
    for (let i = 0; i < 52; i++) ids.push(await product.predict({ webhook_url: receiver.url }));
    for (const id of ids) await until(() => stateOf(id)).toBe('delivered');
    const { page } = await open(test);
    await until(() => rows(page).count()).toBe(50);
    await page.locator('#more').click();
    await until(() => rows(page).count()).toBe(52);
    expect(await page.locator('#more').isVisible()).toBe(false);
  });

  it('asks for a token, and is linked on the upload page of speech to text as well', async (test) => {
    const speech = await startProduct({ service: 'stt', roles: [] });
    onTestFinished(() => speech.stop());
    const { page } = await openPage(test, speech.url);
    await page.locator('.top a', { hasText: 'Webhooks' }).click();
    await page.waitForURL(`${speech.url}/webhooks`);
    await page.locator('#token-input').fill(TOKEN);
    await page.keyboard.press('Enter');
    await until(() => page.locator('#no-deliveries').isVisible()).toBe(true);
    expect(await page.locator('#endpoints').isVisible()).toBe(false);
  });
});
