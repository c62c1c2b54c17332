import { parentPort } from 'node:worker_threads';
import type { Place } from './page-excerpts.ts';
import { printReport } from './print-report.ts';
import { buildReport, type CutExcerpts, type ReportSource } from './report.ts';

/** Messages of the thread: first the page regions that it needs, then the PDF. */
export type ReportThreadMessage = { readonly places: readonly Place[] } | { readonly pdf: Uint8Array<ArrayBuffer> };

const port = parentPort!;
let onMessage: (message: unknown) => void = () => {};
// The listener keeps the thread alive until it is terminated: exiting by itself could lose the last message.
port.on('message', (message) => onMessage(message));
const next = <T>() => new Promise<T>((resolve) => (onMessage = resolve as typeof onMessage));
const send = (message: ReportThreadMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

const cutExcerpts: CutExcerpts = (places) => {
  send({ places });
  return next();
};

for (;;) {
  const report = await buildReport(await next<ReportSource>(), cutExcerpts);
  // A copy with its own buffer, to transfer it.
  const pdf = new Uint8Array(await printReport(report));
  send({ pdf }, [pdf.buffer]);
}
