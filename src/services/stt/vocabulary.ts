import { CLIENT_LIMIT_MS, type Db } from '../../base/db.ts';
import type { VocabularyTerm } from '../../ml/speech/recognizer.ts';
import { MAX_TERMS } from './api-schema.ts';

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
