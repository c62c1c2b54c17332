import { expect, it, onTestFinished } from 'vitest';
import { createFakeModel, startProduct } from '../support/product.ts';
import { startReceiver } from '../support/receiver.ts';

const HOURS_DOWN = 20;
const MISSED = 25;

it('The event feed lists exactly the callbacks that a receiver missed in 20 hours, and a redelivery sends each once', async () => {
  const product = await startProduct({ env: { WEBHOOK_RETRY_SCHEDULE: '0,0,0' }, model: createFakeModel() });
  onTestFinished(() => product.stop());
  let isDown = false;
  const receiver = await startReceiver(() => (isDown ? 500 : 204));
  onTestFinished(() => receiver.close());
  const webhook = { webhook_url: receiver.url };

  for (let i = 0; i < 5; i++) await product.predict(webhook);
  await receiver.waitForRequests(5);
  const { next } = (await product.call('/events')).body.data;

  isDown = true;
  const missed: string[] = [];
  for (let i = 0; i < MISSED; i++) missed.push(await product.predict(webhook));
  for (const id of missed) {
    await product.waitForResult(id);
    await expect
      .poll(async () => (await product.call(`/result/${id}`)).body.data.webhook.state, { timeout: 20_000 })
      .toBe('failed');
    await product.backdate(id, HOURS_DOWN * 3600);
  }
  const { db } = product.database;
  const hours = `make_interval(hours => ${HOURS_DOWN})`;
  await product.call('/events');
  await db.query(`update task_events set at = at - ${hours}, expires_at = expires_at - ${hours}`);
  await db.query(`update deliveries set last_attempt_at = last_attempt_at - ${hours} where state = 'failed'`);

  isDown = false;
  const found: string[] = [];
  for (let after = next, more = true; more; ) {
    const page = (await product.call(`/events?limit=10&after=${after}`)).body.data;
    found.push(...page.events.map(({ task_id }: { task_id: string }) => task_id));
    ({ next: after, more } = page);
  }
  expect(new Set(found).size).toBe(found.length);
  expect(found.sort()).toEqual([...missed].sort());
  for (const id of found) expect((await product.call(`/result/${id}`)).status).toBe(200);

  const ids = receiver.received.slice(5).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(MISSED);
  const since = String(Math.floor(Date.now() / 1000) - (HOURS_DOWN + 1) * 3600);
  const before = receiver.received.length;
  const answer = await product.call('/deliveries/redeliver', { method: 'POST', body: { since } });
  expect(answer.body.data).toEqual({ redelivered: MISSED, more: false });
  await expect
    .poll(async () => (await product.call('/deliveries?state=delivered')).body.data.deliveries.length, {
      timeout: 20_000,
    })
    .toBe(5 + MISSED);
  const again = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
  expect(again).toHaveLength(MISSED);
  expect(new Set(again)).toEqual(new Set(ids));
});
