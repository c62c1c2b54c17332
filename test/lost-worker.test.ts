import { afterEach, expect, it, vi } from 'vitest';
import { openDb } from '../src/base/db.ts';
import { createLog } from '../src/base/log.ts';
import { cleanUp, databaseUrl, newPlace, signalTo, startAssay } from './processes/assay.ts';
import { finished, predict, uploadPicture } from './processes/client.ts';
import { until } from './processes/until.ts';

// Real processes start and stop here, on whatever machine.
vi.setConfig({ testTimeout: 120_000 });
afterEach(cleanUp);

it('a supervisor gives back what its worker held, as soon as it was killed', async () => {
  const place = await newPlace();
  const assay = startAssay(place);
  await assay.says(/is ready/);
  const db = openDb({ url: await databaseUrl(place), log: createLog('silent', 'test') });
  try {
    const worker = await assay.child('work');
    const picture = await uploadPicture(assay, 1);
    const ids: string[] = [];
    const count = async (condition: string) => (await db.query(`select from tasks where ${condition}`)).rowCount;
    // It stands still, so that what it holds now it holds until it is killed.
    while ((await count('worker is not null')) === 0) {
      signalTo(worker, 'SIGCONT');
      const answers = await Promise.all(Array.from({ length: 60 }, () => predict(assay, picture)));
      ids.push(...answers.map(({ body }) => body.data.task_id));
      signalTo(worker, 'SIGSTOP');
    }
    signalTo(worker, 'SIGKILL');
    await until(() => /"released":(\d+)/.test(assay.said.err));
    for (const id of ids) expect(await finished(assay, id)).toMatchObject({ status: 'done' });
    const released = Number(/"released":(\d+)/.exec(assay.said.err)![1]);
    expect(released).toBeGreaterThan(0);
    expect(await count('attempts = 2')).toBeGreaterThanOrEqual(released);
  } finally {
    await db.close();
  }
});
