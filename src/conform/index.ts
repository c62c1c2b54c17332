/** Conformance checks of a deployment against the specification. Independent of the other parts of the product. */
export type { ServiceName, RunContext as Visit } from './check.ts';
export { findCredentialError as refusedCredential } from './credential-check.ts';
export { createProbe, NoResponse as NoAnswer } from './probe.ts';
export { detectService as recognise } from './detect-service.ts';
export { formatSummary as summaryLine, resultToJson as verdictJson, formatResult as verdictLines } from './report.ts';
export { runChecks as run, type CheckResult as Verdict } from './run.ts';
export { type ServiceChecks as Subject, serviceChecks as subjects } from './services.ts';
