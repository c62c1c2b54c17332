import { parentPort } from 'node:worker_threads';
import { printReport } from './print-report.ts';
import type { Report } from './report.ts';

// It prints one report after another until it is ended. What it cannot print ends it, with the error.
parentPort!.on('message', (report: Report) => {
  void printReport(report).then((pdf) => {
    // A copy in memory of its own, which then changes hands.
    const bytes = new Uint8Array(pdf);
    parentPort!.postMessage(bytes, [bytes.buffer]);
  });
});
