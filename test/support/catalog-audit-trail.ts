import type { Db } from '../../src/base/db.ts';

/** As a database owner can. */
export const tamper = (db: Db, sql: string, parameters: readonly unknown[] = []): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query('alter table report_events disable trigger append_only');
    await tx.query(sql, parameters);
    await tx.query('alter table report_events enable trigger append_only');
  });

export const clearAuditTrail = (db: Db) => tamper(db, 'truncate report_events');
