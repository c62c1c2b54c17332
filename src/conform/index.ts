/** Conformance checks of a deployment against the specification. Independent of the other parts of the product. */
export type { RunContext as Visit, ServiceName } from './check.ts';
export { findCredentialError } from './credential-check.ts';
export { detectService } from './detect-service.ts';
export { createProbe, NoResponse } from './probe.ts';
export { formatResult, formatSummary, resultToJson } from './report.ts';
export { type CheckResult, runChecks } from './run.ts';
export { type ServiceChecks, serviceChecks } from './services.ts';
