import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { cleanUp, createInstancePlace, startAssay } from '../support/processes/assay.ts';
import { predict, uploadPicture, waitForTask } from '../support/processes/client.ts';
import { startPooler } from '../support/processes/pooler.ts';
import { requireTool } from '../support/require.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await cleanUp();
  await database.drop();
});

// Without DATABASE_DIRECT_URL: notifications are optional.
const MODES = [
  ['session', {}],
  ['transaction', { DATABASE_POOLING: 'transaction' }],
] as const;

for (const [mode, more] of MODES) {
  it(`Assay works behind PgBouncer in ${mode} mode`, { timeout: 120_000 }, async (context) => {
    const pooler = await startPooler(requireTool('pgbouncer', context), database.url, mode);
    try {
      const place = await createInstancePlace();
      const env = { DATABASE_URL: pooler.url, DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0', ...more };
      const assay = startAssay(place, { env });
      await assay.waitForOutput(/is ready/);
      const picture = await uploadPicture(assay, 1);
      const answers = await Promise.all(Array.from({ length: 40 }, () => predict(assay, picture)));
      for (const { status, body } of answers) {
        expect(status).toBe(202);
        expect(await waitForTask(assay, body.data.task_id)).toMatchObject({ status: 'done' });
      }
      expect(assay.output.err).not.toMatch(/prepared statement|unsupported startup|"level":(40|50|60)/);
    } finally {
      await cleanUp();
      await pooler.close();
    }
  });
}
