import type { Queryable } from '../../../base/db.ts';
import { type Report, type ReportFilters, type Reports, STATUSES, type Status } from './report.ts';
import { COLUMNS, type ReportRow, reportFrom } from './rows.ts';

type Page = Parameters<Reports['list']>[1];

export async function listReports(
  db: Queryable,
  filters: ReportFilters,
  { page, limit, sort }: Page,
): Promise<{ items: Report[]; total: number }> {
  const order = sort === 'newest' ? 'desc' : 'asc';
  const { rows } = await db.query<ReportRow & { total: number }>(
    `with found as materialized (select id, created_at from reports where ${WHERE}),
          page as (select id from found order by created_at ${order}, id ${order} limit $7 offset $8)
     select (select count(*) from found) as total, r.*
       from (select) as one left join (select ${COLUMNS} from reports join page using (id)) as r on true
      order by "createdAt" ${order}, id ${order}`,
    [...parameters(filters), limit, (page - 1) * limit],
  );
  // An empty page has one row too, with the total.
  return {
    items: rows.filter(({ id }) => id !== null).map(({ total: _, ...row }) => reportFrom(row)),
    total: rows[0]?.total ?? 0,
  };
}

export async function countReports(db: Queryable): Promise<Record<Status, number>> {
  const { rows } = await db.query<{ status: Status; count: number }>(
    'select status, count(*) from reports group by status',
  );
  const counts = new Map(rows.map(({ status, count }) => [status, count]));
  return Object.fromEntries(STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<Status, number>;
}

const WHERE = `($1::text is null or status = $1)
  and ($2::text is null or action_type = $2)
  and ($3::text is null or record_id = $3)
  and ($4::timestamptz is null or created_at >= $4)
  and ($5::timestamptz is null or created_at < $5)
  and concat_ws(' ', id, record_id, description, resolver_note, user_info, reporter) collate "default"
      ilike all ($6::text[])`;

const parameters = ({ status, actionType, recordId, from, to, q }: ReportFilters) => [
  ...[status, actionType, recordId, from, to].map((each) => each ?? null),
  // Every word must occur; wildcards are escaped.
  (q ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`),
];
