import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { openDb } from '../../src/base/db.ts';
import { ifMissing } from '../../src/base/file-system.ts';
import { createLog } from '../../src/base/log.ts';
import { archiveOf } from '../support/archive.ts';
import { cleanUp, createInstancePlace, databaseUrl, signalTo, startAssay } from '../support/processes/assay.ts';
import { TOKEN, uploadPicture } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { startReceiver } from '../support/receiver.ts';

/** `BATCH_ITEMS=10000` is the largest batch. */
const ITEMS = Number(process.env['BATCH_ITEMS'] ?? 1000);
const SAMPLES = 50;
const QUICK_MODEL = fileURLToPath(new URL('../support/processes/chaos-model.mjs', import.meta.url));
/** Before a kill: fewer than the attempts of a task. */
const DONE_BEFORE_KILL = [0.2, 0.5];

vi.setConfig({ testTimeout: 600_000 });
afterEach(cleanUp);

it('A batch is accepted once and completes once while its gateway and worker are killed', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const place = await createInstancePlace();
  const assay = startAssay(place, {
    env: { NODE_OPTIONS: `--import=${QUICK_MODEL}`, CHAOS_MODEL_MS: '5', DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
  });
  await assay.waitForOutput(/is ready/);
  const db = openDb({ url: await databaseUrl(place), log: createLog('silent', 'test') });
  onTestFinished(() => db.close());
  const count = async (sql: string) => (await db.query<{ n: number }>(`select count(*)::int as n ${sql}`)).rows[0]!.n;
  const killChild = async (role: string) => signalTo(await assay.child(role), 'SIGKILL');

  const item = JSON.stringify({ image_url: await uploadPicture(assay, 1) });
  const submit = () =>
    fetch(`${assay.url}/batches?webhook_url=${encodeURIComponent(receiver.url)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson', 'idempotency-key': 'one' },
      body: `${item}\n`.repeat(ITEMS),
    });
  const first = submit().catch(() => undefined);
  const isInserting = `from pg_stat_activity where query like '%insert into tasks%' and pid <> pg_backend_pid() and state <> 'idle'`;
  await waitUntil(async () => (await count(isInserting)) > 0 || (await count('from tasks')) > 0);
  await killChild('serve');
  await first;
  expect([0, ITEMS + 1]).toContain(await count('from tasks'));
  let accepted: Response | undefined;
  await waitUntil(async () => {
    accepted = await submit().catch(() => undefined);
    return accepted?.status === 202;
  });
  const { batch_id: id, total } = ((await accepted!.json()) as { data: { batch_id: string; total: number } }).data;
  expect(total).toBe(ITEMS);
  expect(await count('from tasks')).toBe(ITEMS + 1);

  for (const share of DONE_BEFORE_KILL) {
    await waitUntil(async () => (await count(`from tasks where status = 'done'`)) >= share * ITEMS, 300_000);
    await killChild('work');
    await killChild('serve');
  }
  const readBatch = () =>
    assay
      .call(`/batches/${id}`)
      .then(({ body }) => body.data)
      .catch(() => undefined);
  await waitUntil(async () => (await readBatch())?.status === 'completed', 300_000);

  expect(await readBatch()).toMatchObject({ counts: { done: ITEMS, failed: 0, cancelled: 0 } });
  expect(await count('from tasks')).toBe(ITEMS + 1);
  const events = `select task_id from task_events union all select task_id from unnumbered_task_events`;
  expect(await count(`from (${events}) as e`)).toBe(ITEMS + 1);
  expect(await count(`from (select distinct task_id from (${events}) as e) as d`)).toBe(ITEMS + 1);

  const exported = await fetch(`${assay.url}/batches/${id}/results`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const lines = (await exported.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ position }) => position)).toEqual(Array.from({ length: ITEMS }, (_, i) => i + 1));
  expect(new Set(lines.map(({ result }) => result.data.task_id)).size).toBe(ITEMS);
  for (let at = 0; at < ITEMS; at += ITEMS / SAMPLES) {
    const { result } = lines[Math.floor(at)];
    expect((await assay.call(`/result/${result.data.task_id}`)).body).toEqual(result);
  }
  await receiver.waitForRequests(1);
  await waitUntil(async () => (await readBatch()).webhook.state === 'delivered');
  expect(receiver.received.map(({ headers }) => headers['x-service-task-id'])).toEqual([id]);
});

it('An archive whose gateway is killed while its files are stored is accepted once and leaves no temporary file', async () => {
  const place = await createInstancePlace();
  const assay = startAssay(place, { env: { NODE_OPTIONS: `--import=${QUICK_MODEL}`, CHAOS_MODEL_MS: '5' } });
  await assay.waitForOutput(/is ready/);
  const db = openDb({ url: await databaseUrl(place), log: createLog('silent', 'test') });
  onTestFinished(() => db.close());
  const count = async (sql: string) => (await db.query<{ n: number }>(`select count(*)::int as n ${sql}`)).rows[0]!.n;
  const picture = (index: number) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from(`picture ${index}`)]);
  const archive = await archiveOf(Array.from({ length: 2000 }, (_, i) => [`${i}.jpg`, picture(i)] as const));
  const submit = () =>
    fetch(`${assay.url}/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip', 'idempotency-key': 'one' },
      body: archive,
    }).catch(() => undefined);
  const storedFiles = async () =>
    ((await readdir(join(place.dataDir, 'files'), { recursive: true }).catch(ifMissing)) ?? []).filter((path) =>
      /^.{26}$/.test(basename(path)),
    ).length;

  const first = submit();
  await waitUntil(async () => (await storedFiles()) > 20);
  signalTo(await assay.child('serve'), 'SIGKILL');
  await first;
  expect([0, 2001]).toContain(await count('from tasks'));
  expect(await readdir(join(place.dataDir, 'scratch'))).toEqual([]);

  let accepted: Response | undefined;
  await waitUntil(async () => {
    accepted = await submit();
    return accepted?.status === 202;
  });
  expect([await count('from tasks'), await count('from batch_items')]).toEqual([2001, 2000]);
});
