import { loadConfig, onDatabase } from '../config.ts';
import { type AuditTrailResult, verifyAuditTrail } from '../services/catalog/reports/verify-audit-trail.ts';
import { databaseOf, withExistingDatabase } from './existing-database.ts';
import { notMigrated, throwOperatorError } from './terminal.ts';

/** Exit status 1 when the audit trail was altered. */
export async function verifyCommand(): Promise<void> {
  const config = await loadConfig({ LOG_LEVEL: 'warn', ...process.env }, 'audit');
  const planned = onDatabase(config, databaseOf(config, 'catalog'));
  const where = { planned, applicationName: 'assay-audit', nothing: 'There is no audit trail' };
  const result = await withExistingDatabase(where, verifyAuditTrail)
    .catch(notMigrated('There is no audit trail'))
    .catch(throwOperatorError);
  if (result.outcome === 'intact') return console.log(auditMessage(result));
  console.error(auditMessage(result));
  process.exitCode = 1;
}

export function auditMessage(result: AuditTrailResult): string {
  switch (result.outcome) {
    case 'intact':
      return `The audit trail is intact: ${result.rows} events, last hash ${result.lastHash}.`;
    case 'broken':
      return `The audit trail is broken at event ${result.serial}: ${BROKEN[result.why]}.`;
    case 'mismatch':
      return `The audit trail does not match the report ${result.report}: ${MISMATCH[result.why]}.`;
  }
}

const BROKEN: Record<Extract<AuditTrailResult, { outcome: 'broken' }>['why'], string> = {
  changed: 'the event was changed after it was written',
  missing: 'the event was deleted',
  inserted: 'the event was inserted later',
};

const MISMATCH: Record<Extract<AuditTrailResult, { outcome: 'mismatch' }>['why'], string> = {
  changed: 'the report was changed without an event, or the end of the trail was deleted',
  missing: 'the report was deleted',
  unknown: 'the trail has no event that creates it, or the end of the trail was deleted',
};
