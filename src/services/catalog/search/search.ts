import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import type { PictureFeatures } from '../../shared/picture-features.ts';
import { ATTRIBUTES_SAMPLE, countAttributes } from './attribute-facets.ts';
import { createFacetCombinations, type FacetCombinations } from './facet-combinations.ts';
import { countFacets } from './facets.ts';
import { type FirstMatches, findFirstMatches, SEARCH_LIMITS, type SearchLimits } from './first-matches.ts';
import { confidenceOf, HIT_COLUMNS, type HitRow, hitOf, readHits } from './hits.ts';
import { createKnownFields, type KnownFields } from './known-fields.ts';
import { resolveAsWritten, SNAPSHOT } from './resolve-filters.ts';
import type { Filters, Hit, Page, Position, Row, SearchResult, Sort } from './search-types.ts';
import { findSimilar, findSimilarToPicture } from './similar.ts';
import { createSnippets } from './snippet.ts';
import { streamRecords } from './stream.ts';

export type Search = ReturnType<typeof createSearch>;

/** Excludes hidden records unless `filters.hidden` is set. */
export function createSearch(db: Db, limits = SEARCH_LIMITS) {
  const kinds = createFacetCombinations();
  const fields = createKnownFields();
  return {
    find: (filters: Filters, page: Page) => findRecords(db, { kinds, fields }, filters, page, limits),
    /** At most a million, in constant memory. */
    stream: (filters: Filters, sort: Sort) => streamRecords(db, filters, sort),
    /** Includes hidden records: the caller must check access. */
    row: (recordId: string) => readRow(db, recordId),
    similar: (recordId: string, options: Parameters<typeof findSimilar>[2]) => findSimilar(db, recordId, options),
    similarTo: (picture: PictureFeatures, options: Parameters<typeof findSimilarToPicture>[2]) =>
      findSimilarToPicture(db, picture, options),
    state: async () => (await db.query<IndexState>(STATE)).rows[0]!,
  };
}

export interface IndexState {
  readonly documents: number;
  readonly lastIndexedAt: Date | null;
  readonly rebuilding: boolean;
}

/** Triggers keep the counts equal to the visible records. */
const STATE = {
  name: 'catalog-state',
  text: `
    select (select coalesce(sum(count), 0)::bigint from catalog_facet_counts) as documents,
           (select max(indexed_at) from catalog_records) as "lastIndexedAt",
           exists (select from catalog_rebuild) as rebuilding`,
  limitMs: CLIENT_LIMIT_MS,
};

/** Also hidden records. `prev` is older, `next` newer, both visible. */
async function readRow(db: Queryable, recordId: string): Promise<Row | undefined> {
  // PostgreSQL text cannot contain NUL.
  if (recordId.includes('\0')) return undefined;
  const { rows } = await db.query<HitRow & Omit<Row, keyof Hit>>(ROW, [recordId]);
  const [row] = rows;
  return row && { ...hitOf(row), snippet: createSnippets([])(row.text.slice(0, 400)) };
}

const ROW = {
  name: 'catalog-row',
  text: `
    select ${HIT_COLUMNS}, t.text, d.result, d.attachment, d.recording_key as "soundKey",
           (select o.record_id from catalog_records o
             where not o.hidden and (o.created_at, o.number) < (r.created_at, r.number)
             order by o.created_at desc, o.number desc limit 1) as prev,
           (select o.record_id from catalog_records o
             where not o.hidden and (o.created_at, o.number) > (r.created_at, r.number)
             order by o.created_at, o.number limit 1) as next
      from catalog_records r
      join catalog_texts t using (number)
      join catalog_details d using (number)
     where r.record_id = $1`,
};

interface Known {
  readonly kinds: FacetCombinations;
  readonly fields: KnownFields;
}

function findRecords(
  db: Db,
  { kinds, fields }: Known,
  filters: Filters,
  page: Page,
  limits: SearchLimits,
): Promise<SearchResult> {
  return db.transaction(
    async (tx) => {
      const written = await resolveAsWritten(tx, filters, page.upTo);
      const known = page.facets && !page.after ? await fields.load(tx, written.resolved.upTo) : [];
      const sampleSize = known.some(({ hasFewTexts }) => hasFewTexts) ? ATTRIBUTES_SAMPLE : 0;
      const found = await findFirstMatches(tx, written, page, limits, sampleSize);
      const { resolved } = found;
      const counted = page.facets ? await countFacets(tx, kinds, resolved, limits, found.counts) : undefined;
      const facets = counted && {
        ...{ facets: counted.facets, facetsComplete: counted.complete, fields: known },
        attributes: await countAttributes(tx, known, found, page.sort, limits),
      };
      const items = await readHits(tx, found.numbers, resolved.expansion, page.fields);
      return {
        items,
        ...totalOf(found, counted?.total, page, limits),
        ...facets,
        upTo: resolved.upTo,
        next: nextOf(found, items, filters, page),
      };
    },
    { statementTimeoutMs: CLIENT_LIMIT_MS, settings: SNAPSHOT },
  );
}

function totalOf(
  { total, numbers }: FirstMatches,
  counted: number | undefined,
  page: Page,
  { maxCount }: SearchLimits,
) {
  if (total <= maxCount) return { total, more: false };
  if (counted !== undefined && page.after === undefined) return { total: counted, more: false };
  // Clients that list pages up to `total` must read the next one.
  const listed = numbers.length === 0 ? 0 : (page.page - 1) * page.limit + numbers.length;
  return { total: Math.max(maxCount, listed + Number(numbers.length === page.limit)), more: true };
}

/** The position of the last item of a full page. */
function nextOf(
  { numbers, stage }: FirstMatches,
  items: readonly Hit[],
  filters: Filters,
  page: Page,
): Position | undefined {
  const last = items.at(-1);
  if (last === undefined || items.length < page.limit) return undefined;
  const keys = [last.createdAt, numbers.at(-1)];
  return { stage, keys: page.sort === 'confidence' ? [confidenceOf(last, filters), ...keys] : keys };
}
