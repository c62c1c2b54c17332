import { createPublicKey, verify } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { verifyWebhook } from '../../src/client/index.ts';
import { createDeliverDeps } from '../../src/role-contexts.ts';
import { deliver } from '../../src/roles/deliver.ts';
import { createFakeModel, type HttpResponse, type Product, startProduct, TOKEN } from '../support/product.ts';
import { type Received, type Receiver, type Reply, startReceiver } from '../support/receiver.ts';

describe('A defectoscopy callback', () => {
  let product: Product;
  const receivers: Receiver[] = [];
  const receiver = async (replies?: (n: number) => Reply) => {
    const started = await startReceiver(replies);
    receivers.push(started);
    return started;
  };
  const open = async (env: Record<string, string> = {}) => {
    await product?.stop();
    product = await startProduct({ env, model: createFakeModel() });
  };
  const createWithWebhook = (webhook_url: string) => product.predict({ webhook_url });
  const webhookOf = async (id: string) => (await product.call(`/result/${id}`)).body.data.webhook;
  const waitForState = async (id: string, state: string) => {
    for (let i = 0; i < 400; i++) {
      const webhook = await webhookOf(id);
      if (webhook.state === state) return webhook;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the delivery does not become ${state}: ${JSON.stringify(await webhookOf(id))}`);
  };

  /** Expects that the sent body equals the poll response except for the webhook. */
  const expectPollBody = async (id: string, { body }: Received) => {
    const sent = JSON.parse(body);
    const polled = (await product.call(`/result/${id}`)).body;
    const { delivery_id } = polled.data.webhook;
    expect(sent.data.webhook).toEqual({ configured: true, state: 'pending', attempts: 0, delivery_id });
    delete sent.data.webhook;
    delete polled.data.webhook;
    expect(sent).toEqual(polled);
    return sent;
  };

  beforeEach(() => open({ WEBHOOK_RETRY_SCHEDULE: '0,0,0,0', WEBHOOK_TIMEOUT_SECONDS: '1' }));
  afterEach(async () => {
    await product.stop();
    await Promise.all(receivers.splice(0).map((started) => started.close()));
  });

  it('is a POST with the headers of the specification, sent after the final result is recorded', async () => {
    const polls: Promise<HttpResponse>[] = [];
    const { url, waitForRequests } = await receiver(() => {
      polls.push(product.call(`/result/${id}`));
      return 204;
    });
    const id: string = await createWithWebhook(url);
    const [request] = await waitForRequests(1);
    expect(await polls[0]).toMatchObject({ status: 200, body: { data: { status: 'done' } } });
    const webhook = await waitForState(id, 'delivered');
    expect(request!.method).toBe('POST');
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'defectoscopy.result.terminal',
      'x-service-task-id': id,
      'x-service-delivery-id': webhook.delivery_id,
      'x-service-delivery-attempt': '1',
      'webhook-id': webhook.delivery_id,
    });
    expect(webhook).toEqual({
      configured: true,
      state: 'delivered',
      attempts: 1,
      delivery_id: expect.stringMatching(/^whd_[0-9A-Z]{26}$/),
      last_attempt_at: expect.stringMatching(/^\d{10}$/),
      delivered_at: expect.stringMatching(/^\d{10}$/),
      response_status_code: 204,
    });
  });

  it('has a body that equals the poll response except for data.webhook', async () => {
    const { url, waitForRequests } = await receiver();
    const id = await createWithWebhook(url);
    const [request] = await waitForRequests(1);
    expect((await expectPollBody(id, request!)).data.status).toBe('done');
  });

  it('is sent for failed and cancelled tasks too', async () => {
    const { url, waitForRequests } = await receiver();
    await product.stop();
    product = await startProduct();
    const cancelled = await createWithWebhook(url);
    await product.call(`/result/${cancelled}/cancel`, { method: 'POST' });
    const [request] = await waitForRequests(1);
    expect((await expectPollBody(cancelled, request!)).data).toMatchObject({
      task_id: cancelled,
      status: 'failed',
      error_code: 'CANCELLED',
    });
    const late = await createWithWebhook(url);
    await product.backdate(late, 82_801);
    const [, second] = await waitForRequests(2);
    expect((await expectPollBody(late, second!)).data).toMatchObject({
      task_id: late,
      error_code: 'DEADLINE_EXCEEDED',
    });
  });

  it("is signed with the published key (v1a) and the token's secrets (v1), two during a rotation", async () => {
    const { parseTokenSettings } = await import('../../src/http/bearer.ts');
    const tokens = parseTokenSettings({ list: TOKEN });
    const name = tokens.state === 'enforced' ? tokens.entries[0]!.principal : '';
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const next = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await open({ DEFECTOSCOPY_WEBHOOK_SECRETS: `${name}:${next},${name}:${secret}` });
    const { url, waitForRequests } = await receiver();
    await createWithWebhook(url);
    const { body, headers } = (await waitForRequests(1))[0]!;
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
    expect(() => new Webhook(next).verify(body, headers as Record<string, string>)).not.toThrow();
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+ v1a,\S+$/);
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();

    const { body: jwks } = await product.call('/.well-known/webhook-keys.json', { token: null });
    const key = createPublicKey({ key: jwks.keys[0], format: 'jwk' });
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    const v1a = /v1a,(\S+)/.exec(headers['webhook-signature'] as string)?.[1];
    expect(verify(null, signed, key, Buffer.from(v1a!, 'base64'))).toBe(true);
  });

  it('is signed with both keys during a rotation', { tags: ['full'] }, async () => {
    const dir = await mkdtemp(join(tmpdir(), 'assay-rotation-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const [oldKey, newKey] = ['old.pem', 'new.pem'].map((name) => join(dir, name));
    const published = async () => (await product.call('/.well-known/webhook-keys.json', { token: null })).body;
    const sent = async () => {
      const { url, waitForRequests } = await receiver();
      await createWithWebhook(url);
      return (await waitForRequests(1))[0]!;
    };

    await open({ WEBHOOK_SIGNING_KEY_FILE: oldKey! });
    const before = await published();
    await open({ WEBHOOK_SIGNING_KEY_FILE: newKey!, WEBHOOK_SIGNING_KEY_PREVIOUS_FILE: oldKey! });
    const during = await published();
    expect(during.keys).toEqual([expect.not.objectContaining({ kid: before.keys[0].kid }), before.keys[0]]);
    const { body, headers } = await sent();
    expect(headers['webhook-signature']).toMatch(/^v1a,\S+ v1a,\S+$/);
    for (const publicKey of [before, { keys: [during.keys[0]] }, during]) {
      await expect(verifyWebhook(body, headers, { publicKey })).resolves.toMatchObject({ attempt: 1 });
    }

    await open({ WEBHOOK_SIGNING_KEY_FILE: newKey! });
    const after = await published();
    expect(after.keys).toEqual([during.keys[0]]);
    const last = await sent();
    await expect(verifyWebhook(last.body, last.headers, { publicKey: after })).resolves.toBeDefined();
    await expect(verifyWebhook(last.body, last.headers, { publicKey: before })).rejects.toThrow();
  });

  it('is signed with the generated key and the one renamed to webhook-signing-previous.pem', {
    tags: ['full'],
  }, async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'assay-rotation-'));
    onTestFinished(() => rm(DATA_DIR, { recursive: true, force: true }));
    const keys = async () => (await product.call('/.well-known/webhook-keys.json', { token: null })).body.keys;
    await open({ DATA_DIR });
    const [first] = await keys();
    await product.stop();
    await rename(join(DATA_DIR, 'keys/webhook-signing.pem'), join(DATA_DIR, 'keys/webhook-signing-previous.pem'));
    product = await startProduct({ env: { DATA_DIR }, model: createFakeModel() });
    expect(await keys()).toEqual([expect.objectContaining({ kty: 'OKP' }), first]);
    const { url, waitForRequests } = await receiver();
    await createWithWebhook(url);
    const { body, headers } = (await waitForRequests(1))[0]!;
    await expect(verifyWebhook(body, headers, { publicKey: { keys: [first] } })).resolves.toBeDefined();
  });

  it('is repeated with the same body and delivery id until a 2xx response', async () => {
    const { url, waitForRequests } = await receiver(
      (n) => [500, { status: 302, headers: { location: '/elsewhere' } }, 200][n]!,
    );
    const id = await createWithWebhook(url);
    const requests = await waitForRequests(3);
    const webhook = await waitForState(id, 'delivered');
    expect(webhook).toMatchObject({ attempts: 3, response_status_code: 200 });
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([webhook.delivery_id]));
    expect(requests.map(({ headers }) => headers['x-service-delivery-attempt'])).toEqual(['1', '2', '3']);
  });

  it('is pending between attempts and has the time of the next one', async () => {
    await open({ WEBHOOK_RETRY_SCHEDULE: '0,60,60' });
    const { url, waitForRequests } = await receiver(() => 503);
    const id = await createWithWebhook(url);
    await waitForRequests(1);
    for (let i = 0; i < 100 && !(await webhookOf(id)).last_error; i++) await new Promise((r) => setTimeout(r, 20));
    const webhook = await webhookOf(id);
    expect(webhook).toMatchObject({
      state: 'pending',
      attempts: 1,
      last_error: 'http_status',
      response_status_code: 503,
    });
    const wait = Number(webhook.next_attempt_at) - Number(webhook.last_attempt_at);
    expect(wait).toBeGreaterThanOrEqual(53);
    expect(wait).toBeLessThanOrEqual(67);
    expect(webhook).not.toHaveProperty('delivered_at');
  });

  it('fails after the last attempt of the schedule, and immediately on 410 Gone', async () => {
    const stubborn = await receiver(() => 500);
    const goneReceiver = await receiver(() => 410);
    const failed = await waitForState(await createWithWebhook(stubborn.url), 'failed');
    expect(failed).toMatchObject({ attempts: 4, last_error: 'http_status', response_status_code: 500 });
    expect(failed).not.toHaveProperty('next_attempt_at');
    expect(await waitForState(await createWithWebhook(goneReceiver.url), 'failed')).toMatchObject({
      attempts: 1,
      last_error: 'gone',
    });
    expect(stubborn.received).toHaveLength(4);
  });

  it('does not delay tasks or other callbacks when a receiver does not respond', { tags: ['full'] }, async () => {
    const silent = await receiver(() => 'silence');
    const good = await receiver();
    const ids = await Promise.all(Array.from({ length: 12 }, () => createWithWebhook(silent.url)));
    for (const id of ids) await product.waitForResult(id);
    const begun = Date.now();
    await createWithWebhook(good.url);
    await good.waitForRequests(1);
    expect(Date.now() - begun).toBeLessThan(1500);
    expect(await waitForState(ids[0]!, 'failed')).toMatchObject({ attempts: 4, last_error: 'timeout' });
  });

  it('is sent after the result has expired if no attempt was possible before', { tags: ['full'] }, async () => {
    const { url, waitForRequests, received } = await receiver((n) => [500, 204][n]!);
    await product.stop();
    product = await startProduct({
      env: { WEBHOOK_RETRY_SCHEDULE: '0,0' },
      roles: ['sweep'],
      model: createFakeModel(),
    });
    const id = await createWithWebhook(url);
    const polled = await product.waitForResult(id);
    await product.backdate(id, 86_401);
    const { db } = product.database;
    await expect.poll(async () => (await db.query('select from tasks')).rowCount).toBe(0);
    expect((await product.call(`/result/${id}`)).status).toBe(404);

    const stop = new AbortController();
    const delivering = deliver(await createDeliverDeps(product.context, stop.signal));
    const [first, second] = await waitForRequests(2);
    expect(JSON.parse(first!.body).data).toMatchObject({ task_id: id, status: 'done', result: polled['result'] });
    expect(second!.body).toBe(first!.body);
    await expect.poll(async () => (await db.query('select from deliveries')).rowCount).toBe(0);
    stop.abort();
    await delivering;
    expect(received).toHaveLength(2);
  });

  it("never reaches Assay's own listeners", async () => {
    const ownUrl = product.url.replace('/127.0.0.1', '/localhost');
    await open({ DEFECTOSCOPY_PORT: new URL(ownUrl).port, WEBHOOK_RETRY_SCHEDULE: '0,0' });
    const id = await createWithWebhook(`${product.url}/predict`);
    expect(await waitForState(id, 'failed')).toMatchObject({ attempts: 1, last_error: 'blocked_address' });
  });

  it('fails after the schedule if its secret cannot be decrypted', { tags: ['full'] }, async () => {
    const { url, received } = await receiver();
    await product.stop();
    product = await startProduct({ env: { WEBHOOK_RETRY_SCHEDULE: '0,0' } });
    const id = await createWithWebhook(url);
    await product.database.db.query('update deliveries set secret = $1 where task_id = $2', [Buffer.from('?'), id]);
    await product.startWorker(createFakeModel());
    expect(await waitForState(id, 'failed')).toMatchObject({ attempts: 2, last_error: 'connect_error' });
    expect(received).toEqual([]);
    expect((await product.database.db.query('select from webhook_endpoints')).rowCount).toBe(0);
  });

  it('is not sent for a task without a webhook, whose state has no webhook either', async () => {
    const { url, waitForRequests, received } = await receiver();
    const silent = await product.predict();
    expect(await product.waitForResult(silent)).not.toHaveProperty('webhook');
    const hookedLater = await createWithWebhook(url);
    await waitForRequests(1);
    await waitForState(hookedLater, 'delivered');
    expect(received.map(({ body }) => JSON.parse(body).data.task_id)).toEqual([hookedLater]);
    expect(await product.context.tasks.pendingDeliveries()).toBe(0);
  });
});
