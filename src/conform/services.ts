import type { Check, RunContext, ServiceName } from './check.ts';
import { defectoscopyChecks } from './defectoscopy/index.ts';
import { deleteDocuments } from './passports/delete.ts';
import { passportsChecks } from './passports/index.ts';
import { reportsChecks } from './reports.ts';
import { sttChecks } from './stt/index.ts';

export interface ServiceChecks {
  readonly name: ServiceName;
  readonly path: string;
  readonly checks: readonly Check[];
  readonly cleanUp?: (context: RunContext) => Promise<void>;
}

export const serviceChecks: readonly ServiceChecks[] = [
  { name: 'defectoscopy', path: '/predict', checks: defectoscopyChecks },
  { name: 'stt', path: '/transcribe/audio_url', checks: sttChecks },
  { name: 'passports', path: '/auth/token', checks: passportsChecks, cleanUp: deleteDocuments },
  { name: 'reports', path: '/reports', checks: reportsChecks },
];
