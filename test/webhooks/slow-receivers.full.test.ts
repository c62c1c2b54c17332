import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const OTHER_TOKEN = 'test-token-2';
/** Just below this test's timeout of 5 s. */
const SLOW_MS = 4000;

describe('Webhook delivery with slow receivers', () => {
  let product: Product;
  const receivers: Receiver[] = [];

  beforeEach(async () => {
    product = await startProduct({
      env: { DEFECTOSCOPY_API_TOKENS: `${TOKEN},${OTHER_TOKEN}`, WEBHOOK_TIMEOUT_SECONDS: '5' },
      model: createFakeModel(),
    });
  });
  afterEach(async () => {
    await product.stop();
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  const open = async (count: number, afterMs: number) => {
    const opened = await Promise.all(
      Array.from({ length: count }, () => startReceiver(() => ({ status: 204, afterMs }))),
    );
    receivers.push(...opened);
    return opened;
  };
  const request = async (webhook_url: string, token: string) => {
    const image_url = 'https://storage-1.example.com/photo.jpg';
    const answer = await product.call('/predict', { method: 'POST', body: { image_url, webhook_url }, token });
    expect(answer.status).toBe(202);
    return answer.body.data.task_id as string;
  };
  const createSlowCallbacks = async (slow: readonly Receiver[], perReceiver: number) => {
    const urls = Array.from({ length: perReceiver }, () => slow.map(({ url }) => url)).flat();
    const ids = await Promise.all(urls.map((url) => request(url, TOKEN)));
    for (const id of ids) await product.waitForResult(id);
  };
  /** Milliseconds from the end of a task to the arrival of its callback. */
  const callbackDelay = async (token: string) => {
    const [fast] = await open(1, 0);
    const id = await request(fast!.url, token);
    await product.waitForResult(id);
    const ended = Date.now();
    while (fast!.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    return fast!.received[0]!.at - ended;
  };

  it("delivers another client's callback within 2 s while 20 slow receivers have 200 callbacks due", async () => {
    const slow = await open(20, SLOW_MS);
    await createSlowCallbacks(slow, 10);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await callbackDelay(OTHER_TOKEN)).toBeLessThan(2000);
    expect(slow.flatMap(({ received }) => received).length).toBeLessThan(200);
  });

  it("delivers the same client's callback to a fast receiver within 2 s while its 20 slow receivers have 200 due", async () => {
    const slow = await open(20, SLOW_MS);
    await createSlowCallbacks(slow, 10);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await callbackDelay(TOKEN)).toBeLessThan(2000);
    expect(slow.flatMap(({ received }) => received).length).toBeLessThan(200);
  });

  it("delivers another client's callback within 2 s after 150 new receivers of unknown speed", async () => {
    await createSlowCallbacks(await open(150, SLOW_MS), 1);
    expect(await callbackDelay(OTHER_TOKEN)).toBeLessThan(2000);
  });
});
