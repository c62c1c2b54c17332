import { afterEach, expect, it, vi } from 'vitest';
import { openDb } from '../src/base/db.ts';
import { createLog } from '../src/base/log.ts';
import { cleanUp, databaseUrl, newPlace, signalTo, startAssay } from './processes/assay.ts';
import { finished, predict, uploadPicture } from './processes/client.ts';
import { until } from './processes/until.ts';

// This test starts and stops real processes.
vi.setConfig({ testTimeout: 120_000 });
afterEach(cleanUp);

it('The supervisor releases the tasks of its worker immediately after the worker is killed', async () => {
  const place = await newPlace();
  const assay = startAssay(place);
  await assay.says(/is ready/);
  const db = openDb({ url: await databaseUrl(place), log: createLog('silent', 'test') });
  try {
    const picture = await uploadPicture(assay, 1);
    const ids: string[] = [];
    const count = async (condition: string) => (await db.query(`select from tasks where ${condition}`)).rowCount;
    const told = () => /"released":(\d+)/.exec(assay.said.err)?.[1];
    // Repeat until the kill hits while the worker holds tasks without a statement in progress.
    while (told() === undefined) {
      const worker = await assay.child('work');
      const answers = await Promise.all(Array.from({ length: 60 }, () => predict(assay, picture)));
      ids.push(...answers.map(({ body }) => body.data.task_id));
      await until(async () => (await count('worker is not null')) > 0 || (await count('finished_at is null')) === 0);
      signalTo(worker, 'SIGKILL');
      await until(async () => told() !== undefined || (await count('finished_at is null')) === 0);
    }
    for (const id of ids) expect(await finished(assay, id)).toMatchObject({ status: 'done' });
    const released = Number(told());
    expect(released).toBeGreaterThan(0);
    expect(await count('attempts = 2')).toBeGreaterThanOrEqual(released);
  } finally {
    await db.close();
  }
});
