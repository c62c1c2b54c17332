import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { openDb } from '../../src/base/db.ts';
import { createLog } from '../../src/base/log.ts';
import {
  type Assay,
  cleanUp,
  createInstancePlace,
  databaseUrl,
  signalTo,
  startAssay,
} from '../support/processes/assay.ts';
import { predict, uploadPicture, waitForTask } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { startReceiver } from '../support/receiver.ts';

// This test starts and stops real processes.
vi.setConfig({ testTimeout: 400_000 });
afterEach(cleanUp);

const isReady = ({ output }: Assay) => waitUntil(() => /is ready/.test(output.out), 120_000);

it('A paused endpoint stays paused, and its webhooks stay held, after the deliverer and the whole product were killed', async () => {
  let isDown = true;
  const receiver = await startReceiver(() => (isDown ? 500 : 204));
  onTestFinished(() => receiver.close());
  const place = await createInstancePlace();
  const env = { WEBHOOK_RETRY_SCHEDULE: '0,0,0,3600' };
  let assay = startAssay(place, { env });
  await isReady(assay);
  const picture = await uploadPicture(assay, 1);
  const request = async () => {
    const { body } = await predict(assay, picture, { webhook_url: receiver.url });
    await waitForTask(assay, body.data.task_id);
    return body.data.task_id as string;
  };
  const deliveryOf = async (id: string) => (await assay.call(`/deliveries?task_id=${id}`)).body.data.deliveries[0];
  const isHeld = async (id: string) => (await deliveryOf(id)).held === true;

  await request();
  await receiver.waitForRequests(3);
  const db = openDb({ url: await databaseUrl(place), log: createLog('silent', 'test') });
  const setFailures = async () =>
    (await db.query("update webhook_endpoints set failures = 20, failing_since = now() - interval '1 day'")).rowCount >
    0;
  await waitUntil(setFailures);
  const ids = [await request()];
  await waitUntil(() => isHeld(ids[0]!));
  await db.close();
  const sent = receiver.received.length;

  signalTo(await assay.child('deliver'), 'SIGKILL');
  ids.push(await request());
  await waitUntil(() => isHeld(ids[1]!));
  assay.kill('SIGKILL', 'group');
  await assay.ended;
  assay = startAssay(place, { env });
  await isReady(assay);
  ids.push(await request());
  await waitUntil(() => isHeld(ids[2]!));
  expect((await assay.call('/deliveries/endpoints')).body.data.endpoints).toMatchObject([{ state: 'paused', held: 4 }]);
  expect(receiver.received).toHaveLength(sent);

  isDown = false;
  const { body } = await assay.call('/deliveries/endpoints/resume', { body: { endpoint: receiver.url } });
  expect(body.data).toEqual({ resumed: true });
  for (const id of ids) await waitUntil(async () => (await deliveryOf(id)).state === 'delivered');
});
