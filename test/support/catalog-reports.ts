import { afterAll, afterEach, expect } from 'vitest';
import { createReports } from '../../src/services/catalog/reports/postgres.ts';
import type { NewReport, Report, ReportChange } from '../../src/services/catalog/reports/report.ts';
import { verifyAuditTrail } from '../../src/services/catalog/reports/verify-audit-trail.ts';
import { clearAuditTrail } from './catalog-audit-trail.ts';
import { testDatabase } from './database.ts';

/** Verifies the audit trail after each test and clears it. */
export async function testReports() {
  const database = await testDatabase();
  const { db } = database;
  const reports = createReports({ db, apply: true });
  afterEach(async () => {
    expect(await verifyAuditTrail(db)).toMatchObject({ outcome: 'intact' });
    await clearAuditTrail(db);
    await db.query('truncate reports');
    await db.query('truncate catalog_records cascade');
  });
  afterAll(() => database.drop());

  return {
    db,
    reports,
    reported: async (over: Partial<NewReport> = {}): Promise<Report> =>
      (await reports.create({ recordId: 'a:1', actionType: 'delete', reporter: 'token-reader', ...over })).report,
    decide: (report: Report, change: Omit<ReportChange, 'actor'>, actor = 'anna') =>
      reports.change(report.id, { actor, ...change }),
  };
}
