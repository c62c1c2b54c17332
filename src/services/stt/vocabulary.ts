import type { Static } from 'typebox';
import { validationError } from '../../base/api-error.ts';
import { composeCharacters } from '../../base/compose-characters.ts';
import { CLIENT_LIMIT_MS, type Db } from '../../base/db.ts';
import type { VocabularyTerm } from '../../ml/speech/recognizer.ts';
import { MAX_TERM_CHARS, MAX_TERMS, type Terms } from './api-schema.ts';

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

/** The terms of the request, then those of the credential, at most `MAX_TERMS`. */
export function mergeTerms(ofRequest: readonly VocabularyTerm[], ofCredential: readonly VocabularyTerm[]) {
  const known = new Set(ofRequest.map(({ term }) => term));
  return [...ofRequest, ...ofCredential.filter(({ term }) => !known.has(term))].slice(0, MAX_TERMS);
}

export interface StoredVocabulary {
  readonly terms: readonly VocabularyTerm[];
  readonly changedAt: Date;
}

export type VocabularyStore = ReturnType<typeof createVocabularyStore>;

/** The vocabularies of the credentials of a service. */
export function createVocabularyStore(db: Db, service: string) {
  return {
    /** Undefined if the credential has none. */
    async read(principal: string): Promise<StoredVocabulary | undefined> {
      return (await db.query<StoredVocabulary>(READ, [service, principal])).rows[0];
    },
    /** Replaces the terms. */
    async write(principal: string, terms: readonly VocabularyTerm[]): Promise<StoredVocabulary> {
      const { rows } = await db.query<StoredVocabulary>(WRITE, [service, principal, JSON.stringify(terms)]);
      return rows[0]!;
    },
  };
}

const READ = {
  name: 'vocabulary-read',
  limitMs: CLIENT_LIMIT_MS,
  text: 'select terms, changed_at as "changedAt" from vocabularies where service = $1 and principal = $2',
};

const WRITE = {
  name: 'vocabulary-write',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    insert into vocabularies (service, principal, terms) values ($1, $2, $3)
    on conflict (service, principal) do update set terms = excluded.terms, changed_at = clock_timestamp()
    returning terms, changed_at as "changedAt"`,
};
