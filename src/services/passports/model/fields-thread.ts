import { parentPort, workerData } from 'node:worker_threads';
import type { Field, Warning } from '../extraction.ts';
import type { ReadPage } from '../page.ts';
import type { Schema } from '../schema/schema.ts';
import { extractFields } from './fields/extract.ts';

/** The thread's response to the pages of a document. */
export interface Found {
  readonly fields: Record<string, Field>;
  readonly warnings: Warning[];
}

// The listener keeps the thread alive until it is terminated: a thread that exits may lose its last message.
parentPort!.on('message', (pages: readonly ReadPage[]) => {
  parentPort!.postMessage(extractFields(pages, workerData as Schema) satisfies Found);
});
