import { applyCrossChecks } from './cross-checks.ts';
import type { CompletedDocument } from './documents.ts';
import type { Field } from './extraction.ts';
import { presentFields } from './present.ts';
import type { Schema } from './schema/schema.ts';

/** Warnings about the values; all others concern the reading, which edits do not change. */
const CONSISTENCY_CODES: ReadonlySet<string> = new Set(['SUM_MISMATCH', 'ORDER_MISMATCH']);

/** Recomputes the consistency warnings of an edited document. */
export function recheckWarnings(opened: CompletedDocument, schema: Schema): CompletedDocument {
  if (opened.edits.length === 0) return opened;
  const fields: Record<string, Field> = {};
  for (const { storedKey, value, page, bbox } of presentFields(opened, schema)) {
    if (value !== null)
      fields[storedKey] = { value, confidence: null, source: 'text', page, bbox, text: String(value) };
  }
  const { extraction } = opened;
  const warnings = [
    ...extraction.warnings.filter(({ code }) => !CONSISTENCY_CODES.has(code)),
    ...applyCrossChecks(fields, schema).warnings,
  ];
  return { ...opened, extraction: { ...extraction, warnings } };
}
