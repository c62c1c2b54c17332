import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const OTHER = 'other-token';
vi.setConfig({ testTimeout: 120_000 });

describe('A receiver that fails for a day', () => {
  let product: Product;
  let receiver: Receiver;
  let isDown = true;

  beforeEach(async () => {
    isDown = true;
    product = await startProduct({
      env: { WEBHOOK_RETRY_SCHEDULE: '0,0,0,3600', DEFECTOSCOPY_API_TOKENS: `${TOKEN},${OTHER}` },
      model: createFakeModel(),
    });
    onTestFinished(() => product.stop());
    receiver = await startReceiver(() => (isDown ? 500 : 204));
    onTestFinished(() => receiver.close());
  });
  const eventually = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 30_000 });
  const post = (path: string, body: object, token: string = TOKEN) =>
    product.call(path, { method: 'POST', body, token });
  const request = async (token: string = TOKEN) => {
    const image_url = 'https://storage-1.example.com/photo.jpg';
    return (await post('/predict', { image_url, webhook_url: receiver.url }, token)).body.data.task_id as string;
  };
  const deliveryOf = async (id: string, token: string = TOKEN) =>
    (await product.call(`/deliveries?task_id=${id}`, { token })).body.data.deliveries[0];
  const endedAttempts = async (id: string, token?: string) => (await deliveryOf(id, token)).attempt_log.length;
  const endpoints = async (token: string = TOKEN) =>
    (await product.call('/deliveries/endpoints', { token })).body.data.endpoints;
  const pass = (interval: string) =>
    product.database.db.query(
      'update webhook_endpoints set failing_since = failing_since - $1::interval, last_failed_at = last_failed_at - $1::interval',
      [interval],
    );
  const metric = async () =>
    /^assay_webhook_endpoints_paused(?:\{.*\})? (\d+)$/m.exec(
      (await product.call('/metrics', { token: null })).text,
    )?.[1];

  /** Four webhooks fail three times, and that of the returned task a day later. */
  async function pause() {
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await request());
    for (const id of ids) await eventually(() => endedAttempts(id)).toBe(3);
    await pass('12 hours');
    ids.push(await request());
    await eventually(() => endedAttempts(ids[4]!)).toBe(3);
    await pass('12 hours');
    const last = await request();
    await eventually(async () => (await deliveryOf(last)).held).toBe(true);
    return last;
  }

  it('is paused: nothing is sent to it, the feed has an event, and its webhooks are held', async () => {
    const last = await pause();
    const { origin } = new URL(receiver.url);
    expect(await endpoints()).toEqual([
      {
        endpoint: origin,
        state: 'paused',
        failing_since: expect.stringMatching(/^\d{10}$/),
        failed_attempts: 16,
        paused_at: expect.stringMatching(/^\d{10}$/),
        held: 6,
      },
    ]);
    const { events } = (await product.call('/events')).body.data;
    expect(events.filter(({ type }: any) => type === 'defectoscopy.endpoint.paused')).toEqual([
      expect.objectContaining({ task_id: last, endpoint: origin, service: 'defectoscopy' }),
    ]);
    expect(await metric()).toBe('1');

    const sent = receiver.received.length;
    const held = await request();
    await eventually(async () => (await deliveryOf(held)).held).toBe(true);
    const delivery = await deliveryOf(held);
    expect(delivery).toMatchObject({ state: 'pending', attempts: 0 });
    expect(delivery.next_attempt_at).toBeUndefined();
    expect((await product.waitForResult(held))['webhook']).toMatchObject({ state: 'pending', attempts: 0 });
    expect(receiver.received).toHaveLength(sent);

    // Another client with the same receiver gets its attempts.
    expect(await endpoints(OTHER)).toEqual([]);
    const other = await request(OTHER);
    await eventually(() => endedAttempts(other, OTHER)).toBe(3);
    expect(receiver.received).toHaveLength(sent + 3);
  });

  it('gets one attempt an hour and, after a success, each held webhook once', { tags: ['full'] }, async () => {
    const last = await pause();
    const held = await request();
    await eventually(async () => (await deliveryOf(held)).held).toBe(true);
    const sent = receiver.received.length;
    await pass('1 hour');
    await receiver.waitForRequests(sent + 1);
    await eventually(async () => (await endpoints())[0].held).toBe(7);
    expect(receiver.received).toHaveLength(sent + 1);
    isDown = false;
    await pass('1 hour');
    for (const id of [last, held]) await eventually(async () => (await deliveryOf(id)).state).toBe('delivered');
    await receiver.waitForRequests(sent + 8);
    await eventually(async () => (await product.call('/deliveries?state=delivered')).body.data.deliveries.length).toBe(
      7,
    );
    const ids = receiver.received.slice(sent + 1).map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(7);
    expect(new Set(ids).size).toBe(7);
    expect(await endpoints()).toEqual([]);
    expect(await metric()).toBe('0');
  });

  it.each([
    ['a successful test event', () => post('/deliveries/test', { url: `${new URL(receiver.url).origin}/other` })],
    ['a request', () => post('/deliveries/endpoints/resume', { endpoint: receiver.url })],
    ['a successful redelivery', (id: string) => post('/deliveries/redeliver', { task_id: id })],
  ])('is resumed by %s', { tags: ['full'] }, async (_, resume) => {
    const last = await pause();
    isDown = false;
    expect((await resume(last)).status).toBeLessThan(300);
    await eventually(async () => (await product.call('/deliveries?state=delivered')).body.data.deliveries.length).toBe(
      6,
    );
    expect(await endpoints()).toEqual([]);
  });

  it('stays paused after a failed test event, and for other clients', { tags: ['full'] }, async () => {
    await pause();
    expect((await post('/deliveries/test', { url: receiver.url })).body.data.delivered).toBe(false);
    const resumed = async (endpoint: string, token?: string) =>
      (await post('/deliveries/endpoints/resume', { endpoint }, token)).body;
    expect((await resumed(receiver.url, OTHER)).data).toEqual({ resumed: false });
    expect((await resumed('https://unknown.example')).data).toEqual({ resumed: false });
    for (const endpoint of ['receiver', 'ftp://receiver.example.com/', 'http://receiver.example.com/'])
      expect((await resumed(endpoint)).error).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringMatching(/^endpoint: /),
      });
    expect(await endpoints()).toMatchObject([{ state: 'paused' }]);
    expect((await resumed(receiver.url)).data).toEqual({ resumed: true });
    expect((await resumed(receiver.url)).data).toEqual({ resumed: false });
  });
});
