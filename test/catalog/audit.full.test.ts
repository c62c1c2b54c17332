import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createReports } from '../../src/services/catalog/reports/postgres.ts';
import { tamper } from '../support/catalog-audit-trail.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { cleanUp, createInstancePlace, freePort, type InstancePlace, startAssay } from '../support/processes/assay.ts';

vi.setConfig({ testTimeout: 60_000 });

let database: TestDatabase;
let place: InstancePlace;
beforeAll(async () => {
  database = await testDatabase();
});
afterEach(cleanUp);
afterAll(() => database.drop());

async function runVerify(databaseUrl = database.url) {
  place = await createInstancePlace();
  const program = startAssay(place, { args: ['audit', 'verify'], env: { DATABASE_URL: databaseUrl } });
  const { code } = await program.ended;
  return { code, out: program.output.out, err: program.output.err };
}

it('`assay audit verify` prints the length and last hash of an intact trail, or the broken event and exits with 1', async () => {
  const { db } = database;
  const nothing = `The audit trail is intact: 0 events, last hash ${'0'.repeat(64)}.\n`;
  expect(await runVerify()).toEqual({ code: 0, out: nothing, err: '' });

  const reports = createReports({ db, apply: true });
  const { report } = await reports.create({ recordId: 'a:1', actionType: 'hide', reporter: 'token-reader' });
  await reports.change(report.id, { actor: 'anna', status: 'accepted' });
  const last = (await reports.events(report.id))!.at(-1)!;
  const two = `The audit trail is intact: 2 events, last hash ${last.hash}.\n`;
  expect(await runVerify()).toEqual({ code: 0, out: two, err: '' });

  await tamper(db, `delete from report_events where serial = 2`);
  const { code, out, err } = await runVerify();
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(`does not match the report ${report.id}`);

  await tamper(db, `update report_events set note = 'x'`);
  expect(await runVerify()).toEqual({ code: 1, out: '', err: expect.stringContaining('broken at event 1: ') });
});

it('`assay audit verify` exits with 2 and a message when the database is unreachable', { tags: ['full'] }, async () => {
  const unreachable = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
  expect(await runVerify(unreachable)).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(/^The database is unavailable: .*\n$/),
  });
});

it('`assay audit verify` exits with 2 and a message without a database, and creates none', {
  tags: ['full'],
}, async () => {
  place = await createInstancePlace();
  const program = startAssay(place, { args: ['audit', 'verify'], env: { DATABASE_URL: '' } });
  const { code } = await program.ended;
  expect([code, program.output]).toEqual([
    2,
    {
      out: '',
      err: expect.stringMatching(/^There is no audit trail in \S+\. Run .* set DATA_DIR or DATABASE_URL\.\n$/),
    },
  ]);
  await expect(stat(join(place.dataDir, 'postgres'))).rejects.toMatchObject({ code: 'ENOENT' });
});
