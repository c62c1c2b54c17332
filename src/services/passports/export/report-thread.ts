import { parentPort } from 'node:worker_threads';
import { printReport } from './print-report.ts';
import type { Place } from './proof.ts';
import { type Prove, type ReportSource, reportOf } from './report.ts';

/** What the thread says about a source that it was sent: first what it wants to see of the pages, then the PDF. */
export type Said = { readonly places: readonly Place[] } | { readonly pdf: Uint8Array<ArrayBuffer> };

const port = parentPort!;
let hear: (word: unknown) => void = () => {};
// It goes on listening, and so lives until it is ended: a thread that ends by itself may take its answer along.
port.on('message', (word) => hear(word));
const next = <T>() => new Promise<T>((resolve) => (hear = resolve as typeof hear));
const say = (said: Said, handed: ArrayBuffer[] = []) => port.postMessage(said, handed);

const prove: Prove = (places) => {
  say({ places });
  return next();
};

// What it cannot print ends it, with the error.
for (;;) {
  const report = await reportOf(await next<ReportSource>(), prove);
  // A copy in memory of its own, which then changes hands.
  const pdf = new Uint8Array(await printReport(report));
  say({ pdf }, [pdf.buffer]);
}
