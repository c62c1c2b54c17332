import type { Check, ServiceName, Visit } from './check.ts';
import { defectoscopyChecks } from './defectoscopy/index.ts';
import { passportsChecks } from './passports/index.ts';
import { leave } from './passports/removal.ts';
import { reportsChecks } from './reports.ts';
import { sttChecks } from './stt/index.ts';

export interface Subject {
  readonly name: ServiceName;
  /** What an OpenAPI description of it has among its paths. */
  readonly path: string;
  readonly checks: readonly Check[];
  /** Removes what the visit has made and that would stay. */
  readonly leave?: (visit: Visit) => Promise<void>;
}

/** The services of the specification. */
export const subjects: readonly Subject[] = [
  { name: 'defectoscopy', path: '/predict', checks: defectoscopyChecks },
  { name: 'stt', path: '/transcribe/audio_url', checks: sttChecks },
  { name: 'passports', path: '/auth/token', checks: passportsChecks, leave },
  { name: 'reports', path: '/reports', checks: reportsChecks },
];
