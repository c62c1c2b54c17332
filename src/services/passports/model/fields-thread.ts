import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../../base/thread-requests.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import { type ExtractedFields, extractFields } from './field-network/extract-fields.ts';
import type { PageFeatures } from './field-network/page-features.ts';
import { describeParts, type PartOutput } from './field-network/page-reading.ts';
import { valueTokens } from './fields/page-tokens.ts';
import { type AppliedTemplate, applyTemplates } from './templates/apply-template.ts';
import type { Template } from './templates/match-templates.ts';
import { type LearnRequest, teach } from './templates/teach.ts';

/** Requests the inputs of the network: {@link DescribedPages}. */
export interface DescribeRequest {
  readonly kind: 'describe';
  readonly pages: readonly ReadPage[];
}
/** Per page one or several parts. */
export type DescribedPages = PageFeatures[][];

/** Requests {@link FoundFields} of the pages described last. */
export interface FindRequest {
  readonly kind: 'find';
  readonly templates: readonly Template[];
  /** Of the network, for {@link DescribedPages}. */
  readonly outputs: readonly (readonly PartOutput[])[];
}

export interface FoundFields extends ExtractedFields {
  /** The template that the document matches. */
  readonly template: AppliedTemplate['template'];
}

export type FieldsRequest = DescribeRequest | FindRequest | LearnRequest;

const schema = workerData as Schema;

let pages: readonly ReadPage[] = [];

serveRequests((request: FieldsRequest) => {
  switch (request.kind) {
    case 'describe':
      pages = request.pages;
      return valueTokens(pages).map((sheet) => describeParts(sheet));
    case 'find':
      try {
        return find(request);
      } finally {
        // Personal data.
        pages = [];
      }
    case 'learn':
      return teach(request, schema);
  }
});

function find({ templates, outputs }: FindRequest): FoundFields {
  let template: AppliedTemplate['template'];
  const found = extractFields(pages, schema, outputs, (fields) => {
    const applied = applyTemplates(pages, fields, templates, schema);
    template = applied.template;
    return applied.fields;
  });
  return { ...found, template };
}
