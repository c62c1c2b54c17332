import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../../base/thread-requests.ts';
import { openNetwork } from '../../../ml/network.ts';
import { type RunLock, runLocked } from '../../../ml/run-lock.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import { type ExtractedFields, extractFields } from './field-network/extract-fields.ts';
import { describeParts, type PartOutput } from './field-network/page-reading.ts';
import { runNetwork } from './field-network/run-network.ts';
import { valueTokens } from './fields/page-tokens.ts';
import { type AppliedTemplate, applyTemplates } from './templates/apply-template.ts';
import type { Template } from './templates/match-templates.ts';
import { type LearnRequest, type Taught, teach } from './templates/teach.ts';

/** Requests {@link FoundFields}. */
export interface FindRequest {
  readonly kind: 'find';
  readonly pages: readonly ReadPage[];
  readonly templates: readonly Template[];
}

export interface FoundFields extends ExtractedFields {
  /** The template that the document matches. */
  readonly template: AppliedTemplate['template'];
}

/** `open` is answered when the network is open. */
export type FieldsRequest = { readonly kind: 'open' } | FindRequest | LearnRequest;

export interface FieldsThreadOptions {
  readonly schema: Schema;
  /** The file of the network. */
  readonly network: string;
  readonly lock: RunLock;
}

const { schema, network, lock } = workerData as FieldsThreadOptions;
const { run } = await runLocked(lock, () => openNetwork({ path: network, threads: 1, providers: ['cpu'] }));

serveRequests(async (request: FieldsRequest): Promise<FoundFields | Taught | undefined> => {
  switch (request.kind) {
    case 'open':
      return undefined;
    case 'find':
      return find(request);
    case 'learn':
      return teach(request, schema);
  }
});

async function find({ pages, templates }: FindRequest): Promise<FoundFields> {
  const outputs: PartOutput[][] = [];
  for (const sheet of valueTokens(pages)) {
    const page: PartOutput[] = [];
    for (const part of describeParts(sheet)) {
      page.push(await runNetwork((feeds) => runLocked(lock, () => run(feeds)), part));
    }
    outputs.push(page);
  }
  let template: AppliedTemplate['template'];
  const found = extractFields(pages, schema, outputs, (fields) => {
    const applied = applyTemplates(pages, fields, templates, schema);
    template = applied.template;
    return applied.fields;
  });
  return { ...found, template };
}
