import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeModel, type Product, startProduct } from '../support/product.ts';
import { type Receiver, type Reply, startReceiver } from '../support/receiver.ts';

const TOKEN = 'a-token-that-is-long-enough-for-production';
const TIMEOUT_MS = 2000;

describe('data.webhook of a loopback receiver in production', () => {
  let product: Product;
  const receivers: Receiver[] = [];
  afterEach(async () => {
    await product.stop();
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  const start = async (WEBHOOK_RETRY_SCHEDULE: string) => {
    product = await startProduct({
      env: {
        APP_ENV: 'production',
        DEFECTOSCOPY_API_TOKENS: TOKEN,
        WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_MS / 1000),
        WEBHOOK_RETRY_SCHEDULE,
      },
      model: createFakeModel(),
    });
  };
  const receiver = async (reply: Reply) => {
    const started = await startReceiver(() => reply);
    receivers.push(started);
    return started.url;
  };
  const closedPort = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return `http://127.0.0.1:${port}/hook`;
  };
  const startFailingReceivers = async () => [
    await receiver(500),
    await receiver(302),
    await receiver(410),
    await receiver({ status: 503, headers: { 'retry-after': '3600' } }),
    await receiver('silence'),
    await closedPort(),
    `${product.url}/predict`,
  ];
  const create = async (webhook_url: string): Promise<string> => {
    const body = { image_url: 'https://storage-1.example.com/photo.jpg', webhook_url };
    return (await product.call('/predict', { method: 'POST', body, token: TOKEN })).body.data.task_id;
  };
  const webhookOf = async (id: string) => (await product.call(`/result/${id}`, { token: TOKEN })).body.data.webhook;
  /** The webhook state after the first attempt, and the time since the second in which it began. */
  const waitForOutcome = async (url: string) => {
    const id = await create(url);
    for (;;) {
      const webhook = await webhookOf(id);
      const afterMs = Date.now() - 1000 * Number(webhook.last_attempt_at);
      if (webhook.state !== 'pending' || webhook.last_error) return { webhook, afterMs };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('is the same for an error page, a redirect, 410, Retry-After, a timeout, a closed port and an Assay listener', async () => {
    await start('0,60,60');
    const seen = await Promise.all((await startFailingReceivers()).map(waitForOutcome));
    for (const { webhook, afterMs } of seen) {
      expect(webhook).toEqual({
        configured: true,
        state: 'pending',
        attempts: 1,
        delivery_id: expect.stringMatching(/^whd_/),
        last_attempt_at: expect.stringMatching(/^\d{10}$/),
        next_attempt_at: expect.stringMatching(/^\d{10}$/),
        last_error: 'undelivered',
      });
      const wait = Number(webhook.next_attempt_at) - Number(webhook.last_attempt_at);
      expect(wait).toBeGreaterThanOrEqual(TIMEOUT_MS / 1000 + 54 - 1);
      expect(wait).toBeLessThanOrEqual(TIMEOUT_MS / 1000 + 66 + 2);
      expect(afterMs).toBeGreaterThan(TIMEOUT_MS - 500);
    }
  });

  it('becomes failed after the whole schedule for every kind of failure', async () => {
    await start('0,0,0');
    const ids = await Promise.all((await startFailingReceivers()).map(create));
    for (const id of ids) {
      await expect.poll(async () => (await webhookOf(id)).state, { timeout: 20_000 }).toBe('failed');
      expect(await webhookOf(id)).toMatchObject({ attempts: 3, last_error: 'undelivered' });
      expect(await webhookOf(id)).not.toHaveProperty('response_status_code');
    }
  });

  it('reveals neither the status nor the response time of a delivered callback', async () => {
    await start('0,60');
    for (const { webhook, afterMs } of await Promise.all([
      waitForOutcome(await receiver(204)),
      waitForOutcome(await receiver({ status: 200, afterMs: 1000 })),
    ])) {
      expect(webhook).toEqual({
        configured: true,
        state: 'delivered',
        attempts: 1,
        delivery_id: expect.stringMatching(/^whd_/),
        last_attempt_at: webhook.delivered_at,
        delivered_at: expect.stringMatching(/^\d{10}$/),
      });
      expect(afterMs).toBeGreaterThan(TIMEOUT_MS - 500);
    }
  });
});
