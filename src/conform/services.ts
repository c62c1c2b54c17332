import type { Check, ServiceName, Visit } from './check.ts';
import { defectoscopyChecks } from './defectoscopy/index.ts';
import { passportsChecks } from './passports/index.ts';
import { leave } from './passports/removal.ts';
import { reportsChecks } from './reports.ts';
import { sttChecks } from './stt/index.ts';

export interface Subject {
  readonly name: ServiceName;
  readonly path: string;
  readonly checks: readonly Check[];
  readonly leave?: (context: Visit) => Promise<void>;
}

export const subjects: readonly Subject[] = [
  { name: 'defectoscopy', path: '/predict', checks: defectoscopyChecks },
  { name: 'stt', path: '/transcribe/audio_url', checks: sttChecks },
  { name: 'passports', path: '/auth/token', checks: passportsChecks, leave },
  { name: 'reports', path: '/reports', checks: reportsChecks },
];
