import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../../base/thread-requests.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import { extractFields } from './fields/extract.ts';

export type ExtractedFields = ReturnType<typeof extractFields>;

serveRequests((pages: readonly ReadPage[]) => extractFields(pages, workerData as Schema));
