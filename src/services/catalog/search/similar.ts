import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';
import { cosineOf, type Signature, signBits } from '../../../base/signature.ts';
import type { PictureFeatures } from '../../shared/picture-features.ts';
import { readHits } from './hits.ts';
import { patternOf } from './photo-pattern.ts';
import { findSamePhoto } from './same-photo.ts';
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
  readonly limitMs?: number;
}

interface PictureOptions extends SimilarOptions {
  /** Whether the client has disconnected, which ends the search with an error. */
  readonly isAbandoned: () => boolean;
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
  { hidden, ...options }: SimilarOptions & { /** Whether the record itself may be hidden. */ readonly hidden: boolean },
): Promise<SimilarHit[] | undefined> {
  const rows = await findCandidates(db, OF_RECORD, recordId, options);
  const own = rows.find((row) => row.recordId === recordId);
  if (own === undefined || (own.hidden && !hidden)) return undefined;
  const others = rows.filter((row) => row !== own);
  return rankCandidates(db, others, { ...options, signature: own.signature, isCopy: !own.hidden });
}

/** The same for a picture that has no record. */
export async function findSimilarToPicture(
  db: Db,
  { signature, grey }: PictureFeatures,
  { isAbandoned, ...options }: PictureOptions,
): Promise<SimilarHit[]> {
  const pattern = grey && patternOf(grey);
  const limitMs = options.limitMs ?? CLIENT_LIMIT_MS;
  const same = pattern && (await findSamePhoto(db, pattern, { limitMs, isAbandoned }));
  const own = {
    ...(signature && { version: signature.version, code: signBits(signature.values) }),
    ...(same && { photo: same.photo, same: same.number }),
  };
  const rows = await findCandidates(db, OF_PICTURE, JSON.stringify(own), options);
  return rankCandidates(db, rows, {
    ...options,
    signature: signature ? Buffer.from(signature.values) : null,
    isCopy: false,
  });
}

async function findCandidates(db: Db, own: OwnSql, of: string, options: SimilarOptions): Promise<Candidate[]> {
  const { limit, group = false, limitMs = CLIENT_LIMIT_MS } = options;
  const name = `catalog-similar-${own.name}${group ? '-grouped' : ''}`;
  const text = candidatesSql(own, group ? GROUPED : NEAREST);
  return (await db.query<Candidate>({ name, text, limitMs }, [of, CANDIDATES, group ? 1 : limit])).rows;
}

async function rankCandidates(
  db: Db,
  candidates: readonly Candidate[],
  options: SimilarOptions & {
    readonly signature: Buffer | null;
    /** The searched photo is one of the counted copies. */
    readonly isCopy: boolean;
  },
): Promise<SimilarHit[]> {
  const { limit, group = false, limitMs = CLIENT_LIMIT_MS, signature, isCopy } = options;
  const ranked = candidates
    .map((row) => ({ ...row, similarity: similarityOf(signature, row.signature) }))
    .sort(
      (a, b) =>
        Number(b.samePhoto) - Number(a.samePhoto) || (b.similarity ?? 0) - (a.similarity ?? 0) || b.number - a.number,
    )
    .slice(0, limit);
  const numbers = ranked.map(({ number }) => number);
  const copies = group ? await countCopies(db, numbers, limitMs) : undefined;
  const byId = new Map(ranked.map((row) => [row.recordId, row]));
  return (await readHits(db, numbers, undefined)).map((hit) => {
    const { number, similarity, samePhoto } = byId.get(hit.recordId)!;
    const others = copies && (copies.get(number) ?? 0) - Number(samePhoto && isCopy);
    return { ...hit, similarity, samePhoto, ...(others !== undefined && { copies: others }) };
  });
}

const similarityOf = (a: Buffer | null, b: Buffer | null): number | null =>
  a === null || b === null ? null : Math.max(0, cosineOf(toSigned(a), toSigned(b)));

/** By record; none for a photo without copies. */
async function countCopies(db: Db, numbers: readonly number[], limitMs: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await db.query<{ number: number; copies: number }>({ ...COPIES, limitMs }, [numbers, MAX_COUNT]);
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

/**
 * Visible records with a code, nearest first. Hidden ones and the own one are read too and left out afterwards: testing each record for
 * them took a quarter of the time.
 */
const nearest = (limit: string | number) => `
      select number, distance
        from (select number, bit_count(code # (select code from own)) as distance
                from catalog_codes
               where version = (select version from own)
               order by distance, number
               limit case when (select code from own) is null then 0
                          else ${limit} + 1 + (select count(*) from catalog_records where hidden) end) read
       where number <> (select number from own) and number not in (select number from catalog_records where hidden)
       order by distance, number
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

/** What is searched: a row with number, version, code and photo, and a condition on `p` of the records of the same photo. */
interface OwnSql {
  readonly name: string;
  readonly row: string;
  readonly isSame: string;
}

const OF_RECORD: OwnSql = {
  name: 'record',
  row: `
      select r.number, c.version, c.code, p.photo
        from catalog_records r
        left join catalog_codes c using (number)
        left join catalog_photos p using (number)
       where r.record_id = $1`,
  isSame: 'p.photo = (select photo from own)',
};

// Records have numbers above 0.
const OF_PICTURE: OwnSql = {
  name: 'picture',
  row: `
      select 0::bigint as number, version, ('x' || code)::bit(256) as code, photo, same
        from json_to_record($1::json) as o (version text, code text, photo bigint, same bigint)`,
  isSame: '(p.photo = (select photo from own) or p.number = (select same from own))',
};

const candidatesSql = (own: OwnSql, near: string) => `
    with own as materialized (${own.row}
    ),
    same as materialized (
      select p.number
        from catalog_photos p join catalog_records r using (number)
       where ${own.isSame} and p.number <> (select number from own) and not r.hidden
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
