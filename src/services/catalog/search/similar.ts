import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';
import { cosineOf, type Signature } from '../../../base/signature.ts';
import { readHits } from './hits.ts';
import type { Hit } from './search-types.ts';

export interface SimilarHit extends Hit {
  /** Cosine of the features, at least 0; null if one of the photos has none of the same version. */
  readonly similarity: number | null;
  readonly samePhoto: boolean;
}

export interface SimilarOptions {
  readonly limit: number;
  /** Whether the record itself may be hidden. */
  readonly hidden: boolean;
  readonly limitMs?: number;
}

/** Visible records with the nearest codes, of which the signatures are compared: bench/similar.mjs. */
const CANDIDATES = 200;

/**
 * The visible records with the same photo, then those with the most similar photos; undefined for an unknown record, and for a
 * hidden one unless `hidden`. A table scan compares codes, whose differing bits estimate the angle (Charikar 2002); the cosine of
 * the signatures decides.
 */
export async function findSimilar(
  db: Db,
  recordId: string,
  { limit, hidden, limitMs = CLIENT_LIMIT_MS }: SimilarOptions,
): Promise<SimilarHit[] | undefined> {
  const { rows } = await db.query<Candidate>({ ...CANDIDATES_SQL, limitMs }, [recordId, CANDIDATES, limit]);
  const own = rows.find((row) => row.recordId === recordId);
  if (own === undefined || (own.hidden && !hidden)) return undefined;
  const ranked = rows
    .filter((row) => row !== own)
    .map((row) => ({ ...row, similarity: similarityOf(own.signature, row.signature) }))
    .sort(
      (a, b) =>
        Number(b.samePhoto) - Number(a.samePhoto) || (b.similarity ?? 0) - (a.similarity ?? 0) || b.number - a.number,
    )
    .slice(0, limit);
  const numbers = ranked.map(({ number }) => number);
  const byId = new Map(ranked.map((row) => [row.recordId, row]));
  return (await readHits(db, numbers, undefined)).map((hit) => {
    const { similarity, samePhoto } = byId.get(hit.recordId)!;
    return { ...hit, similarity, samePhoto };
  });
}

/** With four decimals. */
function similarityOf(a: Buffer | null, b: Buffer | null): number | null {
  if (a === null || b === null) return null;
  return Math.round(Math.max(0, cosineOf(toSigned(a), toSigned(b))) * 1e4) / 1e4;
}

interface Candidate {
  readonly number: number;
  readonly signature: Buffer | null;
  readonly samePhoto: boolean;
  readonly recordId: string;
  readonly hidden: boolean;
}

const toSigned = ({ buffer, byteOffset, length }: Buffer): Signature => new Int8Array(buffer, byteOffset, length);

const CANDIDATES_SQL = {
  name: 'catalog-similar',
  text: `
    with own as materialized (
      select r.number, s.version, s.code, p.photo
        from catalog_records r
        left join catalog_signatures s using (number)
        left join catalog_photos p using (number)
       where r.record_id = $1
    ),
    same as materialized (
      select p.number
        from catalog_photos p join catalog_records r using (number)
       where p.photo = (select photo from own) and p.number <> (select number from own) and not r.hidden
       order by p.number desc
       limit $3
    ),
    near as materialized (
      select s.number
        from catalog_signatures s
       where (select code from own) is not null and s.version = (select version from own) and s.number <> (select number from own)
         and s.number not in (select number from catalog_records where hidden)
       order by bit_count(s.code # (select code from own)), s.number
       limit $2
    )
    select r.number, r.record_id as "recordId", r.hidden, s.signature, r.number in (select number from same) as "samePhoto"
      from (select number from own union select number from same union select number from near) c
      join catalog_records r using (number)
      left join catalog_signatures s on s.number = r.number and s.version = (select version from own)`,
};
