import type { Static } from 'typebox';
import { validationError } from '../../base/api-error.ts';
import { composeCharacters } from '../../base/compose-characters.ts';
import type { VocabularyTerm } from '../../ml/speech/recognizer.ts';
import { MAX_TERM_CHARS, type Terms } from './api-schema.ts';

/** Terms with single spaces and without repetitions. Throws a 422 error that names the invalid term. */
export function parseTerms(field: string, terms: Static<typeof Terms>): VocabularyTerm[] {
  const byTerm = new Map<string, VocabularyTerm>();
  for (const [i, given] of terms.entries()) {
    const { term, spoken = [] } = typeof given === 'string' ? { term: given } : given;
    const text = parseText(`${field}.${i}`, term);
    const forms = [...new Set(spoken.map((form, k) => parseText(`${field}.${i}.spoken.${k}`, form)))];
    byTerm.set(text, { term: text, ...(forms.length > 0 && { spoken: forms }) });
  }
  return [...byTerm.values()];
}

function parseText(field: string, given: string): string {
  if (given.length > MAX_TERM_CHARS)
    throw validationError(`${field}: longer than ${MAX_TERM_CHARS} characters (${given.length}).`);
  const text = composeCharacters(given, 'NFC').replace(/\s+/g, ' ').trim();
  if (!/[\p{L}\p{N}]/u.test(text)) throw validationError(`${field}: a term needs a letter or a figure.`);
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw validationError(`${field}: contains control characters.`);
  return text;
}
