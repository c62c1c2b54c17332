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
  fields: { en: 'Fields: {count}', ru: 'Полей: {count}' },
  rows: { en: 'table rows: {count}', ru: 'строк в таблицах: {count}' },
  review: { en: 'to review: {count}', ru: 'на проверку: {count}' },
});

/** Number of extractions in memory. */
const CHUNK = 50;

/** The number of fields that have a value, of table rows, and of values that a person should check. Omits documents without access. */
export function summarizeDocuments(documents: Pick<DocumentStore, 'findAllWithResult'>, schema: Schema): Summarize {
  return async (ids, language, request) => {
    const summaries = new Map<string, string>();
    for (let at = 0; at < ids.length; at += CHUNK) {
      for (const document of await documents.findAllWithResult(callerOf(request), ids.slice(at, at + CHUNK))) {
        if (!isCompleted(document)) continue;
        const values = presentFields(document, schema).filter(({ value }) => value !== null);
        const cells = values.filter(({ row }) => row !== undefined);
        const counts = {
          fields: values.length - cells.length,
          rows: new Set(cells.map(({ section, row }) => `${section.key}:${row}`)).size,
          review: listReview(recheckWarnings(document, schema), values).length,
        };
        const parts = (['fields', 'rows', 'review'] as const).filter((part) => part === 'fields' || counts[part] > 0);
        summaries.set(
          document.id,
          parts.map((part) => fill(texts[language][part], { count: counts[part] })).join(', '),
        );
      }
    }
    return summaries;
  };
}
