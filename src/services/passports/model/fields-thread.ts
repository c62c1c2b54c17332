import { parentPort, workerData } from 'node:worker_threads';
import type { Field, Warning } from '../extraction.ts';
import type { ReadPage } from '../page.ts';
import type { Schema } from '../schema/schema.ts';
import { extractFields } from './fields/extract.ts';

/** What the thread answers to the pages of a document. */
export interface Found {
  readonly fields: Record<string, Field>;
  readonly warnings: Warning[];
}

// It goes on listening, and so lives until it is ended: a thread that ends by itself may take its answer along.
parentPort!.on('message', (pages: readonly ReadPage[]) => {
  parentPort!.postMessage(extractFields(pages, workerData as Schema) satisfies Found);
});
