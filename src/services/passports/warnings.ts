import type { Opened } from './documents.ts';
import type { Field } from './extraction.ts';
import { presentFields } from './present.ts';
import type { Schema } from './schema/schema.ts';

/** What checks of values against each other say; everything else that warns is about the reading, which edits do not change. */
const OF_CHECKS: ReadonlySet<string> = new Set(['SUM_MISMATCH', 'ORDER_MISMATCH']);

/**
 * The document with the warnings that its values deserve now: an edit settles a contradiction, or makes a new one. One
 * that nobody has edited is as it was read.
 */
export async function judgedAnew(opened: Opened, schema: Schema): Promise<Opened> {
  if (opened.edits.length === 0) return opened;
  const fields: Record<string, Field> = {};
  for (const { storedKey, value, page, bbox } of presentFields(opened, schema)) {
    if (value !== null)
      fields[storedKey] = { value, confidence: null, source: 'text', page, bbox, text: String(value) };
  }
  const { checked } = await import('./model/fields/checks.ts');
  const { extraction } = opened;
  const warnings = [
    ...extraction.warnings.filter(({ code }) => !OF_CHECKS.has(code)),
    ...checked(fields, schema).warnings,
  ];
  return { ...opened, extraction: { ...extraction, warnings } };
}
