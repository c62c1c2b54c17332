import { plan } from '../plan.ts';
import { type TrailVerdict, verifyTrail } from '../services/catalog/reports/verify.ts';
import { inExistingDatabase } from './existing-database.ts';
import { inWords, notMigrated } from './telling.ts';

/** `assay audit verify`: one sentence about the audit trail of the reports. Ends with 1 where it does not hold. */
export async function verifyCommand(): Promise<void> {
  const planned = await plan({ LOG_LEVEL: 'warn', ...process.env }, 'audit');
  const where = { planned, applicationName: 'assay-audit', nothing: 'There is no audit trail' };
  const verdict = await inExistingDatabase(where, verifyTrail)
    .catch(notMigrated('There is no audit trail'))
    .catch(inWords);
  if (verdict.outcome === 'whole') return console.log(sentence(verdict));
  console.error(sentence(verdict));
  process.exitCode = 1;
}

/** What the verdict says to a person. */
export function sentence(verdict: TrailVerdict): string {
  switch (verdict.outcome) {
    case 'whole':
      return `The audit trail is whole: ${verdict.rows} events, the last hash is ${verdict.lastHash}.`;
    case 'broken':
      return `The audit trail is broken at event ${verdict.serial}: ${BROKEN[verdict.why]}.`;
    case 'disagrees':
      return `The audit trail does not agree with the report ${verdict.report}: ${DISAGREES[verdict.why]}.`;
  }
}

const BROKEN: Record<Extract<TrailVerdict, { outcome: 'broken' }>['why'], string> = {
  changed: 'what stands there was changed after it had been written',
  missing: 'it was removed',
  'put in between': 'what stands there was put in afterwards',
};

const DISAGREES: Record<Extract<TrailVerdict, { outcome: 'disagrees' }>['why'], string> = {
  changed: 'it was changed past the trail, or the end of the trail was cut off',
  missing: 'it was removed',
  unknown: 'no event tells that it came, or the end of the trail was cut off',
};
