import { afterEach, expect, it, vi } from 'vitest';
import { openDb } from '../../src/base/db.ts';
import { createLog } from '../../src/base/log.ts';
import { cleanUp, createInstancePlace, databaseUrl, signalTo, startAssay } from '../support/processes/assay.ts';
import { predict, uploadPicture, waitForTask } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';

// This test starts and stops real processes.
vi.setConfig({ testTimeout: 120_000 });
afterEach(cleanUp);

it('The supervisor releases the tasks of its worker immediately after the worker is killed', async () => {
  const place = await createInstancePlace();
  const assay = startAssay(place);
  await assay.waitForOutput(/is ready/);
  const db = openDb({ url: await databaseUrl(place), log: createLog('silent', 'test') });
  try {
    const picture = await uploadPicture(assay, 1);
    const ids: string[] = [];
    const count = async (condition: string) => (await db.query(`select from tasks where ${condition}`)).rowCount;
    const releasedCount = () => /"released":(\d+)/.exec(assay.output.err)?.[1];
    // Repeat until the kill hits while the worker holds tasks without a statement in progress.
    while (releasedCount() === undefined) {
      const worker = await assay.child('work');
      const answers = await Promise.all(Array.from({ length: 60 }, () => predict(assay, picture)));
      ids.push(...answers.map(({ body }) => body.data.task_id));
      await waitUntil(
        async () => (await count('worker is not null')) > 0 || (await count('finished_at is null')) === 0,
      );
      signalTo(worker, 'SIGKILL');
      await waitUntil(async () => releasedCount() !== undefined || (await count('finished_at is null')) === 0);
    }
    for (const id of ids) expect(await waitForTask(assay, id)).toMatchObject({ status: 'done' });
    const released = Number(releasedCount());
    expect(released).toBeGreaterThan(0);
    expect(await count('attempts = 2')).toBeGreaterThanOrEqual(released);
  } finally {
    await db.close();
  }
});
