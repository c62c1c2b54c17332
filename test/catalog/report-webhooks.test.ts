import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { createDeliverDeps } from '../../src/role-contexts.ts';
import { deliver } from '../../src/roles/deliver.ts';
import { type Catalog, startCatalog } from '../support/catalog.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

describe('REPORTS_WEBHOOK_URL', () => {
  let receiver: Receiver;
  let catalog: Catalog;
  beforeAll(async () => {
    receiver = await startReceiver((n) => (n === 0 ? 503 : 204));
    catalog = await startCatalog({
      ...{ REPORTS_WEBHOOK_URL: receiver.url, REPORTS_WEBHOOK_SECRET: SECRET, WEBHOOK_RETRY_SCHEDULE: '0,0,0' },
    });
  });
  afterAll(async () => {
    await catalog.stop();
    await receiver.close();
  });

  it('receives new reports and decisions, signed and without the receipt, each until it succeeds', async () => {
    const record = { record_id: 'bridge-7', action_type: 'hide', description: 'a face' };
    const created = await catalog.reader.post('/reports', { json: record, headers: { 'x-request-id': 'req-7' } });
    const { receipt, ...report } = created.body;
    // The same open report again.
    await catalog.reader.post('/reports', { json: record });
    const patch = async (json: object) =>
      (await catalog.moderator.request(`/reports/${report.id}`, { method: 'PATCH', json })).body;
    await patch({ status: 'in_review' });
    const decided = await patch({ status: 'accepted', resolver_note: 'yes' });
    await patch({ status: 'accepted' });

    const stop = new AbortController();
    const delivering = deliver(await createDeliverDeps(catalog.context, stop.signal));
    const [failed, ...received] = await receiver.waitForRequests(3);
    stop.abort();
    await delivering;

    for (const { headers, body } of received) {
      expect(await verifyWebhook(body, headers, { secret: SECRET })).toMatchObject({ event: JSON.parse(body).type });
    }
    const messages = received.map(({ body }) => JSON.parse(body));
    messages.sort((a, b) => (a.type < b.type ? -1 : 1));
    expect(messages).toEqual([
      { type: 'report.created', timestamp: expect.any(String), data: report },
      { type: 'report.resolved', timestamp: expect.any(String), data: decided },
    ]);
    expect(received.map(({ headers }) => headers['webhook-id'])).toContain(failed!.headers['webhook-id']);
    expect(JSON.stringify(received)).not.toContain(receipt);
    expect(received.find(({ body }) => body.includes('report.created'))!.headers['x-request-id']).toBe('req-7');
    expect(receiver.received).toHaveLength(3);
    expect(await catalog.context.tasks.pendingDeliveries()).toBe(0);
  });

  it.each([
    ['REPORTS_WEBHOOK_URL', 'http://receiver.example.com/hook', 'https'],
    ['REPORTS_WEBHOOK_URL', 'https://10.0.0.7/hook', 'public'],
    ['REPORTS_WEBHOOK_URL', 'hook', ''],
    ['REPORTS_WEBHOOK_SECRET', 'whsec_c2hvcnQ=', 'at least 24 bytes'],
  ])('rejects %s=%s at the start', async (name, value, problem) => {
    const loading = loadConfig({ APP_ENV: 'test', [name]: value }, 'test');
    await expect(loading).rejects.toThrow(new RegExp(`^${name}: .*${problem}`));
  });
});
