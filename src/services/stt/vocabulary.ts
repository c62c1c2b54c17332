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
  /** A hash of the terms. */
  readonly version: string;
}

/** Of a credential without stored terms. */
export const NO_VERSION = '0';

export type VocabularyStore = ReturnType<typeof createVocabularyStore>;

/** The vocabularies of the credentials of a service. */
export function createVocabularyStore(db: Db, service: string) {
  return {
    /** Undefined if the credential has none. */
    async read(principal: string): Promise<StoredVocabulary | undefined> {
      return (await db.query<StoredVocabulary>(READ, [service, principal])).rows[0];
    },
    /** Replaces the terms of `ifVersion`, if given. Undefined if they are others. A repeated change has its first result. */
    async write(
      principal: string,
      terms: readonly VocabularyTerm[],
      ifVersion?: string,
    ): Promise<StoredVocabulary | undefined> {
      const values = [service, principal, JSON.stringify(terms), ifVersion ?? null, NO_VERSION];
      return (await db.query<StoredVocabulary>(WRITE, values)).rows[0];
    },
  };
}

const VERSION = "left(encode(sha256(convert_to(v.terms::text, 'UTF8')), 'hex'), 16)";
const COLUMNS = `terms, changed_at as "changedAt", ${VERSION} as version`;

const READ = {
  name: 'vocabulary-read',
  limitMs: CLIENT_LIMIT_MS,
  text: `select ${COLUMNS} from vocabularies v where service = $1 and principal = $2`,
};

const WRITE = {
  name: 'vocabulary-write',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    insert into vocabularies as v (service, principal, terms)
    select $1, $2, $3::json
     where $4::text is null or $4 = $5 or exists (select from vocabularies where service = $1 and principal = $2)
    on conflict (service, principal) do update set terms = excluded.terms, changed_at = clock_timestamp()
     where $4 is null or ${VERSION} = $4 or v.terms::text = excluded.terms::text
    returning ${COLUMNS}`,
};
