import type { Queryable } from '../../../base/db.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { QueryExpansion } from './query-expansion.ts';
import type { Filters, Hit, Scored } from './search-types.ts';
import { createSnippets, createWordFinder } from './snippet.ts';

export interface HitRow extends Omit<Hit, 'snippet' | 'master' | 'defects' | 'image'> {
  readonly master: string | null;
  readonly masterConf: number | null;
  readonly defects: Readonly<Record<string, number>>;
  readonly width: number | null;
  readonly height: number | null;
}

/** Over `catalog_records r`. */
export const HIT_COLUMNS = `
  r.record_id as "recordId", r.service, r.task_id as "taskId", r.status,
  case when r.status = 'failed' then
    (select d.result->>'error_code' from catalog_details d where d.number = r.number) end as failure,
  r.created_at as "createdAt", r.title, r.project, coalesce(r.tags, '{}') as tags, r.surface, r.master, r.master_conf as "masterConf", r.defects,
  case when r.picture_key is not null then r.picture_width end as width,
  case when r.picture_key is not null then r.picture_height end as height,
  (select count(*) from reports p where p.record_id = r.record_id and p.status in ('open', 'in_review')) as "openReports",
  r.hidden`;

export function hitOf<Row extends HitRow>({ master, masterConf, defects, width, height, ...row }: Row) {
  return {
    ...row,
    master: master === null ? null : { name: master, conf: masterConf ?? 0 },
    defects: scored(defects),
    image: width === null || height === null ? null : { width, height },
  };
}

/** As `confidence` in SQL. */
export function confidenceOf({ defects, master }: Hit, filters: Filters): number {
  if (filters.defect === undefined && filters.master !== undefined) return master?.conf ?? -1;
  return defects.find(({ name }) => filters.defect?.includes(name) ?? true)?.conf ?? -1;
}

/** Omits deleted records. */
export async function readHits(
  db: Queryable,
  numbers: readonly number[],
  expansion: QueryExpansion | undefined,
  withFields = false,
): Promise<Hit[]> {
  if (numbers.length === 0) return [];
  const { rows } = await db.query<ListedRow>(HITS, [numbers, expansion ? SEARCHED : SHOWN, withFields]);
  const prefixes = expansion?.prefixes ?? [];
  const snippetOf = createSnippets(prefixes);
  const find = createWordFinder(prefixes);
  return rows.map(({ text, fields, ...row }) => ({
    ...hitOf(row),
    snippet: snippetOf(text),
    ...(fields && { fields: chooseFields(fields, (value) => find(value) !== undefined) }),
  }));
}

interface ListedRow extends Omit<HitRow, 'fields'> {
  readonly text: string;
  readonly fields: readonly JsonObject[] | null;
}

const MAX_FIELDS = 3;
/** Of a document; further ones are cells of long tables. */
const MAX_READ_FIELDS = 100;

/** The first field, which is the address in the shipped schema, those with words of the query, and the next ones. */
function chooseFields(fields: readonly JsonObject[], isFound: (value: string) => boolean): JsonObject[] {
  const single = fields.filter(({ row }) => row === undefined);
  const found = fields.filter(({ value }) => isFound(String(value)));
  return [...new Set([...single.slice(0, 1), ...found, ...single])].slice(0, MAX_FIELDS);
}

/** Characters searched for a snippet, with and without a query. */
const SEARCHED = 20_000;
const SHOWN = 400;

const HITS = {
  name: 'catalog-hits',
  text: `
    select ${HIT_COLUMNS}, left(t.text, $2) as text,
           case when $3 and r.service = 'passports' then
             (select json_agg(f.field)
                from (select field from catalog_details d, json_array_elements(d.result->'fields') field
                       where d.number = r.number limit ${MAX_READ_FIELDS}) f) end as fields
      from unnest($1::bigint[]) with ordinality as w (number, place)
      join catalog_records r using (number)
      join catalog_texts t using (number)
     order by w.place`,
};

function scored(defects: Readonly<Record<string, number>>): Scored[] {
  return Object.entries(defects)
    .map(([name, conf]) => ({ name, conf }))
    .sort((a, b) => b.conf - a.conf || (a.name < b.name ? -1 : 1));
}
