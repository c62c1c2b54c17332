import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { verifyWebhook } from '../../src/client/index.ts';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';
import { type Receiver, type Reply, startReceiver } from '../support/receiver.ts';

const OTHER = 'other-token';

describe('/deliveries', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({
      env: { WEBHOOK_RETRY_SCHEDULE: '0,0,0', DEFECTOSCOPY_API_TOKENS: `${TOKEN},${OTHER}` },
      model: createFakeModel(),
    });
  });
  afterAll(() => product.stop());

  const startTestReceiver = async (replies?: (n: number) => Reply): Promise<Receiver> => {
    const receiver = await startReceiver(replies);
    onTestFinished(() => receiver.close());
    return receiver;
  };
  const list = async (query = '', token: string = TOKEN) =>
    (await product.call(`/deliveries${query}`, { token })).body.data;
  const deliveryOf = async (taskId: string) => (await list(`?task_id=${taskId}`)).deliveries[0];
  const waitForState = async (taskId: string, state: string) => {
    await expect.poll(async () => (await deliveryOf(taskId)).state, { timeout: 15_000 }).toBe(state);
    return deliveryOf(taskId);
  };

  it('lists a delivery with the outcome of each attempt', async () => {
    const { url } = await startTestReceiver((n) => [500, 503, 204][n]!);
    const id = await product.predict({ webhook_url: url });
    const delivery = await waitForState(id, 'delivered');
    expect(delivery).toEqual({
      delivery_id: expect.stringMatching(/^whd_[0-9A-Z]{26}$/),
      task_id: id,
      url,
      state: 'delivered',
      attempts: 3,
      last_attempt_at: expect.stringMatching(/^\d{10}$/),
      delivered_at: expect.stringMatching(/^\d{10}$/),
      response_status_code: 204,
      attempt_log: [500, 503, 204].map((status, n) => ({
        attempt: n + 1,
        started_at: expect.stringMatching(/^\d{10}$/),
        duration_ms: expect.any(Number),
        response_status_code: status,
        ...(status > 204 && { error: 'http_status' }),
      })),
    });
  });

  it('lists pages of the deliveries of one client, filtered by state and time', async () => {
    const { url } = await startTestReceiver();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await product.predict({ webhook_url: url }));
    for (const id of ids) await waitForState(id, 'delivered');
    const found: string[] = [];
    for (let before = ''; found.length < 5; ) {
      const { deliveries, next } = await list(`?limit=2${before}`);
      found.push(...deliveries.map(({ task_id }: any) => task_id));
      before = `&before=${next}`;
    }
    expect(found.slice(0, 5)).toEqual(ids);
    expect((await list('', OTHER)).deliveries).toEqual([]);
    expect((await list(`?task_id=${ids[0]}`, OTHER)).deliveries).toEqual([]);
    expect((await list('?state=failed')).deliveries.map(({ state }: any) => state)).not.toContain('delivered');
    const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
    expect(await list(`?since=${tomorrow}`)).toEqual({ deliveries: [] });
    expect((await list(`?since=${tomorrow - 172_800}`)).deliveries.length).toBeGreaterThanOrEqual(5);
  });

  it.each([
    'before=whd_x',
    `before=${'A'.repeat(30)}`,
    'before=whd_01KAF3M9WZ3RS8V5X2K7J4H6GI',
    'limit=0',
    'limit=501',
    'state=lost',
    'since=yesterday',
    'since=-1',
    'task_id=%00',
  ])('returns 422 for %s', async (query) => {
    const { status, body } = await product.call(`/deliveries?${query}`);
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
  });

  it('shows nothing after the delivery of another client as cursor', async () => {
    const { url } = await startTestReceiver();
    const id = await product.predict({ webhook_url: url });
    const { delivery_id } = await waitForState(id, 'delivered');
    expect(await list(`?before=${delivery_id}`, OTHER)).toEqual({ deliveries: [] });
    expect((await list(`?before=${newId('whd_')}`)).deliveries[0].delivery_id).toBe(delivery_id);
  });

  it('returns 401 without a token', async () => {
    expect((await product.call('/deliveries', { token: null })).status).toBe(401);
  });

  it('does not show deliveries of expired and deleted tasks', async () => {
    const { url } = await startTestReceiver();
    const id = await product.predict({ webhook_url: url });
    await waitForState(id, 'delivered');
    await product.backdate(id, 86_401);
    expect(await deliveryOf(id)).toBeUndefined();
  });

  describe('POST /deliveries/redeliver', () => {
    const redeliver = (body: object, token: string = TOKEN) =>
      product.call('/deliveries/redeliver', { method: 'POST', body, token });
    const past = () => String(Math.floor(Date.now() / 1000) - 60);

    it('sends the same body with the same delivery id again', async () => {
      const receiver = await startTestReceiver((n) => (n === 1 ? 500 : 204));
      const id = await product.predict({ webhook_url: receiver.url });
      await waitForState(id, 'delivered');
      const { status, body } = await redeliver({ task_id: id });
      expect([status, body.data]).toEqual([202, { redelivered: 1, more: false }]);
      // The schedule starts again, so the failure is retried.
      const [first, ...others] = await receiver.waitForRequests(3);
      expect(await waitForState(id, 'delivered')).toMatchObject({ attempts: 3 });
      for (const other of others) {
        expect(other.body).toBe(first!.body);
        expect(other.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      }
      expect(others.map(({ headers }) => headers['x-service-delivery-attempt'])).toEqual(['2', '3']);
    });

    it('delivers all failed callbacks since a time exactly once after the receiver was down', async () => {
      let isDown = true;
      const receiver = await startTestReceiver(() => (isDown ? 500 : 204));
      const ids: string[] = [];
      for (let i = 0; i < 25; i++) ids.push(await product.predict({ webhook_url: receiver.url }));
      for (const id of ids) await waitForState(id, 'failed');
      const sent = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
      isDown = false;
      const before = receiver.received.length;
      const answers = await Promise.all(Array.from({ length: 4 }, () => redeliver({ since: past() })));
      const counts = answers.map(({ body }) => body.data.redelivered);
      expect(counts.reduce((sum, count) => sum + count)).toBe(25);
      for (const id of ids) await waitForState(id, 'delivered');
      const received = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
      expect(received).toHaveLength(25);
      expect(new Set(received)).toEqual(sent);
      expect((await redeliver({ since: past() })).body.data).toEqual({ redelivered: 0, more: false });
    });

    it('includes deliveries that wait for a retry with `pending`', async () => {
      const receiver = await startTestReceiver((n) => (n === 0 ? 500 : 204));
      const id = await product.predict({ webhook_url: receiver.url });
      const { db } = product.database;
      await waitForState(id, 'delivered');
      await db.query(
        "update deliveries set state = 'pending', delivered_at = null, due_at = now() + interval '9 hours' where task_id = $1",
        [id],
      );
      expect((await redeliver({ since: past() })).body.data.redelivered).toBe(0);
      expect((await redeliver({ since: past(), pending: true })).body.data.redelivered).toBe(1);
      expect(await waitForState(id, 'delivered')).toMatchObject({ attempts: 3 });
    });

    it('rejects requests that it cannot carry out', async () => {
      const { url } = await startTestReceiver();
      const foreign = await product.predict({ webhook_url: url });
      await waitForState(foreign, 'delivered');
      const silent = await product.predict();
      const answers = [
        await redeliver({ task_id: foreign }, OTHER),
        await redeliver({ task_id: newId() }),
        await redeliver({ task_id: silent }),
        await redeliver({}),
        await redeliver({ task_id: foreign, since: past() }),
        await redeliver({ since: 'yesterday' }),
        await redeliver({ since: past(), pending: 'yes' }),
        await redeliver({ task_id: 'a\u0000' }),
      ];
      expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
        [404, 'TASK_NOT_FOUND'],
        [404, 'TASK_NOT_FOUND'],
        [404, 'DELIVERY_NOT_FOUND'],
        ...Array.from({ length: 5 }, () => [422, 'VALIDATION_ERROR']),
      ]);
    });

    it('returns 409 while an attempt is in progress or queued', async () => {
      const receiver = await startTestReceiver((n) => (n === 0 ? 204 : { status: 204, afterMs: 1000 }));
      const id = await product.predict({ webhook_url: receiver.url });
      await waitForState(id, 'delivered');
      const answers = await Promise.all([1, 2, 3].map(() => redeliver({ task_id: id })));
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
      await receiver.waitForRequests(2);
      const { status, body } = await redeliver({ task_id: id });
      expect([status, body.error.code]).toEqual([409, 'DELIVERY_IN_PROGRESS']);
      await waitForState(id, 'delivered');
      expect(receiver.received).toHaveLength(2);
    });

    it('starts redeliveries one after another and returns 429 when too many are queued', {
      tags: ['full'],
    }, async () => {
      const { url } = await startTestReceiver();
      const id = await product.predict({ webhook_url: url });
      await waitForState(id, 'delivered');
      const { db } = product.database;
      await db.query("update redelivery_pace set next_at = now() + interval '205 seconds'");
      const { status, headers, body } = await redeliver({ task_id: id });
      expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(10);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(16);
      await db.query("update redelivery_pace set next_at = now() + interval '2 seconds'");
      const begun = Date.now();
      expect((await redeliver({ task_id: id })).status).toBe(202);
      expect(await waitForState(id, 'delivered')).toMatchObject({ attempts: 2 });
      expect(Date.now() - begun).toBeGreaterThan(1500);
    });
  });

  describe('POST /deliveries/test', () => {
    const test = (body: object, on = product) => on.call('/deliveries/test', { method: 'POST', body });

    it('sends a signed example and returns the outcome', async () => {
      const receiver = await startTestReceiver((n) => [204, 500, { status: 302, headers: { location: '/' } }][n]!);
      const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
      const { status, body } = await test({ url: receiver.url, secret });
      expect([status, body.data]).toEqual([
        200,
        {
          delivery_id: expect.stringMatching(/^whd_/),
          delivered: true,
          response_status_code: 204,
          duration_ms: expect.any(Number),
        },
      ]);
      const [sent] = receiver.received;
      const publicKey = (await product.call('/.well-known/webhook-keys.json')).body;
      for (const key of [{ secret }, { publicKey }]) {
        expect(await verifyWebhook(sent!.body, sent!.headers, key)).toMatchObject({
          event: 'defectoscopy.result.test',
          deliveryId: body.data.delivery_id,
          task: { status: 'done', test: true },
        });
      }
      expect((await test({ url: receiver.url })).body.data).toMatchObject({
        delivered: false,
        response_status_code: 500,
        error: 'http_status',
      });
      expect((await test({ url: receiver.url })).body.data).toMatchObject({ delivered: false, error: 'redirect' });
      expect((await list()).deliveries.map(({ delivery_id }: any) => delivery_id)).not.toContain(body.data.delivery_id);
    });

    it('rejects addresses that webhooks may not have, and too many tests', async () => {
      const blocked = ['http://10.0.0.1/', 'https://169.254.169.254/', 'http://127.1/', 'ftp://example.com/', 'x'];
      for (const url of blocked) expect((await test({ url })).body.error.code).toBe('VALIDATION_ERROR');
      const forgeable = await test({ url: 'https://receiver.example.com/hook', secret: 'whsec_!!!' });
      expect(forgeable.body.error?.message).toMatch(/^`secret` has an invalid format/);
      const database = new URL(product.context.settings.databaseUrl!);
      expect((await test({ url: `http://127.0.0.1:${database.port}/` })).body.data?.error ?? 'rejected').toMatch(
        /blocked_address|rejected/,
      );
      let status = 0;
      for (let n = 0; n < 10 && status !== 429; n++) ({ status } = await test({ url: 'x' }));
      expect(status).toBe(429);
    });
  });

  it('shows no details of a receiver on this machine in production', { tags: ['full'] }, async () => {
    const production = await startProduct({
      env: {
        APP_ENV: 'production',
        WEBHOOK_TIMEOUT_SECONDS: '1',
        DEFECTOSCOPY_API_TOKENS: `sha256:${hash('sha256', TOKEN, 'hex')}`,
      },
      model: createFakeModel(),
    });
    onTestFinished(() => production.stop());
    const { url } = await startTestReceiver((n) => [500, 204, 204][n]!);
    const call = async (init: object = {}) =>
      (await production.call('/deliveries/test', { method: 'POST', body: { url }, ...init })).body.data;
    const began = performance.now();
    expect(await call()).toEqual({ delivery_id: expect.any(String), delivered: false, error: 'undelivered' });
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(await call()).toEqual({ delivery_id: expect.any(String), delivered: true });
    const id = await production.predict({ webhook_url: url });
    const read = async () => (await production.call(`/deliveries?task_id=${id}`)).body.data.deliveries[0];
    await expect.poll(async () => (await read()).state, { timeout: 10_000 }).toBe('delivered');
    expect((await read()).attempt_log).toEqual([{ attempt: 1, started_at: expect.any(String) }]);
  });

  it('sends test events of speech to text under its own rules', async () => {
    const speech = async (env: Record<string, string>) => {
      const started = await startProduct({ service: 'stt', env, roles: [] });
      onTestFinished(() => started.stop());
      return (url: string) => started.call('/deliveries/test', { method: 'POST', body: { url, secret: 's3cr3t' } });
    };
    const receiver = await startTestReceiver();
    expect((await (await speech({}))(receiver.url)).status).toBe(422);
    const { body } = await (await speech({ STT_WEBHOOK_ALLOW_LOOPBACK: 'true' }))(receiver.url);
    expect(body.data).toMatchObject({ delivered: true, response_status_code: 204 });
    const [sent] = receiver.received;
    const event = await verifyWebhook(sent!.body, sent!.headers, { secret: 's3cr3t' });
    expect(event).toMatchObject({ event: 'stt.result.test', task: { test: true } });
  });
});
