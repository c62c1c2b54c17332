import type { Queryable } from '../../../base/db.ts';
import type { QueryExpansion } from './query-expansion.ts';
import type { Hit, Scored } from './search-types.ts';
import { snippetOf } from './snippet.ts';

export interface HitRow {
  readonly record_id: string;
  readonly service: string;
  readonly task_id: string | null;
  readonly status: 'done' | 'failed';
  readonly failure: string | null;
  readonly created_at: Date;
  readonly title: string;
  readonly surface: string | null;
  readonly master: string | null;
  readonly master_conf: number | null;
  readonly defects: Readonly<Record<string, number>>;
  readonly picture_width: number | null;
  readonly picture_height: number | null;
  readonly open_reports: number;
  readonly hidden: boolean;
}

/** Over `catalog_records r`. */
export const HIT_COLUMNS = `
  r.record_id, r.service, r.task_id, r.status, r.created_at, r.title, r.surface, r.master, r.master_conf, r.defects,
  case when r.status = 'failed' then
    (select d.result->>'error_code' from catalog_details d where d.number = r.number) end as failure,
  case when r.picture_key is not null then r.picture_width end as picture_width,
  case when r.picture_key is not null then r.picture_height end as picture_height, r.hidden,
  (select count(*) from reports p where p.record_id = r.record_id and p.status in ('open', 'in_review')) as open_reports`;

export function hitOf(row: HitRow): Omit<Hit, 'snippet'> {
  const { picture_width: width, picture_height: height } = row;
  return {
    recordId: row.record_id,
    service: row.service,
    taskId: row.task_id,
    status: row.status,
    failure: row.failure,
    createdAt: row.created_at,
    title: row.title,
    surface: row.surface,
    master: row.master === null ? null : { name: row.master, conf: row.master_conf ?? 0 },
    defects: scored(row.defects),
    image: width === null || height === null ? null : { width, height },
    openReports: row.open_reports,
    hidden: row.hidden,
  };
}

/** Omits deleted records. */
export async function readHits(
  db: Queryable,
  numbers: readonly number[],
  expansion: QueryExpansion | undefined,
): Promise<Hit[]> {
  if (numbers.length === 0) return [];
  const { rows } = await db.query<HitRow & { text: string }>(HITS, [numbers, expansion ? SEARCHED : SHOWN]);
  const beginnings = expansion?.prefixes ?? [];
  return rows.map((row) => ({ ...hitOf(row), snippet: snippetOf(row.text, beginnings) }));
}

/** Characters searched for a snippet, with and without a query. */
const SEARCHED = 20_000;
const SHOWN = 400;

const HITS = {
  name: 'catalog-hits',
  text: `
    select ${HIT_COLUMNS}, left(t.text, $2) as text
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
