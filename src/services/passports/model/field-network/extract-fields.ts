import { applyCrossChecks } from '../../cross-checks.ts';
import type { Field, Warning } from '../../extraction.ts';
import { type ReadPage, toPageBox } from '../../page-geometry.ts';
import { cellKey, everyField } from '../../schema/keys.ts';
import type { Schema } from '../../schema/schema.ts';
import { extractByLabels } from '../fields/extract.ts';
import { boundingBox, joinText } from '../fields/page-tokens.ts';
import type { ReadCell } from '../fields/table-repairs.ts';
import { cellConfidence, confidenceOf } from './confidence.ts';
import { isKnown, readWithNetwork } from './extract-with-network.ts';
import type { PartOutput } from './page-reading.ts';

export interface ExtractedFields {
  readonly fields: Record<string, Field>;
  readonly warnings: Warning[];
}

/**
 * Extracts the fields of `schema`: those that the network knows by its `outputs`, others by their labels. `refine` may
 * change them before the cross-checks.
 */
export function extractFields(
  pages: readonly ReadPage[],
  schema: Schema,
  outputs: readonly (readonly PartOutput[])[],
  refine: (fields: Record<string, Field>) => Record<string, Field> = (fields) => fields,
): ExtractedFields {
  const byLabels = extractByLabels(pages, schema).fields;
  const { values, tables } = readWithNetwork(pages, schema, outputs, byLabels);
  const fields: Record<string, Field> = {};
  for (const { key, spec } of everyField(schema)) {
    const read = values.get(key);
    const labelled = byLabels[key];
    if (read) {
      const labels = !labelled ? 'none' : String(labelled.value) === String(read.value) ? 'agree' : 'differ';
      fields[key] = fieldOf(read, confidenceOf({ ...read, labels, isText: spec.type === 'string' }));
    } else if (labelled)
      fields[key] = isKnown(key) ? { ...labelled, confidence: 0.5 * (labelled.confidence ?? 0) } : labelled;
  }
  for (const section of schema.sections) {
    const rows = tables.get(section.key);
    if (rows) {
      for (const [i, row] of rows.entries()) {
        for (const cell of row) fields[cellKey(section, i + 1, cell.spec)] = fieldOf(cell, cellConfidence(cell));
      }
    } else if (section.table) {
      for (const [key, field] of Object.entries(byLabels)) if (key.startsWith(`${section.key}:`)) fields[key] = field;
    }
  }
  return applyCrossChecks(refine(fields), schema);
}

function fieldOf({ tokens, value }: Pick<ReadCell, 'tokens' | 'value'>, confidence: number): Field {
  const { sheet } = tokens[0]!;
  const { x0, y0, x1, y1 } = boundingBox(tokens.filter((token) => token.sheet === sheet));
  const { page } = sheet;
  return {
    value,
    confidence: Math.round(100 * confidence) / 100,
    source: page.reader === 'text' ? 'text' : 'ocr',
    page: page.page,
    bbox: toPageBox(page, [x0 / sheet.width, y0 / sheet.height, x1 / sheet.width, y1 / sheet.height]),
    text: joinText(tokens),
  };
}
