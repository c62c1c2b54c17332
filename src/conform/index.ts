/** Conformance checks of a deployment against the specification. Independent of the other parts of the product. */
export type { ServiceName, Visit } from './check.ts';
export { refusedCredential } from './entrance.ts';
export { createProbe, NoAnswer } from './probe.ts';
export { recognise } from './recognise.ts';
export { summaryLine, verdictJson, verdictLines } from './report.ts';
export { run, type Verdict } from './run.ts';
export { type Subject, subjects } from './services.ts';
