import { fill } from '../../ui/browser/fill.ts';
import { localize } from '../../ui/browser/localize.ts';
import type { Summarize } from '../shared/batches/batch-deps.ts';
import { callerOf } from './auth/auth-guard.ts';
import { isCompleted } from './documents.ts';
import { presentFields } from './present.ts';
import { listReview } from './review.ts';
import type { Schema } from './schema/schema.ts';
import type { DocumentStore } from './store/postgres.ts';
import { recheckWarnings } from './warnings.ts';

const texts = localize({
  found: { en: 'Fields: {fields}', ru: 'Полей: {fields}' },
  toReview: { en: 'Fields: {fields}, to review: {review}', ru: 'Полей: {fields}, на проверку: {review}' },
});

/** Number of extractions in memory. */
const CHUNK = 50;

/** The number of fields that have a value, and of those that a person should check. Omits documents without access. */
export function summarizeDocuments(documents: Pick<DocumentStore, 'findAllWithResult'>, schema: Schema): Summarize {
  return async (ids, language, request) => {
    const summaries = new Map<string, string>();
    for (let at = 0; at < ids.length; at += CHUNK) {
      for (const document of await documents.findAllWithResult(callerOf(request), ids.slice(at, at + CHUNK))) {
        if (!isCompleted(document)) continue;
        const fields = presentFields(document, schema).filter(({ value }) => value !== null);
        const review = listReview(recheckWarnings(document, schema), fields).length;
        const { found, toReview } = texts[language];
        summaries.set(document.id, fill(review > 0 ? toReview : found, { fields: fields.length, review }));
      }
    }
    return summaries;
  };
}
