import { afterAll, afterEach, expect } from 'vitest';
import { testDatabase } from '../../../../base/testing/database.ts';
import { openReports } from '../postgres.ts';
import type { Change, NewReport, Report } from '../report.ts';
import { verifyTrail } from '../verify.ts';
import { clearTrail } from './trail.ts';

/** Verifies the audit trail after each test and clears it. */
export async function testReports() {
  const database = await testDatabase();
  const { db } = database;
  const reports = openReports({ db, apply: true });
  afterEach(async () => {
    expect(await verifyTrail(db)).toMatchObject({ outcome: 'intact' });
    await clearTrail(db);
    await db.query('truncate reports');
    await db.query('truncate catalog_records cascade');
  });
  afterAll(() => database.drop());

  return {
    db,
    reports,
    reported: async (over: Partial<NewReport> = {}): Promise<Report> =>
      (await reports.create({ recordId: 'a:1', actionType: 'delete', reporter: 'token-reader', ...over })).report,
    decide: (report: Report, change: Omit<Change, 'actor'>, actor = 'anna') =>
      reports.change(report.id, { actor, ...change }),
  };
}
