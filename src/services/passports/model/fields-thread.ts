import { parentPort, workerData } from 'node:worker_threads';
import type { Field, Warning } from '../extraction.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import { extractFields } from './fields/extract.ts';

export interface ExtractedFields {
  readonly fields: Record<string, Field>;
  readonly warnings: Warning[];
}

// Keeps the thread alive: a thread that exits may lose its last message.
parentPort!.on('message', (pages: readonly ReadPage[]) => {
  parentPort!.postMessage(extractFields(pages, workerData as Schema) satisfies ExtractedFields);
});
