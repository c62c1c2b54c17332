import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';
import { cosineOf, type Signature } from '../../../base/signature.ts';
import { readHits } from './hits.ts';
import { type Hit, MAX_COUNT } from './search-types.ts';

export interface SimilarHit extends Hit {
  /** Cosine of the features, at least 0; null if one of the photos has none of the same version. */
  readonly similarity: number | null;
  readonly samePhoto: boolean;
  /** Other visible records with its photo, up to {@link MAX_COUNT}; only with `group`. */
  readonly copies?: number;
}

export interface SimilarOptions {
  readonly limit: number;
  /** Whether to return one record of each photo. */
  readonly group?: boolean;
  /** Whether the record itself may be hidden. */
  readonly hidden: boolean;
  readonly limitMs?: number;
}

/** Visible records with the nearest codes, of which the signatures are compared: bench/similar.mjs. */
const CANDIDATES = 200;
/** The nearest codes among which copies are grouped. */
const GROUPED_CANDIDATES = 1000;

/**
 * The visible records with the same photo, then those with the most similar photos; undefined for an unknown record, and for a
 * hidden one unless `hidden`. A table scan compares codes, whose differing bits estimate the angle (Charikar 2002); the cosine of
 * the signatures decides.
 */
export async function findSimilar(
  db: Db,
  recordId: string,
  { limit, group = false, hidden, limitMs = CLIENT_LIMIT_MS }: SimilarOptions,
): Promise<SimilarHit[] | undefined> {
  const statement = group
    ? { name: 'catalog-similar-grouped', text: candidatesSql(GROUPED), limitMs }
    : { name: 'catalog-similar', text: candidatesSql(NEAREST), limitMs };
  const { rows } = await db.query<Candidate>(statement, [recordId, CANDIDATES, group ? 1 : limit]);
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
  const copies = group ? await countCopies(db, numbers) : undefined;
  const byId = new Map(ranked.map((row) => [row.recordId, row]));
  return (await readHits(db, numbers, undefined)).map((hit) => {
    const { number, similarity, samePhoto } = byId.get(hit.recordId)!;
    // The record itself is a copy of its copies.
    const others = copies && (copies.get(number) ?? 0) - Number(samePhoto && !own.hidden);
    return { ...hit, similarity, samePhoto, ...(others !== undefined && { copies: others }) };
  });
}

const similarityOf = (a: Buffer | null, b: Buffer | null): number | null =>
  a === null || b === null ? null : Math.max(0, cosineOf(toSigned(a), toSigned(b)));

/** By record; none for a photo without copies. */
async function countCopies(db: Db, numbers: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const { rows } = await db.query<{ number: number; copies: number }>(COPIES, [numbers, MAX_COUNT]);
  return new Map(rows.map(({ number, copies }) => [number, copies]));
}

interface Candidate {
  readonly number: number;
  readonly signature: Buffer | null;
  readonly samePhoto: boolean;
  readonly recordId: string;
  readonly hidden: boolean;
}

const toSigned = ({ buffer, byteOffset, length }: Buffer): Signature => new Int8Array(buffer, byteOffset, length);

/** Visible records with a code, nearest first. */
const nearest = (limit: string | number) => `
      select s.number, bit_count(s.code # (select code from own)) as distance
        from catalog_signatures s
       where (select code from own) is not null and s.version = (select version from own) and s.number <> (select number from own)
         and s.number not in (select number from catalog_records where hidden)
       order by distance, s.number
       limit ${limit}`;

const NEAREST = nearest('$2');

// One record of each photo, without copies of the record itself.
const GROUPED = `
      select number
        from (select distinct on (coalesce(p.photo, -n.number)) n.number, n.distance
                from (${nearest(GROUPED_CANDIDATES)}) n
                left join catalog_photos p using (number)
               where p.photo is distinct from (select photo from own) or p.photo is null
               order by coalesce(p.photo, -n.number), n.distance, n.number desc) one
       order by distance, number
       limit $2`;

const candidatesSql = (near: string) => `
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
    near as materialized (${near}
    )
    select r.number, r.record_id as "recordId", r.hidden, s.signature, r.number in (select number from same) as "samePhoto"
      from (select number from own union select number from same union select number from near) c
      join catalog_records r using (number)
      left join catalog_signatures s on s.number = r.number and s.version = (select version from own)`;

const COPIES = {
  name: 'catalog-copies',
  text: `
    select p.number, c.copies
      from catalog_photos p
     cross join lateral (
       select count(*)::int as copies
         from (select from catalog_photos o join catalog_records v using (number)
                where o.photo = p.photo and o.number <> p.number and not v.hidden
                limit $2) other) c
     where p.number = any($1::bigint[]) and p.photo is not null`,
};
