import type { Db } from '../../src/base/db.ts';

/** As a database owner can. */
export const tamper = (db: Db, sql: string, parameters: readonly unknown[] = []): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query('alter table report_events disable trigger for_ever');
    await tx.query(sql, parameters);
    await tx.query('alter table report_events enable trigger for_ever');
  });

export const clearAuditTrail = (db: Db) => tamper(db, 'truncate report_events');
