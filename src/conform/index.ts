/** `assay conform`: a deployment against the specification. It knows no other part of the product, only the paper. */
export type { ServiceName, Visit } from './check.ts';
export { refusedCredential } from './entrance.ts';
export { createProbe, NoAnswer } from './probe.ts';
export { recognise } from './recognise.ts';
export { summaryLine, verdictJson, verdictLines } from './report.ts';
export { run, type Verdict } from './run.ts';
export { type Subject, subjects } from './services.ts';
