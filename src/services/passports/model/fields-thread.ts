import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../../base/thread-requests.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import { extractFields } from './field-network/extract-fields.ts';
import type { PageFeatures } from './field-network/page-features.ts';
import { describeParts, type PartOutput } from './field-network/page-reading.ts';
import { tokenizePages, VALUE_BOUNDARY } from './fields/page-tokens.ts';

export type ExtractedFields = ReturnType<typeof extractFields>;
/** Per page the inputs of the network. */
export type DescribedPages = PageFeatures[][];
/** Without outputs, the answer is {@link DescribedPages}; with them, {@link ExtractedFields}. */
export interface FieldsRequest {
  readonly pages: readonly ReadPage[];
  readonly outputs?: readonly (readonly PartOutput[])[];
}

serveRequests(({ pages, outputs }: FieldsRequest): DescribedPages | ExtractedFields =>
  outputs
    ? extractFields(pages, workerData as Schema, outputs)
    : tokenizePages(pages, VALUE_BOUNDARY).map((sheet) => describeParts(sheet)),
);
