import type { Field } from '../../../src/services/passports/extraction.ts';
import type { ConfirmedValue } from '../../../src/services/passports/model/templates/learn-lesson.ts';
import { compareFields } from './compare.ts';
import type { Truth } from './layout.ts';

/** What a person confirms and corrects so that a document is completely right. */
export function confirm(fields: Readonly<Record<string, Field>>, truth: Truth): ConfirmedValue[] {
  return [...new Set([...Object.keys(fields), ...Object.keys(truth.values)])].map((key) => {
    const field = fields[key];
    const expected = truth.values[key] ?? null;
    const one = { values: expected === null ? {} : { [key]: expected }, ...(truth.accept && { accept: truth.accept }) };
    const isRight = field !== undefined && expected !== null && compareFields({ [key]: field }, one).wrong.length === 0;
    const { value: original = null, page = null, bbox = null } = field ?? {};
    return { key, value: isRight ? original : expected, original, edited: !isRight, page, bbox };
  });
}
