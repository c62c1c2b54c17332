import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../../base/thread-requests.ts';
import type { Field, Warning } from '../extraction.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import { extractFields } from './fields/extract.ts';
import { type AppliedTemplate, applyTemplates, type Template } from './templates/apply-template.ts';
import { type LearnRequest, teach } from './templates/teach.ts';

export interface ExtractedFields {
  readonly fields: Record<string, Field>;
  readonly warnings: Warning[];
}

export interface FoundFields extends ExtractedFields {
  /** The template that the document matches. */
  readonly template: AppliedTemplate['template'];
}

export interface FindRequest {
  readonly kind: 'find';
  readonly pages: readonly ReadPage[];
  readonly templates: readonly Template[];
}

const schema = workerData as Schema;

serveRequests((request: FindRequest | LearnRequest) =>
  request.kind === 'find' ? find(request) : teach(request, schema),
);

function find({ pages, templates }: FindRequest): FoundFields {
  let template: AppliedTemplate['template'];
  const found = extractFields(pages, schema, (fields) => {
    const applied = applyTemplates(pages, fields, templates, schema);
    template = applied.template;
    return applied.fields;
  });
  return { ...found, template };
}
